package main

import (
	"os"
	"os/signal"
	"syscall"
)

// interrupts hands the user's signals to a run, which knows how to stop in two steps.
func interrupts() (signals <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 2)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	return c, func() { signal.Stop(c) }
}
