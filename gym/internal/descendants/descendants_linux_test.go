package descendants

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// role makes this test binary one of the processes of a test.
const role = "DESCENDANTS_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "watcher":
		beWatcher()
	case "starter":
		beStarter()
	case "sleeper":
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
		fmt.Println(os.Getpid()) // it does not hear them from here on
		time.Sleep(time.Hour)    // an empty select would be a deadlock to Go where there is no cgo, and the end
	}
	os.Exit(m.Run())
}

// as is this binary in a role, in a session of its own.
func as(name string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), role+"="+name)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// beStarter leaves two sleepers behind, says which, and ends.
func beStarter() {
	for range 2 {
		cmd := as("sleeper")
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			panic(err)
		}
		line, _ := bufio.NewReader(out).ReadString('\n')
		fmt.Print(line)
	}
	os.Exit(0)
}

// beWatcher has one child that sleeps and two sleepers of a child that has ended. It says which processes there are and which of
// them it finds, and then ends them.
func beWatcher() {
	if err := Adopt(); err != nil {
		panic(err)
	}
	left, err := as("starter").Output()
	if err != nil {
		panic(err)
	}
	own := as("sleeper")
	out, err := own.StdoutPipe()
	if err == nil {
		err = own.Start()
	}
	if err != nil {
		panic(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	fmt.Println(strings.Fields(string(left) + line))
	fmt.Println(of(os.Getpid()))
	End()
	fmt.Println(of(os.Getpid()))
	os.Exit(0)
}

func TestEnd(t *testing.T) {
	cmd := as("watcher")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if len(lines) != 3 {
		t.Fatalf("it said %q", out)
	}
	started, found, left := pids(t, lines[0]), pids(t, lines[1]), pids(t, lines[2])
	if len(started) != 3 || !slices.Equal(started, found) || len(left) != 0 {
		t.Errorf("of %v it found %v, and left %v", started, found, left)
	}
	for _, pid := range started {
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d is still there: %v", pid, err)
		}
	}
}

// pids reads "[1 2]", and sorts.
func pids(t *testing.T, line []byte) (all []int) {
	t.Helper()
	for field := range strings.FieldsSeq(strings.Trim(string(line), "[]")) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, pid)
	}
	slices.Sort(all)
	return all
}
