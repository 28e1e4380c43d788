package sse_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lensgo/lens/gym/responses/sse"
)

func read(t testing.TB, r *sse.Reader) (events []sse.Event, err error) {
	t.Helper()
	for {
		e, err := r.Next()
		if err == io.EOF {
			return events, nil
		}
		if err != nil {
			return events, err
		}
		events = append(events, e)
	}
}

func event(name, id, data string) sse.Event { return sse.Event{Name: name, ID: id, Data: []byte(data)} }

func TestReader(t *testing.T) {
	tests := []struct {
		name, in string
		want     []sse.Event
	}{
		{"nothing", "", nil},
		{"one", "data: a\n\n", []sse.Event{event("", "", "a")}},
		{"no blank, two blanks", "data:a\n\ndata:  b\n\n", []sse.Event{event("", "", "a"), event("", "", " b")}},
		{"several lines", "data: a\ndata:\ndata: b\n\n", []sse.Event{event("", "", "a\n\nb")}},
		{"empty data", "data\n\ndata:\n\n", []sse.Event{event("", "", ""), event("", "", "")}},
		{"a name without data", "event: x\n\ndata: a\n\n", []sse.Event{event("", "", "a")}},
		{"name and id", "event: x\nid: 7\ndata: a\n\ndata: b\n\n", []sse.Event{event("x", "7", "a"), event("", "7", "b")}},
		{"an id with NUL", "id: 7\nid: a\x00b\ndata: a\n\n", []sse.Event{event("", "7", "a")}},
		{"comments", ": ping\n\n:\n:ping\ndata: a\n: in between\ndata: b\n\n", []sse.Event{event("", "", "a\nb")}},
		{"retry and unknown fields", "retry: 10\nfoo: bar\ndata: a\nDATA: b\n\n", []sse.Event{event("", "", "a")}},
		{"mark", "\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\n", []sse.Event{event("", "", "a")}},
		{"without the last lines", "data: a\n\ndata: b", []sse.Event{event("", "", "a"), event("", "", "b")}},
		{"without the last empty line", "data: a\n\nevent: x\ndata: b\n", []sse.Event{event("", "", "a"), event("x", "", "b")}},
		{"characters", "data: héllo 😀\n\n", []sse.Event{event("", "", "héllo 😀")}},
		{"a colon in the data", "data: {\"a\":1}\n\n", []sse.Event{event("", "", `{"a":1}`)}},
	}
	for _, tt := range tests {
		for end, eol := range map[string]string{"LF": "\n", "CRLF": "\r\n", "CR": "\r"} {
			in := strings.ReplaceAll(tt.in, "\n", eol)
			for form, r := range map[string]io.Reader{
				"whole": strings.NewReader(in), "a byte at a time": iotest.OneByteReader(strings.NewReader(in)),
				"halves": iotest.HalfReader(strings.NewReader(in)), "end with data": iotest.DataErrReader(strings.NewReader(in)),
			} {
				t.Run(tt.name+"/"+end+"/"+form, func(t *testing.T) {
					got, err := read(t, sse.NewReader(r, sse.Options{}))
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
						t.Errorf("events (-want +got):\n%s", diff)
					}
				})
			}
		}
	}
}

// A CR at the end of what was read may be half of a line end: an event must not wait for the other half.
func TestReader_does_not_wait_after_CR(t *testing.T) {
	pr, pw := io.Pipe()
	defer pr.Close()
	go func() { _, _ = pw.Write([]byte("data: a\r\r")) }()
	if e, err := sse.NewReader(pr, sse.Options{}).Next(); err != nil || string(e.Data) != "a" {
		t.Errorf("event %q, %v", e.Data, err)
	}
}

func TestReader_long_lines(t *testing.T) {
	for _, n := range []int{70_000, 2 << 20, 16 << 20} {
		data := strings.Repeat("x", n)
		got, err := read(t, sse.NewReader(strings.NewReader("data: "+data+"\n\ndata: y\n\n"), sse.Options{}))
		if err != nil || len(got) != 2 || string(got[0].Data) != data || string(got[1].Data) != "y" {
			t.Errorf("%d bytes: %d events, %v", n, len(got), err)
		}
	}
}

