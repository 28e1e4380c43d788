package otlp

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
)

// wantAnswer wants what may stand in a log.
func wantAnswer(t *testing.T, a Answer) {
	if len(a.Message) > mostExcerpt+4 || !utf8.ValidString(a.Message) {
		t.Errorf("message %q", a.Message)
	}
}

func FuzzParseAnswer(f *testing.F) {
	for _, seed := range []string{"", "\x0a\x00", "\x0a\x06\x08\x03\x12\x02no", "\x0a\x06\x08\x03\x12\x09no", "\x0a\x02\x08\xff", "\x0a\x04\x12\x02\xff\xff", "\x1a\x01x\x0a\x02\x08\x01"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) { wantAnswer(t, ParseAnswer(body)) })
}

func FuzzParseJSONAnswer(f *testing.F) {
	for _, seed := range []string{"", "{}", "null", `{"partialSuccess":{"rejectedSpans":"3","errorMessage":"no"}}`, `{"partialSuccess":{"rejectedLogRecords":1e9}}`, `{"partialSuccess":[]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) { wantAnswer(t, parseJSONAnswer(body)) })
}

// Whatever can be read as a request is valid JSON afterwards. sample_test.go looks at what it says.
func FuzzToJSON(f *testing.F) {
	for _, seed := range []string{"", "\x0a\x00", "\x0a\x04\x12\x02\x12\x00", "\x0a\x0b\x12\x09\x12\x07\x0a\x02\xff\x00\x2a\x01x"} {
		for signal := range uint8(3) {
			f.Add(signal, []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, signal uint8, body []byte) {
		s := []Signal{Traces, Metrics, Logs}[signal%3]
		text, err := toJSON(s, body)
		if readable := proto.Unmarshal(body, s.message()) == nil; readable != (err == nil) {
			t.Fatalf("%v", err)
		}
		if err == nil && (!json.Valid(text) || !utf8.Valid(text)) {
			t.Errorf("no JSON: %s", text)
		}
	})
}

// A header that is taken can be sent.
func FuzzHeaders(f *testing.F) {
	for _, seed := range []string{"", "a=1,b=2", "a", "a:b", "a=%", "a=%0a", "a=%2C", "é=1", "a=é", ",,=", "a= %20"} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, text string, grpc bool) {
		if strings.ContainsRune(text, 0) {
			t.Skip("no variable can hold that")
		}
		t.Setenv(envHeaders, text)
		protocol := "http/protobuf"
		if grpc {
			protocol = GRPC
		}
		h, err := Traces.header(protocol, slog.New(slog.DiscardHandler))
		if (h == nil) != (err != nil) {
			t.Fatalf("%v, %v", h, err)
		}
		for name, values := range h {
			value := values[0]
			if !isToken(name) || len(values) != 1 || strings.TrimSpace(value) != value || strings.ContainsAny(value, "\x00\r\n\x7f") {
				t.Errorf("%q: %q", name, values)
			}
			if strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "" && grpc {
				t.Errorf("gRPC cannot send %q", name)
			}
		}
	})
}
