package emit

import (
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lensgo/lens"
)

func TestParseInstant(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1e9, "1.5": 15e8, "1700000000.123456789": 1_700_000_000_123_456_789, "1.0000000019999": 1_000_000_001, // cut, not rounded
		"1e3": 1e12, ".25": 25e7, "+2": 2e9, "9223372036.854775807": 9_223_372_036_854_775_807,
	} {
		i, err := parseInstant("start", text)
		if err != nil || i.time.UnixNano() != want || i.text != text {
			t.Errorf("%q: %v, %v", text, i, err)
		}
	}
	for text, want := range map[string]string{
		"": "its start is missing", "x": `its start "x" is no decimal number`, "nan": "must be finite", "-inf": "must be finite",
		"-1": "must be between 0 and 9223372036 seconds", "1700000000000": "is it in milliseconds?", "9223372036.854775808": "must be between",
	} {
		if _, err := parseInstant("start", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// An inversion counts however small it is, below the nanoseconds of a time as well.
func TestSpan_times(t *testing.T) {
	for _, c := range []struct {
		interval, took string
		inverted       bool
		delta          *big.Int
	}{
		{"a,1,2.5", "1.500", false, nil},
		{"a,1,1", "0.000", false, nil},
		{"a,1,1.0005", "0.001", false, nil},
		{"a,1.00000000000001,1", "0.000", true, nil},
		{"a,100,1.5", "0.000", true, nil},
		{"a,1e3,1000.00", "0.000", false, nil},
	} {
		s, err := parseInterval(c.interval)
		if err != nil || s.Duration() != c.took || s.inverted() != c.inverted {
			t.Errorf("%s: %v, %s, inverted %t", c.interval, err, s.Duration(), s.inverted())
		}
		if config := s.config(); c.inverted && !config.End.Equal(config.Start) {
			t.Errorf("%s ends at %v", c.interval, config.End)
		}
	}
}

// Every problem of a list is told, and each only once.
func TestList_problems(t *testing.T) {
	for name, c := range map[string]struct {
		spans []string
		want  []string
	}{
		"nothing":             {nil, []string{"there are no spans"}},
		"parts":               {[]string{"a", "a,1", "a,1,2,b,c"}, []string{`"a": expected NAME,START,END[,PARENT]`, `"a,1": expected`, `"a,1,2,b,c": expected`}},
		"no name":             {[]string{" ,1,2"}, []string{"its name is missing"}},
		"no times":            {[]string{"a,,"}, []string{"its start is missing; give seconds since 1970, such as 1700000000.25; its end is missing"}},
		"both times":          {[]string{"a,x,inf"}, []string{`its start "x" is no decimal number; give seconds since 1970, such as 1700000000.25; its end must be finite`}},
		"a name twice":        {[]string{"a,1,2", " a ,1,2"}, []string{`span "a": 2 spans have this name`}},
		"parent twice":        {[]string{"a,1,2", "a,1,2", "b,1,2,a"}, []string{`span "a": 2 spans`, `span "b": its parent "a" is ambiguous`}},
		"unknown parent":      {[]string{"a,1,2,b"}, []string{`span "a": its parent "b" is not among the spans`}},
		"own parent":          {[]string{"a,1,2,a"}, []string{`span "a": it is below itself`}},
		"circle":              {[]string{"a,1,2,b", "b,1,2,a", "c,1,2,b", "d,1,2"}, []string{`span "a": it is below`, `span "b": it is below`, `span "c": it is below`}},
		"below a bad one":     {[]string{"a,x,2", "b,1,2,a"}, []string{`span "a": its start "x"`}},
		"several of them all": {[]string{"a,1", "b,1,2,z", "c,nan,2"}, []string{`"a,1"`, `span "c"`, `span "b": its parent "z"`}},
	} {
		t.Run(name, func(t *testing.T) {
			var l List
			for _, s := range c.spans {
				l.Add(s)
			}
			spans, problems := l.Order()
			if spans != nil || len(problems) != len(c.want) {
				t.Fatalf("%d spans; problems %q, want %d of them", len(spans), problems, len(c.want))
			}
			for i, want := range c.want {
				if !strings.Contains(problems[i], want) {
					t.Errorf("%q is not in %q", want, problems[i])
				}
			}
		})
	}
}

// Parents come first, layer by layer, whatever the order of the list.
func TestList_order(t *testing.T) {
	var l List
	for _, s := range []string{"leaf,3,4,twig", "root,1,9", "twig,2,5,root", "other root,1,2", "twin,2,5,root", "below twin,2,3,twin", "alone,1,2,"} {
		l.Add(s)
	}
	spans, problems := l.Order()
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var names []string
	for _, s := range spans {
		names = append(names, s.Name)
	}
	if want := []string{"root", "other root", "alone", "twig", "twin", "leaf", "below twin"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	if l.Names()[0] != "leaf" {
		t.Errorf("as they came: %q", l.Names())
	}
}

// What is said before the first span is said of all, and what is said of one wins.
func TestList_details(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	var l List
	l.Kind("Client")
	l.Status("error: common ")
	l.Attribute("a=all")
	l.Add("one,1,2")
	l.Kind("internal")
	l.Status("unset")
	l.Attribute("a=own")
	l.Link(parent)
	if err := l.ReadLines(strings.NewReader(`{"name":"two","start":1,"end":"2.5","kind":"server","status":"OK","links":["` + parent +
		`"],"attributes":{"s":"x","b":true,"i":-3,"f":1.5,"l":["p","q"],"e":1e3}}` + "\n\n" + `{"name":" three ","start":1,"end":2,"parent":"one"}`)); err != nil {
		t.Fatal(err)
	}
	spans, problems := l.Order()
	if len(problems) > 0 || len(spans) != 3 {
		t.Fatal(spans, problems)
	}
	one, two, three := spans[0], spans[1], spans[2]
	if *one.kind != lens.Internal || *one.status != (status{}) || len(one.links) != 1 || len(one.attrs) != 2 {
		t.Errorf("one: %+v", one.details)
	}
	if *two.kind != lens.Server || !two.status.ok || len(two.links) != 1 || len(two.attrs) != 7 || two.end.time.Sub(two.start.time) != 1500*time.Millisecond {
		t.Errorf("two: %+v", two)
	}
	if three.Name != "three" || three.Parent != "one" || *three.kind != lens.Client || *three.status != (status{failed: true, text: "common"}) || len(three.attrs) != 1 {
		t.Errorf("three: %+v", three)
	}
}

func TestList_bad_details(t *testing.T) {
	var l List
	l.Add("a,1,2")
	for _, text := range []string{"x", "=1", " :=1", "n:=", "n:={}", "n:=null", "n:=[1]", "n:=[null]", "n:=1 2", "n:=99999999999999999999", "n:=1e999", "n:=nope", `n:="x`} {
		before := len(l.problems)
		if l.Attribute(text); len(l.problems) != before+1 {
			t.Errorf("the attribute %q is taken: %q", text, l.problems)
		}
	}
	for _, text := range []string{"", "clientele"} {
		l.Kind(text)
	}
	for _, text := range []string{"", "fine", "ok:really", "unset:x"} {
		l.Status(text)
	}
	l.Link("00-1-2-3")
	if _, problems := l.Order(); len(problems) != 20 {
		t.Errorf("%d problems: %q", len(problems), problems)
	}
}

func TestReadLines_problems(t *testing.T) {
	for text, want := range map[string]string{
		`nope`:                                 "line 1: it is no JSON",
		`{"name":"a","start":1,"end":2`:        "line 1: it is no JSON",
		"\n[1]":                                "line 2: it must be a JSON object",
		`7`:                                    "line 1: it must be a JSON object",
		`{"start":1,"end":2}`:                  "line 1: its name is missing",
		`{"name":"a","end":2}`:                 `line 1: span "a": its start is missing`,
		`{"name":"a","start":true,"end":null}`: `line 1: span "a": its start "true" is no decimal number`,
		`{"name":"a","start":1,"end":2,"x":1}`: `line 1: the member "x" is unknown; members are name, start`,
		`{"name":1,"start":1,"end":2}`:         `line 1: the member "name" has a value of another kind`,
		`{"name":"a","name":"b","start":1,"end":2}`:                                             "line 1: it is no JSON",
		`{"name":"a","start":1,"end":2,"kind":"q","status":"z","links":["l"]}`:                  `line 1: span "a": the kind "q" is none; it must be internal, server, client, producer or consumer; the status "z"`,
		`{"name":"a","start":1,"end":2,"attributes":{"k":{}}}`:                                  `the attribute k is {}; it must be`,
		`{"name":"a","start":1,"end":2,"attributes":{"k":"` + "\xff" + `"}}`:                    "line 1: it is no JSON",
		`{"name":"a","start":1,"end":2,"attributes":{"k":[` + strings.Repeat("1,", 99) + `1]}}`: "...; it must be",
	} {
		var l List
		if err := l.ReadLines(strings.NewReader(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if _, problems := l.Order(); len(problems) != 1 || !strings.Contains(problems[0], want) {
			t.Errorf("%s:\n%q, want %s", text, problems, want)
		}
	}
	var l List
	if err := l.ReadLines(strings.NewReader("\n" + strings.Repeat(" ", maxLine+1))); err == nil || !strings.Contains(err.Error(), "line 2 has more than") {
		t.Errorf("a line without end: %v", err)
	}
}

// Lines come from outside.
func FuzzReadLines(f *testing.F) {
	f.Add(`{"name":"a","start":1,"end":"2.5","kind":"server","status":"ok","attributes":{"s":"x","l":["p"]}}`)
	f.Add(`{"name":"a","start":1e9,"end":-1,"parent":"a","links":["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var l List
		if l.ReadLines(strings.NewReader(text)) != nil {
			return
		}
		spans, problems := l.Order()
		if (len(spans) > 0) == (len(problems) > 0) {
			t.Errorf("%d spans and %q", len(spans), problems)
		}
		for _, s := range spans {
			if c := s.config(); c.End.Before(c.Start) || s.Name == "" {
				t.Errorf("%q from %v to %v", s.Name, c.Start, c.End)
			}
		}
	})
}
