package main

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain is also the processes that the tests start: a Collector, and programs that send to it.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch role := os.Args[1]; role {
		case "collector":
			os.Args = append(os.Args[:1], os.Args[2:]...)
			main()
			return
		case "everything", "waves":
			os.Exit(send(role))
		}
	}
	goleak.VerifyTestMain(m)
}
