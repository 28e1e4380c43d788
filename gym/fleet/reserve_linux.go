package fleet

import (
	"net"
	"os"
	"syscall"

	"github.com/lensgo/lens/gym/config"
)

// reservation holds a port for a program that binds it by itself.
type reservation struct{ fd int }

func (r *reservation) release() {
	if r.fd >= 0 {
		syscall.Close(r.fd)
		r.fd = -1
	}
}

// reserve picks a port for an instance, and holds it with a socket that is bound and does not listen: the system gives such
// a port to nobody who asks for any, and a server that binds it by number, with SO_REUSEADDR as they all do, gets it.
func reserve(in *config.Instance) (reservation, error) {
	none := reservation{fd: -1}
	addr, err := net.ResolveTCPAddr("tcp", net.JoinHostPort(in.Host, "0"))
	if err != nil {
		return none, err
	}
	addr.Port = in.Port
	family := syscall.AF_INET6
	if addr.IP.To4() != nil {
		family = syscall.AF_INET
	}
	fd, err := syscall.Socket(family, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return none, os.NewSyscallError("socket", err)
	}
	r := reservation{fd: fd}
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		r.release()
		return none, os.NewSyscallError("setsockopt", err)
	}
	if err := syscall.Bind(fd, sockaddr(addr)); err != nil {
		r.release()
		return none, os.NewSyscallError("bind", err)
	}
	bound, err := syscall.Getsockname(fd)
	if err != nil {
		r.release()
		return none, os.NewSyscallError("getsockname", err)
	}
	switch b := bound.(type) {
	case *syscall.SockaddrInet4:
		in.Port = b.Port
	case *syscall.SockaddrInet6:
		in.Port = b.Port
	}
	return r, nil
}

func sockaddr(addr *net.TCPAddr) syscall.Sockaddr {
	if v4 := addr.IP.To4(); v4 != nil {
		return &syscall.SockaddrInet4{Port: addr.Port, Addr: [4]byte(v4)}
	}
	s := &syscall.SockaddrInet6{Port: addr.Port}
	copy(s.Addr[:], addr.IP.To16())
	return s
}
