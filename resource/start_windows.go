package resource

import (
	"os"
	"syscall"
	"time"
)

func processStart() (time.Time, error) {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return time.Time{}, os.NewSyscallError("GetCurrentProcess", err)
	}
	var created, exited, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(self, &created, &exited, &kernel, &user); err != nil {
		return time.Time{}, os.NewSyscallError("GetProcessTimes", err)
	}
	return time.Unix(0, created.Nanoseconds()), nil
}
