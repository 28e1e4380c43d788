package carrier_test

import (
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/carrier"
	"github.com/lensgo/lens/internal/need"
)

func TestBytes(t *testing.T) {
	ctx := traced(t)
	b := carrier.Bytes(ctx)
	want := `{"baggage":"tenant=bl%22ue%2C%20n%C3%A9e","traceparent":"` + traceparent + `","tracestate":"` + tracestate + `"}`
	if string(b) != want {
		t.Errorf("the bytes are\n%s, want\n%s", b, want)
	}
	got := carrier.FromBytes(t.Context(), b)
	if diff := cmp.Diff(headers(ctx), headers(got)); diff != "" {
		t.Errorf("something else arrives (-sent +arrived):\n%s", diff)
	}
	if !lens.RefFrom(got).Remote || lens.Baggage(got, "tenant") != `bl"ue, née` {
		t.Errorf("%v arrives, with the baggage %q", lens.RefFrom(got), lens.Baggage(got, "tenant"))
	}
}

func TestBytesOfNothing(t *testing.T) {
	for _, ctx := range []context.Context{none, t.Context(), lens.Detach(lens.WithParent(t.Context(), lens.RefFrom(traced(t))))} {
		if b := carrier.Bytes(ctx); b != nil {
			t.Errorf("%q is sent for nothing", b)
		}
	}
}

func TestFromBytes(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want lens.Map
	}{
		"as Python writes it":   {`{"traceparent": "` + traceparent + `", "tracestate": "foo@=1"}`, lens.Map{"traceparent": traceparent, "tracestate": "foo@=1"}},
		"escapes":               {`{"trace\u0070arent": "00-` + traceparent[3:] + `"}`, lens.Map{"traceparent": traceparent}},
		"baggage alone":         {`{"baggage":"k=v"}`, lens.Map{"baggage": "k=v"}},
		"a future version":      {`{"traceparent":"01` + traceparent[2:] + `-more"}`, lens.Map{"traceparent": traceparent}},
		"other members":         {`{"seq":7,"x":{"traceparent":[null]},"traceparent":"` + traceparent + `","y":"z"}`, lens.Map{"traceparent": traceparent}},
		"signs in a text":       {`{"x":"\"{:[\\","traceparent":"` + traceparent + `"}`, lens.Map{"traceparent": traceparent}},
		"a tracestate is wrong": {`{"traceparent":"` + traceparent + `","tracestate":"A=1"}`, lens.Map{"traceparent": traceparent}},
		"a reservation":         {`{"traceparent":"` + traceparent + `","tracestate":"lens=r"}`, lens.Map{"traceparent": traceparent, "tracestate": "lens=r"}},
		"blanks around":         {" \n{\"baggage\":\"k=v\"}\n", lens.Map{"baggage": "k=v"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, headers(carrier.FromBytes(t.Context(), []byte(test.text)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// unusable are bytes with nothing in them for a context.
func unusable() map[string]string {
	good := `{"traceparent":"` + traceparent + `"}`
	return map[string]string{
		"nothing":              "",
		"an empty object":      "{}",
		"no JSON":              traceparent,
		"no object":            `["traceparent"]`,
		"null":                 "null",
		"half of it":           good[:len(good)-1],
		"two of it":            good + good,
		"no comma":             `{"a":"b" "traceparent":"` + traceparent + `"}`,
		"a comma too many":     `{"traceparent":"` + traceparent + `",}`,
		"a name twice":         `{"traceparent":"` + traceparent + `","traceparent":"` + other + `"}`,
		"another name twice":   `{"a":1,"traceparent":"` + traceparent + `","a":2}`,
		"no text":              `{"traceparent":["` + traceparent + `"]}`,
		"a wrong traceparent":  `{"traceparent":"00-xyz"}`,
		"upper case":           `{"Traceparent":"` + traceparent + `"}`,
		"a tracestate alone":   `{"tracestate":"foo=1"}`,
		"no UTF-8":             "{\"a\":\"\xff\",\"traceparent\":\"" + traceparent + `"}`,
		"too long":             `{"traceparent":"` + traceparent + `","pad":"` + strings.Repeat("x", carrier.MaxBytes) + `"}`,
		"too long by blanks":   good + strings.Repeat(" ", carrier.MaxBytes),
		"too deep":             `{"a":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `,"traceparent":"` + traceparent + `"}`,
		"too deep, not closed": `{"a":` + strings.Repeat(`{"a":`, 12_000),
	}
}

func TestFromBytesUnusable(t *testing.T) {
	for name, text := range unusable() {
		t.Run(name, func(t *testing.T) {
			if ctx := traced(t); carrier.FromBytes(ctx, []byte(text)) != ctx {
				t.Error("the context is not as given")
			}
		})
	}
	if ctx := carrier.FromBytes(none, nil); ctx != context.Background() {
		t.Errorf("no context gives %v", ctx)
	}
}

// TestPython has Python read what is written here, as nemo.lens.contrib.nccl does, and write it again.
func TestPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	need.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), python, "-c", `
import json, sys
carrier = json.loads(sys.stdin.buffer.read().decode("utf-8"))
assert all(type(v) is str for v in carrier.values()), carrier
sys.stdout.buffer.write(json.dumps(carrier).encode("utf-8"))`)
	cmd.Stdin = strings.NewReader(string(carrier.Bytes(traced(t))))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if diff := cmp.Diff(headers(traced(t)), headers(carrier.FromBytes(t.Context(), out))); diff != "" {
		t.Errorf("something else comes back from %s (-sent +came):\n%s", out, diff)
	}
}

func TestBytesAllocations(t *testing.T) {
	ctx, nothing := traced(t), t.Context()
	sent := carrier.Bytes(ctx)
	for name, test := range map[string]struct {
		most float64
		run  func()
	}{
		"write nothing": {1, func() { carrier.Bytes(nothing) }},
		"read nothing":  {0, func() { carrier.FromBytes(ctx, nil) }},
		"write":         {15, func() { carrier.Bytes(ctx) }},
		"read":          {50, func() { carrier.FromBytes(nothing, sent) }},
	} {
		if n := testing.AllocsPerRun(100, test.run); n > test.most {
			t.Errorf("%s allocates %v times, at most %v are allowed", name, n, test.most)
		}
	}
}

// FuzzFromBytes: whatever arrives does no harm, is read as encoding/json and lens.Extract read it or not at all, and what it
// leaves in the context travels on unchanged.
func FuzzFromBytes(f *testing.F) {
	for _, text := range unusable() {
		f.Add([]byte(text))
	}
	f.Add(carrier.Bytes(traced(f)))
	f.Fuzz(func(t *testing.T, b []byte) {
		ctx := carrier.FromBytes(t.Context(), b)
		got := sorted(headers(ctx))
		if len(got) == 0 {
			return
		}
		var object map[string]any
		if err := json.Unmarshal(b, &object); err != nil || len(b) > carrier.MaxBytes {
			t.Fatalf("%d bytes are read that encoding/json refuses: %v", len(b), err)
		}
		texts := lens.Map{}
		for k, v := range object {
			texts[k], _ = v.(string)
		}
		if diff := cmp.Diff(sorted(headers(lens.Extract(t.Context(), texts))), got); diff != "" {
			t.Errorf("(-json +got):\n%s", diff)
		}
		if diff := cmp.Diff(got, sorted(headers(carrier.FromBytes(t.Context(), carrier.Bytes(ctx))))); diff != "" {
			t.Errorf("the next hop sends (-this +next):\n%s", diff)
		}
	})
}
