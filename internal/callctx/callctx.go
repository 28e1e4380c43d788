// Package callctx is what lenshttp and lensgrpc ask the context of a call, whichever protocol that speaks.
package callctx

import (
	"context"
	"errors"
	"reflect"

	"github.com/lensgo/lens/semconv"
)

// Canceled gives the value of lens.canceled: why the caller did not wait for the end, and "" while it waits.
func Canceled(ctx context.Context) string {
	switch err := ctx.Err(); {
	case err == nil:
		return ""
	case errors.Is(err, context.DeadlineExceeded):
		return semconv.CanceledByDeadline
	default:
		return semconv.CanceledByCaller
	}
}

// Same compares contexts. Only pointers and Background are compared: == may panic on other types, and taking a context for
// another one costs no more than handing on a copy of what has it.
func Same(a, b context.Context) bool {
	if reflect.TypeOf(a).Kind() == reflect.Pointer {
		return a == b
	}
	return a == context.Background() && b == context.Background()
}
