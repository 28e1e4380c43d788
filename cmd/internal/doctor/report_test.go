package doctor

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// One thing about several signals is said once; problems come first, and no note repeats one.
func TestReport_findings(t *testing.T) {
	r := &Report{}
	r.add(Note, "setting", "traces", "a note")
	r.add(Note, "path", "traces", "a guess")
	r.add(Problem, "refused", "traces", "nobody")
	r.add(Problem, "path", "traces", "nothing there")
	r.add(Problem, "refused", "metrics", "nobody")
	r.add(Problem, "refused", "metrics", "nobody")
	r.complete()
	var got []string
	for _, f := range r.Findings {
		got = append(got, string(f.Level)+" "+f.Code+" "+strings.Join(f.Signals, "+"))
	}
	if want := []string{"problem refused traces+metrics", "problem path traces", "note setting traces"}; !slices.Equal(got, want) || r.OK {
		t.Errorf("%q, want %q; ok %t", got, want, r.OK)
	}
}

// The page of the doctor lists every code, and none that there is not.
func TestReport_codes(t *testing.T) {
	page, err := os.ReadFile("../../../docs/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "The codes are\n")
	table, _, _ = strings.Cut(table, "\n## ")
	listed := found(regexp.MustCompile("`([a-z_]+)`"), table)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var source string
	for _, name := range files {
		if text, err := os.ReadFile(name); err == nil && !strings.HasSuffix(name, "_test.go") {
			source += string(text)
		}
	}
	given := append(found(regexp.MustCompile(`diagnosis\{"([a-z_]+)"`), source), found(regexp.MustCompile(`add\((?:Problem|Note), "([a-z_]+)"`), source)...)
	slices.Sort(given)
	if given = slices.Compact(given); len(given) < 20 || !slices.Equal(given, listed) {
		t.Errorf("the code gives\n%q\nand the page lists\n%q", given, listed)
	}
}

// found are the different first groups of all matches.
func found(pattern *regexp.Regexp, text string) (all []string) {
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Colours are for terminals, and what others have written acts on none.
func TestWriteText_color(t *testing.T) {
	r := &Report{Settings: []Setting{{"service", "a\x1b[2Jb", "", ""}}}
	r.add(Problem, "x", "", "red \x1b[31m alert")
	r.complete()
	for _, color := range []bool{false, true} {
		var b bytes.Buffer
		if err := r.WriteText(&b, color); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if strings.Contains(text, string(bold)) != color || strings.Contains(text, "\x1b[2J") || strings.Contains(text, "\x1b[31m") {
			t.Errorf("%q", text)
		}
	}
}

func TestWrap(t *testing.T) {
	got := wrap("aaa bbb ccc dddddddddd e", 7)
	if want := []string{"aaa bbb", "ccc", "dddddddddd", "e"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSentence(t *testing.T) {
	for text, want := range map[string]string{
		"cannot read it": "Cannot read it.", "OTEL_X=a is odd": "OTEL_X=a is odd.", "is it?": "Is it?", "http://h: no": "http://h: no.", "": "", "a\nb": "A b.",
	} {
		if got := sentence(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1 KiB", 1536: "1.5 KiB", 256 << 20: "256 MiB", 5<<40 + 1<<39: "5.5 TiB"} {
		if got := size(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	if got := counted(2, "living process") + counted(1, "span") + counted(0, "note"); got != "2 living processes1 span0 notes" {
		t.Error(got)
	}
	if got := timeout(0) + " " + timeout(1500*time.Millisecond); got != "none 1.5s" {
		t.Error(got)
	}
}

func TestNear(t *testing.T) {
	names := []string{"NEMO_LENS_SPAN_GROUPS", "NEMO_LENS_SPOOL", "default"}
	for name, want := range map[string]string{
		"NEMO_LENS_SPANGROUPS": names[0], "nemo_lens_spool": names[1], "NEMO_LENS_SPOOLS_X": "", "defualt": "default", "abc": "", "NEMO_LENS_COLOUR": "",
	} {
		if got := near(name, names); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
