package fleet_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/fleet"
	"github.com/lensgo/lens/semconv"
)

// Every line says which server wrote it, and what it was working for, once.
func TestLogger(t *testing.T) {
	ref, err := lens.ParseRef("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := lens.WithBaggage(lens.WithParent(context.Background(), ref), semconv.GymRolloutID, "3-1")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	log := fleet.Logger(&b, "counter")
	log.InfoContext(ctx, "one", "n", 1)
	log.Info("two", "server", "other")
	log.With("rollout", "9-9").InfoContext(ctx, "three")
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	for i, want := range []string{
		"msg=one n=1 server=counter rollout=3-1 trace_id=0af7651916cd43dd8448eb211c80319c",
		"msg=two server=other",
		"msg=three rollout=9-9 server=counter trace_id=0af7651916cd43dd8448eb211c80319c",
	} {
		if !strings.HasSuffix(lines[i], want) {
			t.Errorf("line %q, want it to end with %q", lines[i], want)
		}
	}
}
