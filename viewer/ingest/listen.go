package ingest

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Listen listens on a TCP address such as "127.0.0.1:4318". When the port is taken the error says by which process, where
// the system tells, or how to find out; it wraps [syscall.EADDRINUSE].
func Listen(addr string) (net.Listener, error) {
	ln, err := net.Listen("tcp", addr)
	if err == nil {
		return ln, nil
	}
	if !isBusy(err) {
		return nil, fmt.Errorf("cannot listen on %s: %w", addr, err)
	}
	return nil, &busyError{addr, ownerOf("/proc", addr), err}
}

// isBusy tells whether an address is in use. Windows has a number of its own for that.
func isBusy(err error) bool {
	const wsaAddrInUse = syscall.Errno(10048)
	return errors.Is(err, syscall.EADDRINUSE) || runtime.GOOS == "windows" && errors.Is(err, wsaAddrInUse)
}

type busyError struct {
	addr, owner string
	err         error
}

func (e *busyError) Error() string {
	return fmt.Sprintf("cannot listen on %s: the port is taken%s", e.addr, e.owner)
}

func (e *busyError) Unwrap() []error { return []error{e.err, syscall.EADDRINUSE} }

// ownerOf says who listens on an address, or how to find out. proc is where the process file system of Linux is.
func ownerOf(proc, addr string) string {
	ap, err := resolve(addr)
	if err != nil {
		return "; " + howToFind(addr)
	}
	sockets := listening(proc, ap)
	for _, s := range sockets {
		if pid, ok := holder(proc, s.inode); ok {
			return " by " + describe(proc, pid)
		}
	}
	if len(sockets) > 0 {
		return fmt.Sprintf(" by a process of user %s; %s", userName(sockets[0].uid), howToFind(addr))
	}
	return "; " + howToFind(addr)
}

func resolve(addr string) (netip.AddrPort, error) {
	a, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return netip.AddrPort{}, err
	}
	return netip.AddrPortFrom(a.AddrPort().Addr().Unmap(), a.AddrPort().Port()), nil
}

// socket is a line of /proc/net/tcp.
type socket struct{ inode, uid string }

// listening returns the sockets that keep an address from being used: those on its port with the same address, or where
// either is any address.
func listening(proc string, addr netip.AddrPort) (out []socket) {
	for _, table := range []string{"tcp", "tcp6"} {
		f, err := os.Open(filepath.Join(proc, "net", table))
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			const listen = "0A"
			fields := strings.Fields(lines.Text())
			if len(fields) < 10 || fields[3] != listen {
				continue
			}
			local, ok := parseHexAddr(fields[1])
			if !ok || local.Port() != addr.Port() {
				continue
			}
			if local.Addr() == addr.Addr() || local.Addr().IsUnspecified() || !addr.Addr().IsValid() || addr.Addr().IsUnspecified() {
				out = append(out, socket{inode: fields[9], uid: fields[7]})
			}
		}
		_ = f.Close() // it was only read
	}
	return out
}

// parseHexAddr reads "0100007F:10DE": words of 32 bits in the order of the machine, which is little-endian on all that
// matter here; on others the owner stays unknown.
func parseHexAddr(s string) (netip.AddrPort, bool) {
	host, port, ok := strings.Cut(s, ":")
	b, err := hex.DecodeString(host)
	if !ok || err != nil || len(b)%4 != 0 {
		return netip.AddrPort{}, false
	}
	for word := range slices.Chunk(b, 4) {
		slices.Reverse(word)
	}
	ip, ok := netip.AddrFromSlice(b)
	n, err := strconv.ParseUint(port, 16, 16)
	return netip.AddrPortFrom(ip.Unmap(), uint16(n)), ok && err == nil
}

// holder returns the process that has a socket open.
func holder(proc, inode string) (pid string, ok bool) {
	links, err := fs.Glob(os.DirFS(proc), "[0-9]*/fd/*")
	if err != nil {
		return "", false
	}
	want := "socket:[" + inode + "]"
	for _, link := range links {
		if to, err := os.Readlink(filepath.Join(proc, link)); err == nil && to == want {
			pid, _, _ = strings.Cut(link, "/")
			return pid, true
		}
	}
	return "", false
}

// describe names a process by its number and its program; arguments may hold what is nobody's business.
func describe(proc, pid string) string {
	if pid == strconv.Itoa(os.Getpid()) {
		return "this process"
	}
	name, err := os.ReadFile(filepath.Join(proc, pid, "comm"))
	if err != nil {
		return "process " + pid
	}
	return fmt.Sprintf("process %s (%s)", pid, strings.TrimSpace(string(name)))
}

func userName(uid string) string {
	if u, err := user.LookupId(uid); err == nil {
		return u.Username
	}
	return uid
}

// howToFind is what a person can do to find out who has a port.
func howToFind(addr string) string {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		port = addr
	}
	switch runtime.GOOS {
	case "linux":
		return fmt.Sprintf("`sudo ss -ltnp 'sport = :%s'` shows by whom", port)
	case "windows":
		return fmt.Sprintf("`netstat -ano | findstr :%s` shows by whom", port)
	}
	return fmt.Sprintf("`sudo lsof -nP -iTCP:%s -sTCP:LISTEN` shows by whom", port)
}
