package ingest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func TestListen_busy(t *testing.T) {
	first, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	addr := first.Addr().String()
	_, err = Listen(addr)
	if !errors.Is(err, syscall.EADDRINUSE) || !strings.Contains(err.Error(), addr) {
		t.Fatalf("error %v, want one of a busy %s", err, addr)
	}
	if runtime.GOOS == "linux" && !strings.HasSuffix(err.Error(), ": the port is taken by this process") {
		t.Errorf("error %v does not say by whom", err)
	}
}

func TestListen_other_errors(t *testing.T) {
	for _, addr := range []string{"127.0.0.1", "127.0.0.1:notaport", "192.0.2.1:4318"} {
		if ln, err := Listen(addr); err == nil || errors.Is(err, syscall.EADDRINUSE) || !strings.Contains(err.Error(), addr) {
			t.Errorf("%s: listener %v, error %v; want one that names the address", addr, ln, err)
		}
	}
}

// fakeProc is a process file system with one process that has one socket, and tables of these lines.
func fakeProc(t *testing.T, pid int, inode string, tcp, tcp6 []string) string {
	t.Helper()
	proc := t.TempDir()
	fd := filepath.Join(proc, fmt.Sprint(pid), "fd")
	table := filepath.Join(proc, "net")
	for _, dir := range []string{fd, table} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	header := "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
	for path, text := range map[string]string{
		filepath.Join(table, "tcp"):                   header + strings.Join(tcp, "\n"),
		filepath.Join(table, "tcp6"):                  header + strings.Join(tcp6, "\n"),
		filepath.Join(proc, fmt.Sprint(pid), "comm"):  "otelcol\n",
		filepath.Join(proc, fmt.Sprint(pid), "other"): "",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("socket:["+inode+"]", filepath.Join(fd, "7")); err != nil {
		t.Skip("needs symbolic links")
	}
	return proc
}

func line(addr, state, inode string) string {
	return fmt.Sprintf("   0: %s 00000000:0000 %s 00000000:00000000 00:00000000 00000000  4321        0 %s 1 0000000000000000 100 0 0 10 0", addr, state, inode)
}

func TestOwner(t *testing.T) {
	const port = ":10DE" // 4318
	loopback, anywhere, other := "0100007F"+port, "00000000"+port, "0200007F"+port
	loopback6, anywhere6 := "00000000000000000000000001000000"+port, strings.Repeat("0", 32)+port
	mapped := "0000000000000000FFFF00000100007F" + port
	found, unknown := " by process 77 (otelcol)", " by a process of user 4321; "
	for _, tt := range []struct {
		name, addr string
		tcp, tcp6  []string
		want       string
	}{
		{"the same address", "127.0.0.1:4318", []string{line(loopback, "0A", "5")}, nil, found},
		{"any address", "127.0.0.1:4318", []string{line(anywhere, "0A", "5")}, nil, found},
		{"any address of both kinds", "127.0.0.1:4318", nil, []string{line(anywhere6, "0A", "5")}, found},
		{"IPv6", "[::1]:4318", nil, []string{line(loopback6, "0A", "5")}, found},
		{"a mapped address", "127.0.0.1:4318", nil, []string{line(mapped, "0A", "5")}, found},
		{"we want any", ":4318", []string{line(loopback, "0A", "5")}, nil, found},
		{"a connection to the port", "127.0.0.1:4318", []string{line(loopback, "01", "5")}, nil, "; "},
		{"another address", "127.0.0.1:4318", []string{line(other, "0A", "5")}, nil, "; "},
		{"another port", "127.0.0.1:4319", []string{line(loopback, "0A", "5")}, nil, "; "},
		{"a process of somebody else", "127.0.0.1:4318", []string{line(loopback, "0A", "6")}, nil, unknown},
		{"not a table", "127.0.0.1:4318", []string{"0: x y z", "", line("zz"+port, "0A", "5"), line("0100007F", "0A", "5")}, nil, "; "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ownerOf(fakeProc(t, 77, "5", tt.tcp, tt.tcp6), tt.addr)
			if !strings.HasPrefix(got, tt.want) || (tt.want == found) != (got == found) {
				t.Errorf("%q, want %q", got, tt.want)
			}
			if tt.want != found && !strings.Contains(got, tt.addr[strings.LastIndexByte(tt.addr, ':'):]) {
				t.Errorf("%q does not say how to find out", got)
			}
		})
	}
	if got := ownerOf(filepath.Join(t.TempDir(), "none"), "127.0.0.1:4318"); !strings.HasPrefix(got, "; `") {
		t.Errorf("without a process file system: %q", got)
	}
}

// Processes end while they are looked at.
func TestOwner_left_meanwhile(t *testing.T) {
	proc := fakeProc(t, 77, "5", []string{line("0100007F:10DE", "0A", "5")}, nil)
	if err := os.Remove(filepath.Join(proc, "77", "comm")); err != nil {
		t.Fatal(err)
	}
	if got := ownerOf(proc, "127.0.0.1:4318"); got != " by process 77" {
		t.Errorf("%q, want the number", got)
	}
}
