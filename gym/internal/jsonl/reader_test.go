package jsonl_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/internal/jsonl"
)

func readAll(t testing.TB, text string) (out []string, torn bool) {
	t.Helper()
	l := jsonl.NewReader(strings.NewReader(text))
	for {
		at, err := l.Next()
		if errors.Is(err, io.EOF) {
			return out, torn
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(at.Text))
		torn = at.Torn
	}
}

func TestReader(t *testing.T) {
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
			got, torn := readAll(t, c.text)
			if !slices.Equal(got, c.want) || torn != c.torn {
				t.Errorf("got %.60q, torn %v; want %.60q, %v", got, torn, c.want, c.torn)
			}
		})
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("a\nb\r\n\n"))
	f.Add([]byte("\uFEFF{}\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l := jsonl.NewReader(bytes.NewReader(data))
		last := int64(0)
		for number := 1; ; number++ {
			at, err := l.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil || at.Number != number || at.Offset < last || bytes.IndexByte(at.Text, '\n') >= 0 {
				t.Fatalf("line %d: %+v, %v", number, at, err)
			}
			if got := data[at.Offset : at.Offset+int64(len(at.Text))]; !bytes.Equal(got, at.Text) {
				t.Fatalf("line %d: %q at offset %d, where %q stands", number, at.Text, at.Offset, got)
			}
			last = l.Offset()
		}
		if last != int64(len(data)) {
			t.Fatalf("read to %d of %d", last, len(data))
		}
	})
}
