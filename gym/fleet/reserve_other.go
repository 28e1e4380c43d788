//go:build !linux

package fleet

import (
	"net"
	"strconv"

	"github.com/lensgo/lens/gym/config"
)

// reservation of a port cannot be held on this system.
type reservation struct{}

func (*reservation) release() {}

// reserve picks a port for an instance that binds it by itself. It could be lost to somebody else until then.
func reserve(in *config.Instance) (reservation, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(in.Host, strconv.Itoa(in.Port)))
	if err != nil {
		return reservation{}, err
	}
	in.Port = l.Addr().(*net.TCPAddr).Port
	return reservation{}, l.Close()
}
