package otlp

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/protobuf/encoding/protowire"
)

// FuzzWalk reads any bytes with this package and with pdata: both must accept them or both refuse them, and all values must
// be the same, save where pdata strays from protobuf. What was accepted must survive being cloned, put together anew and
// written as JSON; what was not must not break WalkTrusted.
func FuzzWalk(f *testing.F) {
	for _, seed := range seeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body []byte) { checkRequest(t, body) })
}

// checkRequest returns the number of spans, or the error.
func checkRequest(t *testing.T, body []byte) (int, error) {
	t.Helper()
	ours, err := ourSpans(body, WalkTraces)
	theirs, theirErr := pdataSpans(body)
	if err != nil {
		var e *Error
		if !errors.As(err, &e) || theirErr == nil && !straysFromProtobuf(e) {
			t.Fatalf("pdata accepts what is refused: %v", err)
		}
		_, _ = ourSpans(body, WalkTrusted)
		return 0, err
	}
	if theirErr != nil && !request.hasGroup(string(body)) { // pdata refuses nearly all groups
		t.Fatalf("pdata refuses what is accepted: %v", theirErr)
	}
	if theirErr == nil && !slices.Equal(ours, theirs) {
		t.Fatalf("ours:   %q\ntheirs: %q", ours, theirs)
	}
	checkRebuilt(t, body, ours)
	checkClones(t, body)
	checkJSON(t, body)
	return len(ours), nil
}

// straysFromProtobuf tells whether an error is one of those that the package comment says pdata does not make.
func straysFromProtobuf(e *Error) bool {
	return strings.Contains(e.Reason, "malformed") || strings.HasPrefix(e.Reason, "field number") || strings.Contains(e.Reason, "group") ||
		math.MaxInt == math.MaxInt32 && strings.HasSuffix(e.Reason, "bytes are left") // pdata cuts lengths to an int
}

// hasGroup tells whether there is a group in a message.
func (m *message) hasGroup(msg string) bool {
	for pos := 0; pos < len(msg); {
		f := next(msg, pos)
		pos = f.end
		known := m.field(f.num())
		if f.wire() == protowire.StartGroupType || known.msg != nil && known.msg.hasGroup(f.in(msg)) {
			return true
		}
	}
	return false
}

func checkRebuilt(t *testing.T, body []byte, want []string) {
	t.Helper()
	rebuilt, n, err := AppendSpans(nil, body, func(*Resource, *Scope, *Span) bool { return true })
	if err != nil || n != len(want) {
		t.Fatalf("put together anew: %d spans of %d, error %v", n, len(want), err)
	}
	got, err := ourSpans(rebuilt, WalkTraces)
	if err != nil {
		t.Fatalf("cannot read what was put together anew: %v", err)
	}
	slices.Sort(got) // equal resources are now one
	want = slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Fatalf("put together anew: %q\nbefore: %q", got, want)
	}
}

