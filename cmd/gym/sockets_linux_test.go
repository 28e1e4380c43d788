package main_test

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// withoutSockets makes this test binary the program of its arguments, which the system kills where it asks for a socket.
const withoutSockets = "GYM_TEST_WITHOUT_SOCKETS"

func init() {
	if os.Getenv(withoutSockets) == "" {
		return
	}
	if err := forbidSockets(); err != nil {
		panic(err)
	}
	os.Unsetenv(withoutSockets)
	panic(unix.Exec(os.Args[1], os.Args[1:], os.Environ()))
}

// forbidSockets has the system kill the process that this thread becomes at its first call of socket.
func forbidSockets() error {
	const number = 0 // of the call, in what a filter sees
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: number},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_SOCKET, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_KILL_PROCESS},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil { // without it only root may filter
		return err
	}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
}

// A fused run is whole without a single socket; one in processes is not, so that the test would see one.
func TestFused_sockets(t *testing.T) {
	f := newFixture(t)
	for name, c := range map[string]struct {
		more []string
		code int
	}{
		"fused":     {[]string{"--fused"}, 0},
		"processes": {nil, -1}, // killed
	} {
		t.Run(name, func(t *testing.T) {
			cmd := gymCommand(t.Context(), []string{withoutSockets + "=1"}, append([]string{
				gymBinary, "eval", "run", "--config", f.config, "--input", f.input, "--output", f.file(name + ".jsonl"),
			}, c.more...)...)
			cmd.Path, cmd.Args[0] = os.Args[0], os.Args[0]
			out, err := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != c.code {
				t.Fatalf("exit code %d, want %d: %v\n%s", code, c.code, err, out)
			}
			if c.code < 0 {
				if !strings.Contains(err.Error(), "bad system call") {
					t.Errorf("it ended by %v", err)
				}
				return
			}
			if n := len(lines(t, f.file(name+".jsonl"))); n != 20 {
				t.Errorf("%d results, want 20\n%s", n, out)
			}
		})
	}
}
