package w3c_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/lensgo/lens/internal/w3c"
)

const (
	traceID = "0af7651916cd43dd8448eb211c80319c"
	spanID  = "b7ad6b7169203331"
	sampled = "00-" + traceID + "-" + spanID + "-01"
)

func TestParseTraceparent(t *testing.T) {
	tests := []struct {
		name, value string
		flags       byte
		problem     string // part of the error
	}{
		{"sampled", sampled, 1, ""},
		{"not sampled", sampled[:53] + "00", 0, ""},
		{"sampled and random", sampled[:53] + "03", 3, ""},
		{"flags without a meaning are cleared", sampled[:53] + "ff", 3, ""},
		{"blanks around", " \t" + sampled + "\t ", 1, ""},
		{"future version", "cc" + sampled[2:], 1, ""},
		{"future version with a tail", "cc" + sampled[2:] + "-extra", 1, ""},
		{"future version with an empty tail", "01" + sampled[2:] + "-", 1, ""},

		{"empty", "", 0, "0 characters, not 55"},
		{"short", sampled[1:], 0, "54 characters, not 55"},
		{"version 00 with a tail", sampled + "-extra", 0, "61 characters, and version 00 has 55"},
		{"version 00 with a dash behind", sampled + "-", 0, "56 characters, and version 00 has 55"},
		{"future version with a dot behind", "cc" + sampled[2:] + ".extra", 0, "something else than a dash"},
		{"version ff", "ff" + sampled[2:], 0, "version ff is forbidden"},
		{"version", ".0" + sampled[2:], 0, "the version is not"},
		{"upper-case version", "CC" + sampled[2:], 0, "the version is not"},
		{"upper-case trace id", strings.ToUpper(sampled), 0, "the trace id is not"},
		{"trace id", sampled[:34] + "g" + sampled[35:], 0, "the trace id is not"},
		{"parent id", sampled[:36] + "/" + sampled[37:], 0, "the parent id is not"},
		{"upper-case parent id", "00-" + traceID + "-" + strings.ToUpper(spanID) + "-01", 0, "the parent id is not"},
		{"flags", sampled[:54] + ":", 0, "the flags are not"},
		{"dashes", strings.ReplaceAll(sampled, "-", "_"), 0, "not parted by dashes"},
		{"zero trace id", "00-" + strings.Repeat("0", 32) + "-" + spanID + "-01", 0, "the trace id is all zero"},
		{"zero parent id", "00-" + traceID + "-0000000000000000-01", 0, "the parent id is all zero"},
		{"not ASCII", "00-" + traceID[:30] + "é-" + spanID + "-01", 0, "the trace id is not"},
		{"a blank that is none", "\u00a0" + sampled, 0, "not parted by dashes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, err := w3c.ParseTraceparent(test.value)
			if test.problem != "" {
				if err == nil || !strings.Contains(err.Error(), test.problem) {
					t.Errorf("the error is %v and should say %q", err, test.problem)
				}
				if p != (w3c.Parent{}) {
					t.Errorf("with the error comes %v", p)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if want := "00-" + traceID + "-" + spanID + "-0" + strconv.Itoa(int(test.flags)); p.String() != want {
				t.Errorf("it is %s, want %s", p, want)
			}
		})
	}
}

func TestParseTraceparentQuotesLittle(t *testing.T) {
	_, err := w3c.ParseTraceparent(strings.Repeat("x", 1<<20))
	if err == nil || len(err.Error()) > 500 {
		t.Errorf("the error has %d characters", len(err.Error()))
	}
}

// TestCasesTraceparent has the cases of real peers: TC-07, TC-09. What they say of outgoing values, the String says here.
func TestCasesTraceparent(t *testing.T) {
	b, err := os.ReadFile("testdata/traceparent.tsv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")[1:]
	for _, line := range lines {
		quoted, want, _ := strings.Cut(line, "\t")
		value, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		p, err := w3c.ParseTraceparent(value)
		switch {
		case strings.HasPrefix(want, "invalid"):
			if err == nil {
				t.Errorf("%q is taken, and is %s", value, want)
			}
		case err != nil:
			t.Errorf("%q: %v", value, err)
		case !strings.HasPrefix(p.String(), "00-"+traceID+"-"+spanID):
			t.Errorf("%q gives %s", value, p)
		case strings.Contains(want, "keep bit 0x02") && p.Flags != w3c.Sampled|w3c.Random:
			t.Errorf("%q gives flags %02x", value, p.Flags)
		}
	}
}

func TestParentAllocations(t *testing.T) {
	p, _ := w3c.ParseTraceparent(sampled)
	buf := make([]byte, 0, w3c.TraceparentLen)
	var s string
	for name, test := range map[string]struct {
		most float64
		run  func()
	}{
		"parse":    {0, func() { p, _ = w3c.ParseTraceparent(sampled) }},
		"AppendTo": {0, func() { buf = p.AppendTo(buf[:0]) }},
		"String":   {1, func() { s = p.String() }},
	} {
		if n := testing.AllocsPerRun(100, test.run); n > test.most {
			t.Errorf("%s allocates %v times, at most %v are allowed", name, n, test.most)
		}
	}
	if s != sampled || string(buf) != sampled {
		t.Errorf("%s, %s", s, buf)
	}
}

func FuzzParseTraceparent(f *testing.F) {
	for _, s := range []string{sampled, sampled + "-x", "cc" + sampled[2:] + "-x", " " + sampled + "\t", "", "ff", sampled[:53] + "ff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := w3c.ParseTraceparent(s)
		if err != nil {
			if p.Valid() {
				t.Errorf("an error, and %v", p)
			}
			return
		}
		if !p.Valid() {
			t.Fatal("no error, and not valid")
		}
		again, err := w3c.ParseTraceparent(p.String())
		if err != nil || again != p {
			t.Errorf("%q gives %v, which reads back as %v, %v", s, p, again, err)
		}
	})
}
