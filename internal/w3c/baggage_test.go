package w3c_test

import (
	"strings"
	"testing"

	"github.com/lensgo/lens/internal/w3c"
)

func TestReadBaggage(t *testing.T) {
	for name, tt := range map[string]struct {
		lines []string
		want  string
		count int
	}{
		"nothing":             {nil, "", 0},
		"empty lines":         {[]string{"", " , "}, "", 0},
		"as it came":          {[]string{"b=%C3%A4;meta=1 , a = 2;x"}, "b=%C3%A4;meta=1 , a = 2;x", 2},
		"lines":               {[]string{"a=1", "b=2,c=3"}, "a=1,b=2,c=3", 3},
		"a control character": {[]string{"a=1", "b=\r\nx: y"}, "", 0},
		"just as long":        {[]string{"k=" + strings.Repeat("x", 8190)}, "k=" + strings.Repeat("x", 8190), 1},
		"too long":            {[]string{"k=" + strings.Repeat("x", 8191)}, "", 0},
		"too long together":   {[]string{strings.Repeat("x", 4096), strings.Repeat("x", 4096)}, "", 0},
	} {
		b := w3c.ReadBaggage(tt.lines...)
		if b.String() != tt.want || b.Len() != tt.count || b.Empty() != (tt.want == "") {
			t.Errorf("%s: %d members in %.40q", name, b.Len(), b)
		}
	}
}

func TestBaggageMembers(t *testing.T) {
	b := w3c.ReadBaggage("a=1,b= %C3%A4%20=;p=q , a =2,bad=%zz,none,utf=%FF")
	for key, want := range map[string]string{"a": "2", "b": "ä =", "bad": "", "none": "", "other": "", "utf": "\ufffd"} {
		if got := b.Get(key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if got, want := b.With("a", `"x", 100%;\ü`).String(),
		"b= %C3%A4%20=;p=q,bad=%zz,none,utf=%FF,a=%22x%22%2C%20100%25%3B%5C%C3%BC"; got != want {
		t.Errorf("with a new a:\n%s\n%s", got, want)
	}
	if got := (w3c.Baggage{}).With("k", "").String(); got != "k=" {
		t.Errorf("the first member: %q", got)
	}
}

func FuzzBaggage(f *testing.F) {
	f.Add("a=1,b=%C3%A4;p", "k", "v")
	f.Add(",,=;=,", "a", "\x00%,;\"\\ü")
	f.Fuzz(func(t *testing.T, line, key, value string) {
		b := w3c.ReadBaggage(line)
		if again := w3c.ReadBaggage(b.String()); again != b {
			t.Errorf("%q is read again as %q", b, again)
		}
		if strings.ContainsAny(key, " \t,;=") || key == "" || strings.TrimSpace(key) != key {
			return
		}
		with := b.With(key, value)
		if got := with.Get(key); got != strings.ToValidUTF8(value, "\ufffd") {
			t.Errorf("%q comes back as %q from %q", value, got, with)
		}
		if with.Len() > b.Len()+1 {
			t.Errorf("%d members became %d", b.Len(), with.Len())
		}
	})
}
