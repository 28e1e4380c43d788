package otlp

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
)

func TestBuilder(t *testing.T) {
	body := join(full(), full()) // so that resources and scopes stand twice
	var b Builder
	if err := WalkTraces(body, func(r *Resource, sc *Scope, s *Span) error {
		if s.SpanID[7] == 2 {
			b.Add(r, sc, s)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	got := b.AppendTo([]byte("before"))
	rebuilt, ok := bytes.CutPrefix(got, []byte("before"))
	if !ok || b.Len() != 8 {
		t.Fatalf("%d spans, want 8; prefix kept: %t", b.Len(), ok)
	}
	ours, err := pdataSpans(rebuilt)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pdataSpans(full())
	if err != nil {
		t.Fatal(err)
	}
	var want []string // the second of two spans in each group, from both copies
	for i := 1; i < len(all); i += 2 {
		want = append(want, all[i], all[i])
	}
	if diff := cmp.Diff(want, ours); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if resources := parts(string(rebuilt), 1); len(resources) != 2 {
		t.Errorf("%d resources, want 2", len(resources))
	}
	b.Reset()
	if b.Len() != 0 || len(b.AppendTo(nil)) != 0 {
		t.Error("spans are left after Reset")
	}
}

// TestBuilderIdentity holds that groups are told apart by all that makes them differ.
func TestBuilderIdentity(t *testing.T) {
	group := func(resource, schema, scope, scopeSchema string) []byte {
		return pb(1, join(pb(1, pb(1, pb(1, resource))), pb(2, join(pb(1, pb(1, scope)), pb(2, ""), pb(3, scopeSchema))), pb(3, schema)))
	}
	body := join(group("r", "", "s", ""), group("r2", "", "s", ""), group("r", "u", "s", ""), group("r", "", "s2", ""), group("r", "", "s", "u"))
	rebuilt, n, err := AppendSpans(nil, body, func(*Resource, *Scope, *Span) bool { return true })
	if err != nil || n != 5 {
		t.Fatalf("%d spans, error %v", n, err)
	}
	resources, scopes := parts(string(rebuilt), 1), 0
	for _, r := range resources {
		scopes += len(parts(r, 2))
	}
	if len(resources) != 3 || scopes != 5 {
		t.Errorf("%d resources and %d scopes, want 3 and 5", len(resources), scopes)
	}
	checkRebuilt(t, body, must(ourSpans(body, WalkTraces)))
}

// TestBuilderMixed gives a scope with another resource than it came with.
func TestBuilderMixed(t *testing.T) {
	var b Builder
	var scope *Scope
	if err := WalkTraces(full(), func(r *Resource, sc *Scope, s *Span) error {
		if scope == nil {
			scope = sc
		}
		b.Add(r, scope, s)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	if err := WalkTraces(b.AppendTo(nil), func(r *Resource, sc *Scope, _ *Span) error {
		service, _ := r.Attr("service.name")
		counts[service.Str()+" "+sc.Name]++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"driver lens": 4, "agent lens": 4}, counts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// parts are the fields of a message that have the number.
func parts(msg string, num uint64) (out []string) {
	for pos := 0; pos < len(msg); {
		f := next(msg, pos)
		pos = f.end
		if f.num() == num {
			out = append(out, f.in(msg))
		}
	}
	return out
}

// TestBuilderKeepsBytes holds that a span comes out as it came in, with what OTLP does not know.
func TestBuilderKeepsBytes(t *testing.T) {
	span := join(pb(5, "a"), pb(100, "new"), pb(5, "b"), group(101, vi(1, 1)))
	resource := join(pb(1, pb(1, "k")), pb(200, "new"))
	body := pb(1, join(pb(1, resource), pb(2, pb(2, span))))
	rebuilt, _, err := AppendSpans(nil, body, func(*Resource, *Scope, *Span) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(rebuilt, body) {
		t.Errorf("%q, want %q", rebuilt, body)
	}
}

func TestAppendSpansRefuses(t *testing.T) {
	dst := []byte("before")
	got, n, err := AppendSpans(dst, spanOf(pb(1, "short")), func(*Resource, *Scope, *Span) bool { return true })
	if err == nil || n != 0 || !bytes.Equal(got, dst) {
		t.Errorf("%q, %d spans, error %v", got, n, err)
	}
}

// TestBuilderLarge holds that lengths of more than a byte are right.
func TestBuilderLarge(t *testing.T) {
	long := spanOf(pb(5, strings.Repeat("n", 300)), protowire.AppendTag(nil, 100, protowire.StartGroupType), protowire.AppendTag(nil, 100, protowire.EndGroupType))
	body := join(slices.Repeat(long, 1000))
	checkRebuilt(t, body, must(ourSpans(body, WalkTraces)))
}
