package otlp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/lensgo/lens/viewer/otlp"
)

func TestIDs(t *testing.T) {
	const trace, span = "0123456789abcdef0123456789abcdef", "0123456789abcdef"
	for _, s := range []string{trace, strings.ToUpper(trace)} {
		id, err := otlp.ParseTraceID(s)
		if err != nil || id.String() != trace || id.IsZero() {
			t.Errorf("trace id %q: %s, error %v", s, id, err)
		}
	}
	for _, s := range []string{span, strings.ToUpper(span)} {
		id, err := otlp.ParseSpanID(s)
		if err != nil || id.String() != span || id.IsZero() {
			t.Errorf("span id %q: %s, error %v", s, id, err)
		}
	}
	if id, err := otlp.ParseTraceID(strings.Repeat("0", 32)); err != nil || !id.IsZero() {
		t.Errorf("zero trace id: %s, error %v", id, err)
	}
	if id, err := otlp.ParseSpanID(strings.Repeat("0", 16)); err != nil || !id.IsZero() {
		t.Errorf("zero span id: %s, error %v", id, err)
	}
}

func TestParseIDRefuses(t *testing.T) {
	for _, s := range []string{"", "0", "xyz", strings.Repeat("g", 32), strings.Repeat("0", 31) + "g", strings.Repeat("0", 33), strings.Repeat("0", 1000)} {
		id, err := otlp.ParseTraceID(s)
		if err == nil || !id.IsZero() {
			t.Errorf("trace id %q is accepted as %s", s, id)
		} else if len(err.Error()) > 200 {
			t.Errorf("error of %d bytes", len(err.Error()))
		}
	}
	for _, s := range []string{"", strings.Repeat("0", 15) + "g", strings.Repeat("0", 17)} {
		if id, err := otlp.ParseSpanID(s); err == nil || !id.IsZero() {
			t.Errorf("span id %q is accepted as %s", s, id)
		}
	}
}

func TestIDsInJSON(t *testing.T) {
	type ids struct {
		Trace otlp.TraceID
		Span  otlp.SpanID
	}
	want := ids{otlp.TraceID{1, 15: 2}, otlp.SpanID{3, 7: 4}}
	text, err := json.Marshal(want)
	if err != nil || string(text) != `{"Trace":"01000000000000000000000000000002","Span":"0300000000000004"}` {
		t.Fatalf("%s, error %v", text, err)
	}
	var got ids
	if err := json.Unmarshal(text, &got); err != nil || got != want {
		t.Errorf("read back: %v, error %v", got, err)
	}
	if err := json.Unmarshal([]byte(`{"Trace":"01"}`), &got); err == nil {
		t.Error("a short id is read")
	}
}

func TestNames(t *testing.T) {
	for got, want := range map[string]string{
		otlp.KindServer.String(): "server", otlp.KindConsumer.String(): "consumer", otlp.Kind(9).String(): "kind(9)", otlp.Kind(-1).String(): "kind(-1)",
		otlp.StatusOK.String(): "ok", otlp.StatusError.String(): "error", otlp.Status(3).String(): "status(3)", otlp.Status(-1).String(): "status(-1)",
		otlp.ValueMap.String(): "map", otlp.ValueKind(99).String(): "unknown",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{"": "", "wörld": "wörld", "a\xff\xfeb": "a\uFFFDb", "cut \xe2\x82": "cut \uFFFD"} {
		if got := otlp.Text(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
