//go:build linux || darwin

package spool_test

import (
	"bufio"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/lensgo/lens/telemetry/internal/spool"
)

func init() { children["kill"], children["full"] = fillUntilKilled, fillUntilFull }

func start(t *testing.T, name, root string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "SPOOL_TEST_CHILD="+name, "SPOOL_TEST_ROOT="+root)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// fillUntilKilled says what it has appended. Five of it are sent, and the sixth may be.
func fillUntilKilled(root string) {
	s := must(spool.Open(root, destination, spool.Options{}))
	for i := 0; ; i++ {
		must(s.Append(1, fmt.Appendf(nil, "body %d", i), false))
		if i == 40 {
			for range 5 {
				s.Oldest().Done()
			}
			s.Oldest().Try()
		}
		fmt.Println(i)
	}
}

// A process that is killed loses nothing that it had appended, and nobody takes it before.
func TestSpool_after_SIGKILL(t *testing.T) {
	root := newRoot(t)
	cmd, out := start(t, "kill", root)
	for range 50 {
		if !out.Scan() {
			t.Fatalf("the child ended: %v", cmd.Wait())
		}
	}
	early := open(t, root, spool.Options{})
	if !early.Empty() {
		t.Error("a process that lives was robbed")
	}
	closeSpool(t, early)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	last := 49
	for out.Scan() {
		if _, err := fmt.Sscan(out.Text(), &last); err != nil {
			t.Fatal(err)
		}
	}
	_ = cmd.Wait()

	s := open(t, root, spool.Options{})
	first := s.Oldest()
	if string(first.Body) != "body 5" || !first.Tried || !first.TakenOver {
		t.Errorf("the first is %s, tried %t", first.Body, first.Tried)
	}
	first.Done()
	if second := s.Oldest(); second.Tried {
		t.Error("the second was tried")
	}
	got := drain(s)
	want := numbered(6 + len(got))[6:]
	wantBodies(t, got, want...)
	if n := 6 + len(got); n != last+1 && n != last+2 { // it may have had no time to say the last
		t.Errorf("%d records, and it said %d", n, last+1)
	}
	if left := segments(t, root); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// fillUntilFull works with a limit for the size of files, which is to a program what a full disk is.
func fillUntilFull(root string) {
	s := must(spool.Open(root, destination, spool.Options{Log: slog.New(slog.NewTextHandler(os.Stdout, nil))}))
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		panic(err)
	}
	limitTo := func(bytes uint64) {
		full := limit
		full.Cur = bytes
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
			panic(err)
		}
	}
	must(s.Append(1, []byte("body"), false)).Done() // now it has its folder
	for _, least := range []uint64{1, 20} {
		limitTo(least)
		_, err := s.Append(1, []byte("body"), false)
		fmt.Println("nothing", err != nil, s.Empty())
	}
	limitTo(10_000)
	n := 0
	for ; n < 100; n++ {
		if _, err := s.Append(1, fmt.Appendf(nil, "%3d%s", n, strings.Repeat("x", 3000)), false); err != nil {
			fmt.Println("error", err)
			break // the record is cut off again
		}
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		panic(err)
	}
	paths := must(filepath.Glob(filepath.Join(s.Dir(), "*", "*.seg")))
	fmt.Println("size", must(os.Stat(paths[0])).Size())
	must(s.Append(1, []byte("after"), false))
	fmt.Println("stats", s.Stats().Own.Kept, n)
	for _, body := range drain(s) {
		fmt.Printf("body %.5s\n", body)
	}
}

// Where the disk takes no more, the caller is told, nothing of what is there suffers, and it goes on when there is room.
func TestSpool_full_disk(t *testing.T) {
	cmd, out := start(t, "full", newRoot(t))
	var lines []string
	for out.Scan() {
		lines = append(lines, strings.TrimSpace(out.Text()))
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if len(lines) != 9 || !strings.HasPrefix(lines[2], "error cannot write the spool: ") {
		t.Fatalf("%q", lines)
	}
	lines[2] = "error"
	wantBodies(t, lines, "nothing true true", "nothing true true", "error", fmt.Sprint("size ", 8+3*(16+3003)), "stats 5 3", "body   0xx", "body   1xx", "body   2xx", "body after")
}
