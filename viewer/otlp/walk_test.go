package otlp

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// TestWalkTracesOdd spells out what is the law for messages that are allowed but that no exporter writes.
func TestWalkTracesOdd(t *testing.T) {
	for _, tt := range []struct {
		name string
		body []byte
		want string // service of resource, name of scope, name of span, attribute k
	}{
		{"resource and scope behind the spans",
			pb(1, join(pb(2, join(pb(2, pb(5, "n")), pb(1, pb(1, "sc")))), pb(1, pb(1, join(pb(1, "service"), pb(2, pb(1, "r"))))))),
			"r sc n <nil>"},
		{"resource in two parts",
			pb(1, join(pb(1, pb(1, join(pb(1, "x"), pb(2, pb(1, "r"))))), pb(2, pb(2, "")), pb(1, pb(1, join(pb(1, "service"), pb(2, pb(1, "r"))))))),
			"r   <nil>"},
		{"no resource and no scope", spanOf(pb(5, "n")), "  n <nil>"},
		{"last name wins", spanOf(pb(5, "a"), pb(5, "b")), "  b <nil>"},
		{"first attribute of a key wins", spanOf(attr("k", vi(3, 1)), attr("k", vi(3, 2))), "   1"},
		{"last value of a oneof wins", spanOf(attr("k", vi(3, 1), pb(1, "s"))), "   s"},
		{"value stays when an empty one follows", spanOf(pb(9, join(pb(1, "k"), pb(2, vi(3, 1)), pb(2, "")))), "   1"},
		{"key behind the value", spanOf(pb(9, join(pb(2, vi(3, 1)), pb(1, "k")))), "   1"},
		{"attributes apart", spanOf(attr("x", vi(3, 1)), pb(5, "n"), attr("k", vi(3, 2))), "  n 2"},
		{"old scope spans", pb(1, pb(1000, pb(2, pb(5, "old")))), "  old <nil>"},
		{"old scope spans beside new", pb(1, join(pb(1000, pb(2, pb(5, "old"))), pb(2, pb(2, pb(5, "new"))))), "  new <nil>"},
		{"unknown fields", spanOf(pb(100, "x"), group(101, group(5, vi(1, 1)), pb(5, "in")), pb(5, "n")), "  n <nil>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			err := WalkTraces(tt.body, func(r *Resource, sc *Scope, s *Span) error {
				service, _ := r.Attr("service")
				k := "<nil>"
				if v, ok := s.Attr("k"); ok {
					k = v.String()
				}
				got = append(got, fmt.Sprintf("%s %s %s %s", service, sc.Name, s.Name, k))
				return nil
			})
			if err != nil || len(got) != 1 || got[0] != tt.want {
				t.Errorf("%q, error %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestWalkTracesRefuses(t *testing.T) {
	const span = "resource_spans.scope_spans.spans"
	for _, tt := range []struct {
		name   string
		body   []byte
		offset int
		field  string
		reason string
	}{
		{"trace id too short", spanOf(pb(5, "n"), pb(1, "short")), 9, span + ".trace_id", "length is 5, must be 16 or 0"},
		{"span id too long", spanOf(pb(2, "ninebytes")), 6, span + ".span_id", "length is 9, must be 8 or 0"},
		{"parent id too short", spanOf(pb(4, "x")), 6, span + ".parent_span_id", "length is 1, must be 8 or 0"},
		{"trace id of a link", spanOf(pb(13, pb(1, "x"))), 8, span + ".links.trace_id", "length is 1, must be 16 or 0"},
		{"wrong wire type", spanOf(vi(5, 1)), 6, span + ".name", "wire type is varint, must be length-delimited"},
		{"time as text", spanOf(pb(7, "12345678")), 6, span + ".start_time_unix_nano", "wire type is length-delimited, must be fixed64"},
		{"known field as group", spanOf(group(5)), 6, span + ".name", "wire type is group, must be length-delimited"},
		{"text cut off", pb(1, []byte{0x1a, 9, 'x'}), 2, "resource_spans.schema_url", "length is 9, but only 1 bytes are left"},
		{"text of 2^63 bytes", []byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, 0, "resource_spans",
			"length is 9223372036854775807, but only 0 bytes are left"},
		{"text of 2^32 bytes", []byte{0x0a, 0x80, 0x80, 0x80, 0x80, 0x10}, 0, "resource_spans",
			"length is 4294967296, but only 0 bytes are left"},
		{"length cut off", []byte{0x0a, 0x80}, 0, "resource_spans", "length is cut off"},
		{"length of 70 bits", []byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2}, 0, "resource_spans", "length is malformed"},
		{"varint cut off", spanOf([]byte{0x30, 0x80}), 6, span + ".kind", "varint is cut off"},
		{"varint of 70 bits", spanOf([]byte{0x30, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2}), 6, span + ".kind", "varint is malformed"},
		{"time cut off", spanOf([]byte{0x39, 1, 2}), 6, span + ".start_time_unix_nano", "fixed64 is cut off"},
		{"flags cut off", spanOf([]byte{0x85, 1, 2}), 6, span + ".flags", "fixed32 is cut off"},
		{"tag cut off", spanOf([]byte{0x80}), 6, span, "tag is cut off"},
		{"field zero", []byte{0x02, 0x00}, 0, "", "field number is 0, must be 1 to 2147483647"},
		{"field of 32 bits", []byte{0x82, 0x80, 0x80, 0x80, 0x40, 0x00}, 0, "", "field number is 2147483648, must be 1 to 2147483647"},
		{"reserved wire type", []byte{0x56, 0x00}, 0, "10", "reserved (6) is malformed"},
		{"unknown cut off", spanOf([]byte{0xa2, 6, 9}), 6, span + ".100", "length is 9, but only 0 bytes are left"},
		{"group without end", spanOf(protowire.AppendTag(nil, 100, protowire.StartGroupType)), 6, span + ".100", "group is cut off"},
		{"group with another's end", spanOf([]byte{0xa3, 6, 0xac, 6}), 6, span + ".100", "group is malformed"},
		{"end without group", spanOf([]byte{0xa4, 6}), 6, span + ".100", "end of group is malformed"},
		{"groups 20,000 deep", spanOf(slices.Repeat(protowire.AppendTag(nil, 100, protowire.StartGroupType), 20_000)), 0, "", "group is malformed"},
		{"attribute cut off", spanOf(attr("k", []byte{0x0a, 5, 'x'})), 13, span + ".attributes.value.string_value", "length is 5, but only 1 bytes are left"},
		{"int attribute of 77 bits", spanOf(attr("k", []byte{0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})), 13,
			span + ".attributes.value.int_value", "varint is malformed"},
		{"rest behind a float", spanOf(attr("k", f64(4, 1), []byte{0x80})), 22, span + ".attributes.value", "tag is cut off"},
		{"map 101 messages deep", spanOf(attr("k", nested(48, inMap(vi(3, 1))))), 0, "", "value is nested more than 100 messages deep"},
		{"value 101 messages deep", spanOf(attr("k", nested(49, pb(5, "")))), 0, "", "value is nested more than 100 messages deep"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := WalkTraces(tt.body, func(*Resource, *Scope, *Span) error {
				t.Error("a span of a bad request was given")
				return nil
			})
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("error is %v, want an *Error", err)
			}
			if e.Reason != tt.reason || tt.field != "" && (e.Offset != tt.offset || e.Field != tt.field) {
				t.Errorf("%+v", *e)
			}
			if tt.field == "" && len(e.Field) > 2*maxPath {
				t.Errorf("field of %d bytes: %s", len(e.Field), e.Field)
			}
			if _, err := pdataSpans(tt.body); err == nil && !straysFromProtobuf(e) {
				t.Error("pdata accepts it")
			}
			want := fmt.Sprintf("cannot read trace request at byte %d", e.Offset)
			if text := err.Error(); !strings.HasPrefix(text, want) || !strings.HasSuffix(text, ": "+e.Reason) || !strings.Contains(text, e.Field) {
				t.Errorf("text is %q", text)
			}
		})
	}
	for _, v := range [][]byte{nested(49, vi(3, 1)), inMap(nested(46, inMap(vi(3, 1))))} {
		if err := Validate(spanOf(attr("k", v))); err != nil {
			t.Errorf("value 100 messages deep: %v", err)
		}
	}
}

