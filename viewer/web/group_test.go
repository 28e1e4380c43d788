package web_test

import (
	"encoding/json"
	"testing"

	"github.com/lensgo/lens/viewer/web"
)

// How much a run takes on disk is known while nothing else is stored: chunks hold what came at a time, whoever sent it.
func TestGroups_stored_bytes(t *testing.T) {
	b := newBench(t, web.Options{})
	stored := func() *int64 {
		t.Helper()
		var g struct {
			Stored *int64 `json:"stored_bytes"`
		}
		if err := json.Unmarshal(b.get("/api/v1/groups?run="+runID).Body.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		return g.Stored
	}
	b.add(rollout(1, 0, 0, 1, "").td)
	if alone := stored(); alone == nil || *alone <= 0 {
		t.Errorf("alone it takes %v", alone)
	}
	b.add(plainTrace())
	if shared := stored(); shared != nil {
		t.Errorf("beside others it takes %d", *shared)
	}
}
