//go:build unix

package main_test

import (
	"fmt"
	"os"
	"os/signal"
	"strings"

	"golang.org/x/sys/unix"
)

// beSignalled prints the signals that come, until SIGTERM.
func beSignalled() (code int) {
	signals := make(chan os.Signal, 16)
	hangup := signal.Ignored(unix.SIGHUP)
	for _, s := range []os.Signal{unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGHUP} {
		if s != unix.SIGHUP || !hangup {
			signal.Notify(signals, s)
		}
	}
	fmt.Printf("ready %d ignores-hangup=%t\n", os.Getpid(), hangup)
	var got []string
	for s := range signals {
		name := unix.SignalName(s.(unix.Signal))
		got = append(got, name)
		fmt.Println("got", name)
		if s == unix.SIGTERM {
			break
		}
	}
	fmt.Println("all", strings.Join(got, "+"))
	return 5
}