// TestWalkTracesCut cuts a request anywhere: an error or a request that ended there, never a panic.
func TestWalkTracesCut(t *testing.T) {
	body := full()
	for n := range body {
		_, err := ourSpans(body[:n], WalkTraces)
		_, theirErr := pdataSpans(body[:n])
		if (err == nil) != (theirErr == nil) {
			t.Errorf("%d bytes: %v; pdata: %v", n, err, theirErr)
		}
		_, _ = ourSpans(body[:n], WalkTrusted)
	}
}

func TestWalkTracesStops(t *testing.T) {
	stop := errors.New("stop")
	n := 0
	err := WalkTraces(full(), func(*Resource, *Scope, *Span) error {
		n++
		return stop
	})
	if err != stop || n != 1 {
		t.Errorf("error is %v after %d spans, want stop after 1", err, n)
	}
}

// TestWalkTracesPointers holds that a pointer to a resource or scope tells groups apart and stays right.
func TestWalkTracesPointers(t *testing.T) {
	services, scopes := map[*Resource]int{}, map[*Scope]int{}
	if err := WalkTraces(full(), func(r *Resource, sc *Scope, _ *Span) error {
		services[r]++
		scopes[sc]++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	var names []string
	for r, n := range services {
		service, _ := r.Attr("service.name")
		names = append(names, fmt.Sprintf("%s %d", service, n))
	}
	slices.Sort(names)
	if want := []string{"agent 4", "driver 4"}; !slices.Equal(names, want) || len(scopes) != 4 {
		t.Errorf("resources %q and %d scopes, want %q and 4", names, len(scopes), want)
	}
}

func TestIteratorsStop(t *testing.T) {
	if err := WalkTraces(full(), func(r *Resource, sc *Scope, s *Span) error {
		n := 0
		for range s.Attributes() {
			n++
			break
		}
		for e := range s.Events() {
			for range e.Attributes() {
				n++
				break
			}
			break
		}
		for l := range s.Links() {
			for range l.Attributes() {
				n++
				break
			}
			break
		}
		list, _ := s.Attr("list")
		for range list.List() {
			n++
			break
		}
		if n != 4 {
			t.Errorf("%d steps, want 4", n)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
