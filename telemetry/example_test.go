//go:build !lens_off

package telemetry_test

import (
	"context"
	"fmt"
	"time"

	"github.com/lensgo/lens/telemetry"
)

// A program sets telemetry up once and shuts it down with a budget. Nothing is set here, so it stays off.
func Example() {
	c, err := telemetry.FromEnv("MY_APP_OTEL", "NEMO_LENS")
	if err != nil {
		fmt.Println(err) // says which variable; c is off, and can be used
	}
	h, err := telemetry.Setup(context.Background(), c)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := h.Shutdown(ctx); err != nil {
			fmt.Println(err)
		}
	}()

	fmt.Println("exporting:", h.Exporting())
	// Output: exporting: false
}
