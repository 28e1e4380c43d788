package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/viewer/web"
)

// randomTrees is how many traces the page's own test reads.
const randomTrees = 80

// randomTree makes a trace in which times often meet: children that overlap, overrun their parent, begin before it, take no time,
// or have not ended.
func randomTree(rng *rand.Rand, n int) *trace {
	tr := newTrace(n)
	services := []who{driver, agent, policy, resources}
	kinds := []ptrace.SpanKind{ptrace.SpanKindInternal, ptrace.SpanKindClient, ptrace.SpanKindServer}
	rootEnd := float64(100)
	if n%8 == 7 {
		rootEnd = -1
	}
	parents := []pcommon.SpanID{tr.span(driver, "", "root", ptrace.SpanKindInternal, pcommon.SpanID{}, 0, rootEnd, nil).SpanID()}
	for range rng.IntN(24) {
		from := float64(rng.IntN(110) - 5)
		to := from + float64(rng.IntN(40))
		if rng.IntN(12) == 0 {
			to = -1
		}
		parent := parents[rng.IntN(len(parents))]
		parents = append(parents, tr.span(services[rng.IntN(4)], "", "span", kinds[rng.IntN(3)], parent, max(from, 0), to, nil).SpanID())
	}
	return tr
}

// The page follows the critical path of what runs, and of any row that is made the root, and finds calls by itself. Its own test
// reads what the server says about these traces and comes to the same.
func TestRandomTrees(t *testing.T) {
	b := newBench(t, web.Options{})
	rng := rand.New(rand.NewPCG(1, 2))
	var out bytes.Buffer
	for n := range randomTrees {
		tr := randomTree(rng, n)
		b.add(tr.td)
		base := "/api/v1/traces/" + tr.id.String()
		var head struct{ Root struct{ Row int } }
		var spans struct {
			ID   []string
			Path []int64 `json:"path_ns"`
		}
		page := b.get(base + "/spans").Body.Bytes()
		for body, into := range map[string]any{b.get(base).Body.String(): &head, string(page): &spans} {
			if err := json.Unmarshal([]byte(body), into); err != nil {
				t.Fatal(err)
			}
		}
		pairs := make([]int, len(spans.ID))
		for i, id := range spans.ID {
			var span struct{ Pair *struct{ Span string } }
			if err := json.Unmarshal(b.get(base+"/spans/"+id).Body.Bytes(), &span); err != nil {
				t.Fatal(err)
			}
			if pairs[i] = -1; span.Pair != nil {
				pairs[i] = slices.Index(spans.ID, span.Pair.Span)
			}
		}
		known, _ := json.Marshal(pairs)
		fmt.Fprintf(&out, `{"root":%d,"pairs":%s,"spans":%s}`+"\n", head.Root.Row, known, bytes.TrimSpace(page))
	}
	checkGolden(t, filepath.Join("testdata", "random-trees.jsonl"), out.Bytes())
}
