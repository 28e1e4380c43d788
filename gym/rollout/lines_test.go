package rollout

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

func readLines(t testing.TB, text string) (out []string, torn bool) {
	t.Helper()
	l := newLines(strings.NewReader(text))
	for {
		at, err := l.next()
		if errors.Is(err, io.EOF) {
			return out, torn
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(at.text))
		torn = at.torn
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for name, c := range map[string]struct {
		text string
		want []string
		torn bool
	}{
		"empty":           {"", nil, false},
		"one":             {"a\n", []string{"a"}, false},
		"no line end":     {"a\nb", []string{"a", "b"}, true},
		"CRLF":            {"a\r\nb\r\n", []string{"a", "b"}, false},
		"byte order mark": {"\uFEFFa\n\uFEFFb\n", []string{"a", "\uFEFFb"}, false},
		"mark alone":      {"\uFEFF", []string{""}, true},
		"blank":           {"\n\n", []string{"", ""}, false},
		"long":            {long + "\n" + long, []string{long, long}, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, torn := readLines(t, c.text)
			if !slices.Equal(got, c.want) || torn != c.torn {
				t.Errorf("got %.60q, torn %v; want %.60q, %v", got, torn, c.want, c.torn)
			}
		})
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\r\n\n"))
	f.Add([]byte("\uFEFF{}\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l := newLines(bytes.NewReader(data))
		last := int64(0)
		for number := 1; ; number++ {
			at, err := l.next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil || at.number != number || at.offset < last || bytes.IndexByte(at.text, '\n') >= 0 {
				t.Fatalf("line %d: %+v, %v", number, at, err)
			}
			if got := data[at.offset : at.offset+int64(len(at.text))]; !bytes.Equal(got, at.text) {
				t.Fatalf("line %d: %q at offset %d, where %q stands", number, at.text, at.offset, got)
			}
			last = l.offset
		}
		if last != int64(len(data)) {
			t.Fatalf("read to %d of %d", last, len(data))
		}
	})
}