func checkClones(t *testing.T, body []byte) {
	t.Helper()
	body = slices.Clone(body)
	want, err := ourSpans(body, WalkTraces)
	if err != nil {
		t.Fatal(err)
	}
	var clones []func() string
	err = WalkTraces(body, func(r *Resource, sc *Scope, s *Span) error {
		r, sc, s = r.Clone(), sc.Clone(), s.Clone()
		clones = append(clones, func() string { return showSpan(r, sc, s) })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	clear(body)
	for i, show := range clones {
		if got := show(); got != want[i] {
			t.Fatalf("clone: %s\nbefore: %s", got, want[i])
		}
	}
}

func checkJSON(t *testing.T, body []byte) {
	t.Helper()
	err := WalkTraces(body, func(r *Resource, _ *Scope, s *Span) error {
		for _, attrs := range []iter.Seq2[string, Value]{r.Attributes(), s.Attributes()} {
			text := AppendJSONObject(nil, attrs)
			if !json.Valid(text) || !utf8.Valid(text) {
				return fmt.Errorf("no JSON: %q", text)
			}
			for _, v := range attrs {
				if s := v.String(); !utf8.ValidString(s) {
					return fmt.Errorf("no UTF-8: %q", s)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// ourSpans shows every span with all that belongs to it.
func ourSpans(body []byte, walk func([]byte, func(*Resource, *Scope, *Span) error) error) (out []string, err error) {
	err = walk(body, func(r *Resource, sc *Scope, s *Span) error {
		out = append(out, showSpan(r, sc, s))
		return nil
	})
	return out, err
}

func showSpan(r *Resource, sc *Scope, s *Span) string {
	var b strings.Builder
	fmt.Fprintf(&b, "resource %q %d %s scope %q %q %q %d %s ", r.SchemaURL, r.DroppedAttributes, showOurs(r.Attributes()),
		sc.SchemaURL, sc.Name, sc.Version, sc.DroppedAttributes, showOurs(sc.Attributes()))
	fmt.Fprintf(&b, "span %s %s %s %q %d %d %d %d %q %d %q %d %d %d %s", s.TraceID, s.SpanID, s.Parent, s.Name, int32(s.Kind), s.Start,
		s.End, s.Flags, s.State, int32(s.Status), s.Message, s.DroppedAttributes, s.DroppedEvents, s.DroppedLinks, showOurs(s.Attributes()))
	for e := range s.Events() {
		fmt.Fprintf(&b, " event %d %q %d %s", e.Time, e.Name, e.DroppedAttributes, showOurs(e.Attributes()))
	}
	for l := range s.Links() {
		fmt.Fprintf(&b, " link %s %s %d %q %d %s", l.TraceID, l.SpanID, l.Flags, l.State, l.DroppedAttributes, showOurs(l.Attributes()))
	}
	return b.String()
}

func showOurs(attrs iter.Seq2[string, Value]) string {
	var b strings.Builder
	b.WriteByte('{')
	for key, v := range attrs {
		fmt.Fprintf(&b, "%q:%s,", key, showOur(v))
	}
	return b.String() + "}"
}

func showOur(v Value) string {
	switch v.Kind() {
	case ValueStr:
		return fmt.Sprintf("%q", v.Str())
	case ValueInt:
		return fmt.Sprintf("int %d", v.Int())
	case ValueFloat:
		return fmt.Sprintf("float %x", math.Float64bits(v.Float()))
	case ValueBool:
		return fmt.Sprint(v.Bool())
	case ValueBytes:
		return fmt.Sprintf("bytes %x", v.Bytes())
	case ValueMap:
		return showOurs(v.Map())
	case ValueList:
		text := "["
		for item := range v.List() {
			text += showOur(item) + ","
		}
		return text + "]"
	}
	return "empty"
}

func pdataSpans(body []byte) (out []string, err error) {
	req := ptraceotlp.NewExportRequest()
	if err := req.UnmarshalProto(body); err != nil {
		return nil, err
	}
	for _, rs := range req.Traces().ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				out = append(out, showPdata(rs, ss, s))
			}
		}
	}
	return out, nil
}

func showPdata(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, s ptrace.Span) string {
	var b strings.Builder
	r, sc := rs.Resource(), ss.Scope()
	fmt.Fprintf(&b, "resource %q %d %s scope %q %q %q %d %s ", rs.SchemaUrl(), r.DroppedAttributesCount(), showTheirs(r.Attributes()),
		ss.SchemaUrl(), sc.Name(), sc.Version(), sc.DroppedAttributesCount(), showTheirs(sc.Attributes()))
	tid, sid, parent := s.TraceID(), s.SpanID(), s.ParentSpanID()
	fmt.Fprintf(&b, "span %x %x %x %q %d %d %d %d %q %d %q %d %d %d %s", tid[:], sid[:], parent[:], s.Name(), int32(s.Kind()),
		s.StartTimestamp(), s.EndTimestamp(), s.Flags(), s.TraceState().AsRaw(), int32(s.Status().Code()), s.Status().Message(),
		s.DroppedAttributesCount(), s.DroppedEventsCount(), s.DroppedLinksCount(), showTheirs(s.Attributes()))
	for _, e := range s.Events().All() {
		fmt.Fprintf(&b, " event %d %q %d %s", e.Timestamp(), e.Name(), e.DroppedAttributesCount(), showTheirs(e.Attributes()))
	}
	for _, l := range s.Links().All() {
		tid, sid := l.TraceID(), l.SpanID()
		fmt.Fprintf(&b, " link %x %x %d %q %d %s", tid[:], sid[:], l.Flags(), l.TraceState().AsRaw(), l.DroppedAttributesCount(),
			showTheirs(l.Attributes()))
	}
	return b.String()
}

func showTheirs(attrs pcommon.Map) string {
	var b strings.Builder
	b.WriteByte('{')
	for key, v := range attrs.All() {
		fmt.Fprintf(&b, "%q:%s,", key, showTheir(v))
	}
	return b.String() + "}"
}

func showTheir(v pcommon.Value) string {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return fmt.Sprintf("%q", v.Str())
	case pcommon.ValueTypeInt:
		return fmt.Sprintf("int %d", v.Int())
	case pcommon.ValueTypeDouble:
		return fmt.Sprintf("float %x", math.Float64bits(v.Double()))
	case pcommon.ValueTypeBool:
		return fmt.Sprint(v.Bool())
	case pcommon.ValueTypeBytes:
		return fmt.Sprintf("bytes %x", v.Bytes().AsRaw())
	case pcommon.ValueTypeMap:
		return showTheirs(v.Map())
	case pcommon.ValueTypeSlice:
		text := "["
		for _, item := range v.Slice().All() {
			text += showTheir(item) + ","
		}
		return text + "]"
	}
	return "empty"
}