// endless gives the same text for ever.
type endless struct {
	text string
	read int64
}

func (e *endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e.text)
	}
	e.read += int64(n)
	return n, nil
}

func TestReader_bounds(t *testing.T) {
	const most = 1 << 20
	for _, tt := range []struct{ name, text, want string }{
		{"a line", "x", "cannot read line of stream beyond 1048576 bytes"},
		{"a comment", ":", "cannot read line of stream beyond 1048576 bytes"},
		{"an event", "data: x\n", "cannot read event of stream beyond 1048576 bytes"},
		{"comments", ": x\n", "cannot read stream beyond 8388608 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := &endless{text: tt.text}
			r := sse.NewReader(src, sse.Options{MaxEvent: most, MaxStream: 8 << 20})
			_, err := r.Next()
			if !errors.Is(err, sse.ErrTooLong) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if src.read > 9<<20 {
				t.Errorf("read %d bytes", src.read)
			}
			if _, again := r.Next(); again != err {
				t.Errorf("then error %v", again)
			}
		})
	}
}

func TestReader_errors(t *testing.T) {
	broken := errors.New("broken")
	r := sse.NewReader(io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(broken)), sse.Options{})
	got, err := read(t, r)
	if !errors.Is(err, broken) || len(got) != 1 {
		t.Errorf("%d events, %v; want one and the error", len(got), err)
	}
	if _, err := sse.NewReader(idle{}, sse.Options{}).Next(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("error %v, want ErrNoProgress", err)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestAppendEvent(t *testing.T) {
	for _, tt := range []struct {
		e    sse.Event
		want string
	}{
		{event("", "", `{"a":1}`), "data: {\"a\":1}\n\n"},
		{event("x", "7", "a"), "event: x\nid: 7\ndata: a\n\n"},
		{event("", "", "a\nb\r\nc\rd"), "data: a\ndata: b\ndata: c\ndata: d\n\n"},
		{event("", "", ""), "data: \n\n"},
		{event("", "", "a\n"), "data: a\ndata: \n\n"},
	} {
		if got := string(sse.AppendEvent([]byte("before "), tt.e)); got != "before "+tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// FuzzReader checks that a stream gives the same events however it is torn, and that events that are written again are the
// same ones.
func FuzzReader(f *testing.F) {
	for _, s := range []string{"data: a\n\n", "event: x\r\nid: 1\r\ndata: a\r\n\r\n", ": c\rdata\r\r", "\xef\xbb\xbfdata: \xff\n\n", "data: a\n\ndata: b"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		whole, err := read(t, sse.NewReader(bytes.NewReader(b), sse.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		torn, err := read(t, sse.NewReader(iotest.OneByteReader(bytes.NewReader(b)), sse.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(whole, torn, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("whole and torn differ:\n%s", diff)
		}
		var again []byte
		for _, e := range whole {
			again = sse.AppendEvent(again, e)
		}
		got, err := read(t, sse.NewReader(bytes.NewReader(again), sse.Options{}))
		if err != nil || len(got) != len(whole) {
			t.Fatalf("%d events, %v; want %d", len(got), err, len(whole))
		}
		for i := range got {
			if !bytes.Equal(got[i].Data, whole[i].Data) {
				t.Fatalf("event %d is %q, was %q", i, got[i].Data, whole[i].Data)
			}
		}
	})
}

func BenchmarkReader(b *testing.B) {
	for _, size := range []int{100, 10_000, 1_000_000} {
		in := bytes.Repeat([]byte("data: "+strings.Repeat("x", size)+"\n\n"), 1+1_000_000/size)
		b.Run(fmt.Sprintf("%dB", size), func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := read(b, sse.NewReader(bytes.NewReader(in), sse.Options{})); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
