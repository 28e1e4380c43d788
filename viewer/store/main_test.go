package store_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(victimDir) != "" {
		os.Exit(victim())
	}
	goleak.VerifyTestMain(m)
}
