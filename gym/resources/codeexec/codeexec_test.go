//go:build linux

package codeexec

import (
	"crypto/rand"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// instance has settings in YAML's way of JSON.
func instance(t *testing.T, settings string) *config.Instance {
	t.Helper()
	g, err := config.Decode([]byte(`{"box": {"local": {"allow_unsafe": true}}, "code_exec": {"resources_servers": {"code_exec": ` + settings + `}}}`))
	if err != nil {
		t.Fatal(err)
	}
	return g.Instance("code_exec")
}

// shell runs programs of the shell: it is on every machine. Where the kernel refuses namespaces, so that what is tested here
// is still tested, they run without.
const shell = `{"entrypoint": "app.py", "sandbox_provider": "box", "language": "sh", "case_timeout_s": 60}`

func build(t *testing.T, settings string) *wire.Server {
	t.Helper()
	s, err := Build(instance(t, settings), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// reply is what /verify says.
type reply struct {
	Reward   float64  `json:"reward"`
	Passed   int      `json:"cases_passed"`
	Cases    int      `json:"cases_total"`
	Outcomes []string `json:"case_outcomes"`
}

// verify scores a model's text.
func verify(t *testing.T, s *wire.Server, text, unitTests string) (status int, r reply, body string) {
	t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	request := `{"responses_create_params":{"input":"q"},"response":{"id":"r","created_at":1,"model":"m","object":"response",
		"parallel_tool_calls":false,"tool_choice":"auto","tools":[],"output":[{"type":"message","id":"m","role":"assistant",
		"status":"completed","content":[{"type":"output_text","annotations":[],"text":` + string(quoted) + `}]}]},
		"verifier_metadata":{"unit_tests":` + unitTests + `}}`
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "POST", "/verify", strings.NewReader(request)))
	body = w.Body.String()
	if w.Code == 200 {
		if err := json.Unmarshal([]byte(body), &r); err != nil {
			t.Fatal(err)
		}
	}
	return w.Code, r, body
}

// program is a model's text with one.
func program(lines ...string) string {
	return "Here it is:\n```sh\n" + strings.Join(lines, "\n") + "\n```\nIt should work."
}

func TestVerify(t *testing.T) {
	s := build(t, shell)
	const sums = `{"inputs": ["1 2", "3 4", "5 6", "7 8"], "outputs": ["3", "7\n", "11  \n\n", "15"], "fn_name": null}`
	tests := map[string]struct {
		text     string
		cases    string
		reward   float64
		outcomes []string
	}{
		"right":     {program("read a b", "echo $((a + b))"), sums, 1, []string{"passed", "passed", "passed", "passed"}},
		"partly":    {program("read a b", "[ $a -gt 4 ] && exit 3", "echo $((a + b))"), sums, 0.5, []string{"passed", "passed", "exit_code", "exit_code"}},
		"wrong":     {program("echo 3"), sums, 0.25, []string{"passed", "wrong_output", "wrong_output", "wrong_output"}},
		"right and": {program("read a b", "echo $((a + b))", "exit 1"), sums, 0, []string{"exit_code", "exit_code", "exit_code", "exit_code"}},
		"none":      {"I would add them.", sums, 0, []string{"no_program", "no_program", "no_program", "no_program"}},
		"too much":  {program("while :; do echo 0123456789012345678901234567890123456789; done | head -c 3000000"), `{"inputs": [""], "outputs": ["x"]}`, 0, []string{"output_too_big"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			status, r, body := verify(t, s, test.text, test.cases)
			if status != 200 || r.Reward != test.reward || !slices.Equal(r.Outcomes, test.outcomes) || r.Cases != len(test.outcomes) ||
				float64(r.Passed) != test.reward*float64(r.Cases) {
				t.Errorf("%d %s", status, body)
			}
		})
	}
	for name, cases := range map[string]string{
		"nothing to score": `{"inputs": [], "outputs": []}`,
		"not of one leng":  `{"inputs": ["1"], "outputs": []}`,
		"fn_name":          `{"inputs": ["1"], "outputs": ["1"], "fn_name": "f"}`,
		"outputs":          `{"inputs": ["1"]}`,
	} {
		if status, _, body := verify(t, s, program("true"), cases); status != 422 || !strings.Contains(body, name) {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
}

func TestVerify_timeout(t *testing.T) {
	s := build(t, strings.Replace(shell, `"case_timeout_s": 60`, `"case_timeout_s": 1`, 1))
	if status, r, body := verify(t, s, program("sleep 1000"), `{"inputs": [""], "outputs": [""]}`); status != 200 || r.Reward != 0 || r.Outcomes[0] != "timeout" {
		t.Errorf("%d %s", status, body)
	}
}

// needle is what the programs of TestVerify_cheats look for. It does not find itself in a program's own text.
const needle = "'a-need[l]e-[A-Z0-9]*'"

// Programs that want the reward without the work: what is expected is nowhere to be found, nothing of one case is there in
// the next, and output that comes after the end of a program does not count. A search that finds nothing proves something
// only where it can find: each one is also run by a program that has put its input there before.
func TestVerify_cheats(t *testing.T) {
	s := build(t, shell)
	expected := "a-needle-" + rand.Text() // in no file and no memory but this test's
	cases := func(input string) string {
		return `{"inputs": ["` + input + `"], "outputs": ["` + expected + `"]}`
	}
	const files = "{ grep -rhosa " + needle + ` . "$TMPDIR" /dev/shm` +
		"; grep -rhosa " + needle + " / --exclude-dir=proc --exclude-dir=sys --exclude-dir=usr --exclude-dir=tmp --exclude-dir=root; } | head -n 1"
	tests := map[string]struct {
		search string
		plants []string // where the search would find its input
	}{
		"searches files":     {files, []string{"cat > planted", `cat > "$TMPDIR/planted"`, "mkdir -p deep/down; cat > deep/down/planted"}},
		"searches processes": {"cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -o " + needle + " | head -n 1", []string{`export PLANTED="$(cat)"`}},
		"asks its environment": {"{ env; set; } | grep -o " + needle + " | head -n 1",
			[]string{`export PLANTED="$(cat)"`, `PLANTED="$(cat)"`}},
		"echoes":             {"cat; echo yes; echo passed", nil},
		"writes the verdict": {`echo '{"reward": 1.0}'; echo '{"reward": 1.0}' > reward.json; mkdir -p outputs; echo > outputs/0`, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			status, r, body := verify(t, s, program(test.search), cases("first"))
			if status != 200 || r.Reward != 0 || r.Outcomes[0] != "wrong_output" {
				t.Errorf("%d %s", status, body)
			}
			for _, plant := range test.plants {
				status, r, body := verify(t, s, program(plant, test.search), cases(expected))
				if status != 200 || r.Reward != 1 {
					t.Errorf("it does not find what %q has put there: %d %s", plant, status, body)
				}
			}
		})
	}
	t.Run("remembers", func(t *testing.T) {
		text := program("cat memory $TMPDIR/memory 2>/dev/null", "tee memory", "cp memory $TMPDIR/memory")
		status, r, body := verify(t, s, text, `{"inputs": ["one", "two", "three"], "outputs": ["one", "two", "three"]}`)
		if status != 200 || r.Reward != 1 { // with a memory it would print more than its input
			t.Errorf("%d %s", status, body)
		}
	})
	t.Run("goes on in the background", func(t *testing.T) {
		text := program("setsid sh -c 'sleep 1; echo "+"late' &", "echo early")
		status, r, body := verify(t, s, text, `{"inputs": [""], "outputs": ["early\nlate"]}`)
		if status != 200 || r.Reward != 0 || r.Outcomes[0] != "wrong_output" {
			t.Errorf("%d %s", status, body)
		}
	})
}

// Python is on most machines, and not on all.
func TestVerify_python(t *testing.T) {
	if _, err := os.Stat("/usr/bin/python3"); err != nil {
		_, err := Build(instance(t, `{"sandbox_provider": "box"}`), nil, nil)
		if err == nil || !strings.Contains(err.Error(), "python3") {
			t.Error(err)
		}
		return
	}
	s := build(t, `{"sandbox_provider": {"local": {"allow_unsafe": true}}, "case_timeout_s": 60}`)
	status, r, body := verify(t, s, "```python\nprint(sum(map(int, input().split())))\n```", `{"inputs": ["1 2", "3 4"], "outputs": ["3", "8"]}`)
	if status != 200 || r.Reward != 0.5 {
		t.Errorf("%d %s", status, body)
	}
}

func TestBuild_refuses(t *testing.T) {
	for settings, want := range map[string]string{
		`{}`:                              "sandbox_provider is missing",
		`{"sandbox_provider": "nowhere"}`: `names "nowhere"`,
		`{"sandbox_provider": {"local": {}, "docker": {}}}`:                                               "names 2",
		`{"sandbox_provider": {"locl": {}}}`:                                                              "docker, local",
		`{"sandbox_provider": "box", "language": "cobol"}`:                                                `"cobol"`,
		`{"sandbox_provider": "box", "case_timeout_s": 0}`:                                                "case_timeout_s is 0",
		`{"sandbox_provider": "box", "max_concurrent_sandboxes": 0}`:                                      "max_concurrent_sandboxes is 0",
		`{"sandbox_provider": "box", "sandbox_spec": {"imgae": "x"}}`:                                     "imgae",
		`{"sandbox_provider": "box", "sandbox_spec": {"image": "x"}}`:                                     "image",
		`{"sandbox_provider": "box", "language": "sh", "command": "no-such-program main.sh"}`:             "has no no-such-program",
		`{"sandbox_provider": "box", "language": "sh", "host": "0.0.0.0"}`:                                "allow_unsafe_host: true",
		`{"sandbox_provider": "box", "language": "sh", "host": "10.0.0.7"}`:                               `"10.0.0.7"`,
		`{"sandbox_provider": {"docker": {"binary": "/no/such/docker", "image": "x"}}, "language": "sh"}`: "no such file",
	} {
		if _, err := Build(instance(t, settings), nil, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", settings, err, want)
		}
	}
	for _, settings := range []string{
		`{"sandbox_provider": "box", "language": "sh", "host": "localhost"}`,
		`{"sandbox_provider": "box", "language": "sh", "host": "::1"}`,
		`{"sandbox_provider": "box", "language": "sh", "host": "0.0.0.0", "allow_unsafe_host": true}`,
		`{"sandbox_provider": "box", "language": "awk", "file": "main.awk", "command": "awk -f main.awk"}`,
	} {
		if _, err := Build(instance(t, settings), nil, nil); err != nil {
			t.Errorf("%s: %v", settings, err)
		}
	}
}

func TestExtract(t *testing.T) {
	tests := map[string]struct{ text, program string }{
		"one":           {"a\n```python\nx\ny\n```\nb", "x\ny\n"},
		"last marked":   {"```python\n1\n```\n```python\n2\n```\n", "2\n"},
		"marked wins":   {"```python\n1\n```\n```\n2\n```\n", "1\n"},
		"unmarked":      {"```\n1\n```\n", "1\n"},
		"other":         {"```json\n1\n```\n", "none"},
		"cut short":     {"```python\n1\n```\n```python\n2\n", "1\n"},
		"only cut":      {"```python\n2\n", "none"},
		"tildes":        {"~~~ py\n`a`\n~~~\n", "`a`\n"},
		"longer":        {"````python\n```\n1\n```\n````\n", "```\n1\n```\n"},
		"inline":        {"use ```python``` here\n", "none"},
		"indented":      {"1. so:\n   ```Python title=x\n   1\n   ```\n", "1\n"},
		"indented code": {"  ```python\n  if x:\n    y\n z\n  ```\n", "if x:\n  y\nz\n"},
		"crlf":          {"```python\r\n1\r\n```\r\n", "1\r\n"},
		"empty":         {"", "none"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, ok := extract(test.text, languages["python"].tags)
			if !ok {
				got = "none"
			}
			if got != test.program {
				t.Errorf("got %q, want %q", got, test.program)
			}
		})
	}
}

func FuzzExtract(f *testing.F) {
	f.Add("```python\n1\n```\n")
	f.Add("~~~~\n```\n~~~~")
	f.Fuzz(func(t *testing.T, text string) {
		program, ok := extract(text, languages["python"].tags)
		for line := range strings.Lines(program) {
			if !ok || !strings.Contains(text, line) {
				t.Errorf("%q is not in %q", line, text)
			}
		}
	})
}
