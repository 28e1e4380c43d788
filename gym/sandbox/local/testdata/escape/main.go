// Command escape tries to get out of a sandbox. Its first argument says how; what it finds goes to standard output.
package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	tries := map[string]func(args []string){
		"read": read, "list": list, "dial": dial, "bomb": bomb, "fill": fill, "stay": stay, "eat": eat, "shout": shout,
		"environ": environ, "rights": rights, "signal": signal, "touch": touch,
	}
	tries[os.Args[1]](os.Args[2:])
}

// read prints files.
func read(paths []string) {
	for _, path := range paths {
		b, err := os.ReadFile(path)
		fmt.Printf("%s: %q %v\n", path, b, err)
	}
}

// list prints what is in folders.
func list(paths []string) {
	for _, path := range paths {
		entries, err := os.ReadDir(path)
		fmt.Printf("%s: %v %v\n", path, entries, err)
	}
}

// touch writes files.
func touch(paths []string) {
	for _, path := range paths {
		fmt.Println(path, os.WriteFile(path, []byte("was here"), 0o644))
	}
}

// dial connects.
func dial(addresses []string) {
	for _, address := range addresses {
		network, where, _ := strings.Cut(address, ",")
		conn, err := net.DialTimeout(network, where, 5*time.Second)
		if err == nil {
			fmt.Println("CONNECTED", address)
			conn.Close()
			continue
		}
		fmt.Println("no way to", address, err)
	}
}

// bomb starts processes until it cannot.
func bomb([]string) {
	started := 0
	for ; started < 5000; started++ {
		cmd := exec.Command("/bin/sleep", "1000")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			break
		}
	}
	fmt.Println("started", started)
}

// fill writes files until it cannot.
func fill(args []string) {
	var total int64
	block := make([]byte, 1<<20)
	for i := range 4096 {
		f, err := os.Create(fmt.Sprintf("%s/fill-%d", args[0], i))
		if err != nil {
			break
		}
		for range 64 {
			n, err := f.Write(block)
			total += int64(n)
			if err != nil {
				fmt.Println("wrote", total)
				return
			}
		}
		f.Close()
	}
	fmt.Println("wrote", total)
}

// stay leaves a process of another session behind, which writes a file again and again and holds standard output.
func stay(args []string) {
	cmd := exec.Command("/bin/sh", "-c", "trap '' TERM HUP INT; while :; do echo alive >> "+args[0]+"; sleep 0.05; done")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stdout = os.Stdout
	if err := cmd.Start(); err != nil {
		fmt.Println(err)
	}
	fmt.Println("left behind", cmd.Process.Pid)
}

// eat takes memory until it dies.
func eat([]string) {
	var kept [][]byte
	for i := range 1 << 16 {
		b := make([]byte, 1<<20)
		for j := 0; j < len(b); j += 4096 {
			b[j] = 1
		}
		kept = append(kept, b)
		if i%16 == 0 {
			fmt.Println("MiB", len(kept))
		}
	}
}

// shout writes as much as it is told.
func shout([]string) { _, _ = io.CopyN(os.Stdout, zeros{}, 256<<20) }

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

// environ prints its own environment and that of every process that it sees.
func environ([]string) {
	fmt.Println(os.Environ())
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		b, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err == nil {
			fmt.Printf("%s: %q\n", e.Name(), b)
		}
		if b, err := os.ReadFile("/proc/" + e.Name() + "/cmdline"); err == nil && len(b) > 0 {
			fmt.Printf("process %s: %q\n", e.Name(), b)
		}
	}
}

// rights tries what needs some.
func rights([]string) {
	try := func(what string, err error) { fmt.Printf("%s: %v\n", what, err) }
	try("mount", syscall.Mount("none", "/tmp", "tmpfs", 0, ""))
	try("unmount", syscall.Unmount("/usr", syscall.MNT_DETACH))
	try("remount", syscall.Mount("", "/usr", "", syscall.MS_REMOUNT|syscall.MS_BIND, ""))
	try("chroot", syscall.Chroot("/tmp"))
	try("hostname", syscall.Sethostname([]byte("mine")))
	try("user", syscall.Setuid(0))
	cmd := exec.Command("/bin/true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS}
	try("namespaces", cmd.Run())
	_, _, e := syscall.Syscall(syscall.SYS_PTRACE, 16, 1, 0) // PTRACE_ATTACH
	try("trace", e)
	f, err := os.Open("/proc/1/mem")
	if err == nil {
		f.Close()
	}
	try("memory", err)
}

// signal kills everything that it can see but itself.
func signal([]string) {
	fmt.Println("first", syscall.Kill(1, syscall.SIGKILL))
	fmt.Println("first", syscall.Kill(1, syscall.SIGTERM))
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err == nil && pid != 1 && pid != os.Getpid() && syscall.Kill(pid, syscall.SIGKILL) == nil {
			fmt.Println("KILLED", pid)
		}
	}
}
