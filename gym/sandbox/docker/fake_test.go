package docker

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// envFake makes this binary a docker command whose engine is the folder that it names: a container is a folder in it, and
// its commands run there.
const envFake = "GYM_FAKE_DOCKER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(envFake); dir != "" && len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		os.Exit(fake{dir}.run(os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

type fake struct{ dir string }

// calls are the arguments of all calls of a fake, in order.
func (f fake) calls(t *testing.T) (calls [][]string) {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(f.dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(log)) {
		var args []string
		if err := json.Unmarshal([]byte(line), &args); err != nil {
			t.Fatal(err)
		}
		calls = append(calls, args)
	}
	return calls
}

// containers are the names of those that there are.
func (f fake) containers() (names []string) {
	found, _ := filepath.Glob(filepath.Join(f.dir, "nemo-gym-*"))
	for _, path := range found {
		names = append(names, filepath.Base(path))
	}
	return names
}

func (f fake) log(args []string) {
	line, _ := json.Marshal(args)
	log, err := os.OpenFile(filepath.Join(f.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, _ = log.Write(append(line, '\n'))
		log.Close()
	}
}

func (f fake) run(args []string) int {
	f.log(args)
	fail := func(format string, a ...any) int {
		fmt.Fprintf(os.Stderr, format+"\n", a...)
		return 1
	}
	if text, err := os.ReadFile(filepath.Join(f.dir, "fail-"+args[0])); err == nil {
		return fail("%s %s", text, strings.Join(args, " "))
	}
	if once, _ := filepath.Glob(filepath.Join(f.dir, "once-"+args[0]+"-*")); len(once) > 0 {
		text, _ := os.ReadFile(once[0])
		_ = os.Remove(once[0])
		return fail("%s", text)
	}
	valued := map[string]bool{"--name": true, "--label": true, "-w": true, "--env": true, "--cpus": true, "--memory": true,
		"--memory-swap": true, "--gpus": true, "--publish": true, "--entrypoint": true, "--network": true, "--user": true,
		"-f": args[0] == "inspect"}
	flags := map[string]string{}
	var rest, env []string
	for i := 1; i < len(args); i++ {
		switch arg := args[i]; {
		case len(rest) > 0 || !strings.HasPrefix(arg, "-"):
			rest = append(rest, arg)
		case arg == "--env":
			i++
			env = append(env, args[i])
		case valued[arg]:
			i++
			flags[arg] = args[i]
		default:
			flags[arg] = "set"
		}
	}
	box := func(name string) (string, bool) {
		path := filepath.Join(f.dir, name)
		_, err := os.Stat(path)
		return path, err == nil
	}
	switch args[0] {
	case "run":
		path, _ := box(flags["--name"])
		_ = os.MkdirAll(filepath.Join(path, flags["-w"]), 0o700)
		fmt.Println("0123456789abcdef0123456789abcdef")
		return 0
	case "rm":
		path, ok := box(rest[0])
		if !ok {
			return fail("Error response from daemon: No such container: %s", rest[0])
		}
		_ = os.RemoveAll(path)
		return 0
	case "cp":
		return f.copy(rest)
	}
	path, ok := box(rest[0])
	if !ok {
		return fail("Error response from daemon: No such container: %s", rest[0])
	}
	switch args[0] {
	case "inspect":
		fmt.Println("running")
		return 0
	case "port":
		fmt.Println("127.0.0.1:49153")
		return 0
	}
	cmd := exec.Command("/bin/"+strings.TrimPrefix(rest[1], "/bin/"), rest[2:]...)
	if rest[1] == "mkdir" {
		cmd.Args[2] = filepath.Join(path, rest[3])
	}
	cmd.Dir = filepath.Join(path, flags["-w"])
	cmd.Env = append([]string{"PATH=/usr/bin:/bin"}, env...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if flags["-i"] != "" {
		cmd.Stdin = os.Stdin
	}
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		return fail("%v", err)
	}
	return cmd.ProcessState.ExitCode()
}

// copy is docker cp.
func (f fake) copy(paths []string) int {
	for i, path := range paths {
		if name, inside, ok := strings.Cut(path, ":"); ok {
			paths[i] = filepath.Join(f.dir, name, inside)
		}
	}
	in, err := os.Open(paths[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer in.Close()
	out, err := os.Create(paths[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer out.Close()
	_, _ = io.Copy(out, in)
	return 0
}
