package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lensgo/lens/gym/agent"
	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/model"
	"github.com/lensgo/lens/gym/resources/multistep"
	"github.com/lensgo/lens/gym/resources/sessionstate"
	"github.com/lensgo/lens/gym/resources/singletoolcall"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

func mustWrite(t *testing.T) Files {
	t.Helper()
	files, err := Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func readRows(t *testing.T, path string) []responses.Object {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows []responses.Object
	for i, line := range bytes.Split(bytes.TrimSuffix(content, []byte("\n")), []byte("\n")) {
		row, err := responses.ParseObject(line)
		if err != nil {
			t.Fatalf("%s:%d: %v", path, i+1, err)
		}
		rows = append(rows, row)
	}
	return rows
}

func TestWrite(t *testing.T) {
	files := mustWrite(t)
	var all []byte
	for i, in := range files.Inputs {
		if in.Environment != environments[i].name || in.Agent != in.Environment+"_agent" {
			t.Errorf("input %d is %+v", i, in)
		}
		if n := len(readRows(t, in.Path)); n != 20 || in.Tasks != n {
			t.Errorf("%s has %d tasks and says %d, want 20", in.Path, n, in.Tasks)
		}
		content, _ := os.ReadFile(in.Path)
		all = append(all, content...)
	}
	combined, err := os.ReadFile(files.Combined)
	if err != nil || len(files.Inputs) != 3 || !bytes.Equal(combined, all) {
		t.Errorf("the combined file is not the %d others one after the other (error %v)", len(files.Inputs), err)
	}
	lines := strings.Split(string(all), "\n")
	slices.Sort(lines)
	if n := len(slices.Compact(lines)); n != 61 { // and the empty one
		t.Errorf("%d different lines, want 61: equal lines would be one task", n)
	}
}

func TestWrite_is_deterministic(t *testing.T) {
	read := func(f Files) []byte {
		var all []byte
		for _, path := range []string{f.Config, f.Combined} {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, content...)
		}
		return all
	}
	if !bytes.Equal(read(mustWrite(t)), read(mustWrite(t))) {
		t.Error("two writes differ")
	}
}

func TestWrite_leaves_files_alone(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, ConfigFile)
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(dir); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), mine) {
		t.Errorf("error %v, want one that names %s", err, mine)
	}
	if content, _ := os.ReadFile(mine); string(content) != "mine" {
		t.Errorf("the file was changed to %q", content)
	}
}

// The tables are data, and this is what must hold among their columns.
func TestTables(t *testing.T) {
	for _, task := range weatherTasks {
		if strings.Count(task.text, "'"+task.city+"'") != 1 {
			t.Errorf("%q does not name %s in quotes", task.text, task.city)
		}
	}
	for _, task := range synonymTasks {
		at := 0
		values := map[int]bool{wordValue(task.worn): true}
		for _, s := range task.synonyms {
			i := strings.Index(task.text[at:], "'"+s+"'")
			if i < 0 {
				t.Errorf("%q does not have %s in quotes and in order", task.text, s)
			}
			at += i
			values[wordValue(s)] = true
		}
		if len(values) != len(task.synonyms)+1 {
			t.Errorf("%s and %v: two of them have the same value", task.worn, task.synonyms)
		}
		if !strings.Contains(strings.ToLower(task.text), task.worn) {
			t.Errorf("%q does not say %s", task.text, task.worn)
		}
	}
	for _, task := range counterTasks {
		if len(task.add) == 0 {
			t.Errorf("%q has nothing to add", task.text)
		}
		if strings.Contains(task.text, fmt.Sprint(task.initial)+" ") && !slices.Contains(task.add, task.initial) {
			t.Errorf("%q gives the initial count away", task.text)
		}
	}
}

