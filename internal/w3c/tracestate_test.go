package w3c_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lensgo/lens/internal/w3c"
)

func TestParseTracestate(t *testing.T) {
	tests := []struct {
		name, want string
		problem    string
		lines      []string
	}{
		{"none", "", "", nil},
		{"one", "foo=1", "", []string{"foo=1"}},
		{"empty lines and members", "foo=1,bar=2", "", []string{"", " ", ",foo=1,,", "\t, bar=2"}},
		{"lines in their order", "foo=1,bar=2,rojo=1,congo=2,baz=3", "", []string{"foo=1,bar=2", "rojo=1,congo=2", "baz=3"}},
		{"the first of a key stays", "foo=1,bar=2", "", []string{"foo=1,bar=2,foo=3"}},
		{"the first of a key stays, over lines", "foo=1,bar=2", "", []string{"foo=1", "foo=3,bar=2"}},
		{"a repeated key in the middle", "foo=1,bar=2", "", []string{"foo=1,foo=1,bar=2"}},
		{"the same line again", "foo=1,bar=2", "", []string{"foo=1,bar=2", "foo=1,bar=2"}},
		{"like lines", "foo=1,bar=2", "", []string{"foo=1", "bar=2"}},
		{"blanks within a value", "foo=a b,bar= 2", "", []string{"foo=a b ,bar= 2"}},
		{"level 2 keys", "foo@=1,foo@@bar=2,0x=3,a@b@c=4", "", []string{"foo@=1,foo@@bar=2,0x=3,a@b@c=4"}},
		{"longest key and value", strings.Repeat("k", 256) + "=" + strings.Repeat("v", 256), "",
			[]string{strings.Repeat("k", 256) + "=" + strings.Repeat("v", 256)}},

		{"no equals sign", "", `member "foo" has no equals sign`, []string{"bar=1,foo"}},
		{"two equals signs", "", `value "bar=baz" of key "foo"`, []string{"foo=bar=baz"}},
		{"no value", "", `value "" of key "foo"`, []string{"foo=,bar=3"}},
		{"no key", "", `key "" is not`, []string{"=1"}},
		{"blank in a key", "", `key "foo " is not`, []string{"foo =1"}},
		{"upper case", "", `key "FOO" is not`, []string{"FOO=1"}},
		{"dot", "", `key "foo.bar" is not`, []string{"foo.bar=1"}},
		{"@ first", "", `key "@foo" is not`, []string{"@foo=1,bar=2"}},
		{"long key", "", `of a-z 0-9`, []string{strings.Repeat("k", 257) + "=1"}},
		{"long value", "", `is not 1 to 256`, []string{"k=" + strings.Repeat("v", 257)}},
		{"tab within a value", "", `value "a\tb" of key "foo"`, []string{"foo=a\tb"}},
		{"not ASCII", "", `value "é" of key "foo"`, []string{"foo=é"}},
		{"33 members", "", "more than 32 members", []string{members(33)}},
		{"33 members, one twice", "", "more than 32 members", []string{members(32) + ",k01=1"}},
		{"a good line and a bad one", "", `key "BAD" is not`, []string{"foo=1", "BAD=1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, err := w3c.ParseTracestate(test.lines...)
			if test.problem != "" {
				if err == nil || !strings.Contains(err.Error(), test.problem) {
					t.Errorf("the error is %v and should say %q", err, test.problem)
				}
			} else if err != nil {
				t.Error(err)
			}
			if s.String() != test.want {
				t.Errorf("it is %q, want %q", s, test.want)
			}
		})
	}
}

func members(n int) string {
	var m []string
	for i := range n {
		m = append(m, fmt.Sprintf("k%02d=%d", i+1, i))
	}
	return strings.Join(m, ",")
}

func TestTracestate(t *testing.T) {
	s, err := w3c.ParseTracestate("foo=1,bar=2,baz=3")
	if err != nil {
		t.Fatal(err)
	}
	full, err := w3c.ParseTracestate(members(32))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ got, want string }{
		"With a new key":           {s.With("new", "x").String(), "new=x,foo=1,bar=2,baz=3"},
		"With a key that is there": {s.With("bar", "x").String(), "bar=x,foo=1,baz=3"},
		"With a bad key":           {s.With("BAD", "x").String(), s.String()},
		"With a bad value":         {s.With("bad", "x ").String(), s.String()},
		"With on a full list":      {full.With("new", "x").String(), "new=x," + members(31)},
		"With on the empty list":   {w3c.Tracestate{}.With("new", "x").String(), "new=x"},
		"Without":                  {s.Without("bar").String(), "foo=1,baz=3"},
		"Without the only one":     {w3c.Tracestate{}.With("new", "x").Without("new").String(), ""},
		"Without one not there":    {s.Without("no").String(), s.String()},
	} {
		if test.got != test.want {
			t.Errorf("%s: %q, want %q", name, test.got, test.want)
		}
	}
	if v, ok := s.Get("baz"); v != "3" || !ok {
		t.Errorf("Get: %q, %v", v, ok)
	}
	if v, ok := s.Get("ba"); v != "" || ok {
		t.Errorf("Get of a key that is not there: %q, %v", v, ok)
	}
	if s.Len() != 3 || full.Len() != 32 || (w3c.Tracestate{}).Len() != 0 {
		t.Errorf("Len: %d, %d", s.Len(), full.Len())
	}
	if again, _ := w3c.ParseTracestate("foo=1", "bar=2", "baz=3"); again != s {
		t.Error("equal lists are not ==")
	}
}

func TestTracestateAllocations(t *testing.T) {
	line := members(32)
	lines := []string{line}
	var s w3c.Tracestate
	for name, run := range map[string]func(){
		"parse one line": func() { s, _ = w3c.ParseTracestate(lines...) },
		"Get":            func() { s.Get("k32") },
		"String":         func() { _ = s.String() },
	} {
		if n := testing.AllocsPerRun(100, run); n > 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func FuzzParseTracestate(f *testing.F) {
	f.Add("foo=1,bar=2", "baz=3")
	f.Add("foo=1", "foo=1")
	f.Add("foo=1,foo=1,a=b", " a=c ,\t")
	f.Add("a@=1", "0=~")
	f.Add(members(32), "")
	f.Add(members(20), members(20))
	f.Fuzz(func(t *testing.T, a, b string) {
		s, err := w3c.ParseTracestate(a, b)
		if err != nil {
			if !s.Empty() {
				t.Errorf("an error, and %q", s)
			}
			return
		}
		if again, err := w3c.ParseTracestate(s.String()); err != nil || again != s {
			t.Errorf("%q reads back as %q, %v", s, again, err)
		}
		if joined, err := w3c.ParseTracestate(a + "," + b); err != nil || joined != s {
			t.Errorf("two lines give %q, joined by a comma %q, %v", s, joined, err)
		}
		seen := map[string]bool{}
		for k, v := range s.All() {
			if seen[k] || !w3c.ValidKey(k) || !w3c.ValidValue(v) {
				t.Errorf("member %q=%q of %q", k, v, s)
			}
			seen[k] = true
		}
		if len(seen) != s.Len() || len(seen) > w3c.MaxMembers {
			t.Errorf("%d members, Len says %d", len(seen), s.Len())
		}
	})
}
