//go:build unix

package fleet

import (
	"sync"
	"syscall"
)

// descriptors raises the soft limit of open files to the hard one, once, and says what it is. Go's runtime has done so, but gives the
// programs that it starts the limit from before; they inherit one that was set here.
var descriptors = sync.OnceValue(func() int {
	var r syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r); err != nil {
		return unlimited
	}
	raised := syscall.Rlimit{Cur: r.Max, Max: r.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &raised); err == nil {
		r = raised
	}
	return int(min(r.Cur, unlimited))
})