func TestWriteConfig(t *testing.T) {
	path, err := WriteConfig(filepath.Join(t.TempDir(), "new", "folder"))
	if err != nil {
		t.Fatal(err)
	}
	g, err := config.Load([]string{path}, config.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, in := range g.Instances {
		count[in.Type]++
	}
	if len(g.Instances) != 7 || count[config.TypeModel] != 1 || count[config.TypeAgent] != 3 || count[config.TypeResources] != 3 {
		t.Errorf("%v instances, want one model, three agents and three resources servers", count)
	}
	for _, env := range environments {
		if got := g.Environment(AgentOf(env.name)); got != env.name {
			t.Errorf("%s works in %q, want %s", AgentOf(env.name), got, env.name)
		}
	}
	got, err := model.ParseSyntheticSettings(g.Instance("policy_model").Settings)
	if err != nil {
		t.Fatal(err)
	}
	if want := model.DefaultSyntheticSettings(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the written settings are %+v, and the defaults %+v", got, want)
	}
}

// builders know the implementations that the demo's configuration names.
var builders = map[string]func(*config.Instance, *wire.Client, *slog.Logger) (*wire.Server, error){
	"simple_agent":    agent.Build,
	"synthetic_model": model.BuildSynthetic,
	SingleToolCall:    singletoolcall.Build,
	MultiStep:         multistep.Build,
	SessionState:      sessionstate.Build,
}

// startServers starts all servers of the demo in this process, with edits made to its configuration, and returns a
// client for them.
func startServers(t *testing.T, configPath string, edits ...string) *wire.Client {
	t.Helper()
	text, err := os.ReadFile(configPath)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.NewReplacer(edits...).Replace(string(text))
	if err := os.WriteFile(configPath, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	g, err := config.Load([]string{configPath}, config.Overrides{})
	if err != nil {
		t.Fatal(err)
	}

	listeners := map[string]net.Listener{}
	urls := map[string]string{}
	for _, in := range g.Instances {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		in.Port = ln.Addr().(*net.TCPAddr).Port
		listeners[in.Name], urls[in.Name] = ln, in.URL()
	}
	client := wire.NewClient(wire.ClientOptions{Servers: urls})
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	t.Cleanup(func() { client.Close(); cancel(); wg.Wait() })
	for _, in := range g.Instances {
		s, err := builders[in.Impl](in, client, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatalf("%s: %v", in.Name, err)
		}
		wg.Go(func() {
			if err := s.Serve(ctx, listeners[in.Name]); err != nil {
				t.Errorf("%s: %v", in.Name, err)
			}
		})
	}
	return client
}

// play runs each row of a data set once and returns the replies.
func play(t *testing.T, client *wire.Client, in Input) []responses.Object {
	t.Helper()
	var replies []responses.Object
	for i, row := range readRows(t, in.Path) {
		ref, _ := row.Sub("agent_ref")
		if name, _ := ref.String("name"); name != in.Agent {
			t.Fatalf("%s:%d names the agent %q", in.Path, i+1, name)
		}
		result, err := client.Do(t.Context(), wire.Call{Server: in.Agent, Path: "/run", Body: row.AppendTo(nil)})
		if err == nil {
			err = result.Err()
		}
		if err != nil {
			t.Fatalf("%s:%d: %v", in.Path, i+1, err)
		}
		reply, err := responses.ParseObject(result.Body)
		if err != nil {
			t.Fatalf("%s:%d: %v", in.Path, i+1, err)
		}
		replies = append(replies, reply)
	}
	return replies
}

func rewards(t *testing.T, replies []responses.Object) (list []float64, mean float64) {
	t.Helper()
	for _, r := range replies {
		reward, ok := r.Float("reward")
		if !ok {
			t.Fatalf("%s has no reward", r.AppendTo(nil))
		}
		list = append(list, reward)
		mean += reward
	}
	return list, mean / float64(len(list))
}

// noWait is the edit that makes the model answer at once.
var noWait = []string{"distribution: lognormal", "distribution: none"}

// Without mistakes the model solves every task: the texts, the policy and the environments fit together.
func TestTasks_can_be_solved(t *testing.T) {
	files := mustWrite(t)
	client := startServers(t, files.Config, append([]string{"mistake_rate: 0.25", "mistake_rate: 0"}, noWait...)...)
	for _, in := range files.Inputs {
		for i, reply := range play(t, client, in) {
			if reward, _ := reply.Float("reward"); reward != 1 {
				t.Errorf("%s:%d has reward %v: %s", in.Path, i+1, reward, reply.AppendTo(nil))
			}
			response, _ := reply.Sub("response")
			output, err := responses.Response{Object: response}.Output()
			if err != nil || countCalls(output) == 0 {
				t.Errorf("%s:%d was scored without a tool call (error %v)", in.Path, i+1, err)
			}
			if last := output[len(output)-1]; in.Environment == SingleToolCall && !strings.Contains(last.Text(), weatherTasks[i].city) {
				t.Errorf("%s:%d: the answer %q is not about %s", in.Path, i+1, last.Text(), weatherTasks[i].city)
			}
		}
	}
}

func countCalls(output []responses.Item) int {
	n := 0
	for _, it := range output {
		if it.Type() == responses.TypeFunctionCall {
			n++
		}
	}
	return n
}

// With the settings as they are written, some tasks fail, so that there is something to look at.
func TestTasks_differ_in_reward(t *testing.T) {
	files := mustWrite(t)
	client := startServers(t, files.Config, noWait...)
	for _, in := range files.Inputs {
		list, mean := rewards(t, play(t, client, in))
		again, _ := rewards(t, play(t, client, in))
		if !slices.Equal(list, again) {
			t.Errorf("%s: a second run has rewards %v, the first %v", in.Environment, again, list)
		}
		t.Logf("%s: mean %.2f of %v", in.Environment, mean, list)
		switch in.Environment {
		case SingleToolCall:
			if mean != 1 {
				t.Errorf("%s: mean %v, want 1", in.Environment, mean)
			}
		default:
			if !slices.Contains(list, 0) || !slices.Contains(list, 1) {
				t.Errorf("%s: rewards %v do not differ", in.Environment, list)
			}
			if mean < 0.5 {
				t.Errorf("%s: mean %v; most tasks should be solved", in.Environment, mean)
			}
		}
	}
}
