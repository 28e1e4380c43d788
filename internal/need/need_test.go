package need_test

import (
	"errors"
	"testing"

	"github.com/lensgo/lens/internal/need"
)

// test notes how it ends.
type test struct {
	testing.TB
	end string
}

func (*test) Helper()        {}
func (t *test) Fatal(...any) { t.end = "failed" }
func (t *test) Skip(...any)  { t.end = "skipped" }

func TestNoError(t *testing.T) {
	missing := errors.New("there is no such thing here")
	for _, c := range []struct {
		ci   string
		err  error
		want string
	}{{"", nil, ""}, {"true", nil, ""}, {"", missing, "skipped"}, {"false", missing, "skipped"}, {"true", missing, "failed"}} {
		t.Setenv("CI", c.ci)
		got := &test{}
		if need.NoError(got, c.err); got.end != c.want {
			t.Errorf("CI=%s and %v: %q, want %q", c.ci, c.err, got.end, c.want)
		}
	}
}
