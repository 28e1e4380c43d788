package pattern

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestLast has the results of re.finditer in CPython: the last match and its groups.
func TestLast(t *testing.T) {
	tests := map[string]struct {
		python string
		flags  Flags
		text   string
		want   []string // nil for no match
	}{
		"last":                 {`Answer:\s*([A-Za-z])`, 0, "Answer: A? No. Answer: B", []string{"Answer: B", "B"}},
		"none":                 {`Answer: ([A-Z])`, 0, "answer: a", nil},
		"ignore_case":          {`Answer: ([A-Z])`, IgnoreCase, "answer: a", []string{"answer: a", "a"}},
		"group_without_part":   {`(a)|(b)`, 0, "b", []string{"b", "", "b"}},
		"named_group":          {`(?P<letter>[A-D])\)`, 0, "B)", []string{"B)", "B"}},
		"digits_of_unicode":    {`\d+`, 0, "٣٤", []string{"٣٤"}},
		"no_digits":            {`\D+`, 0, "12ab٣", []string{"ab"}},
		"words_of_unicode":     {`\w+`, 0, "«naïve_1»", []string{"naïve_1"}},
		"no_words":             {`\W`, 0, "é!", []string{"!"}},
		"space_of_unicode":     {`a\sb`, 0, "a\u00a0b", []string{"a\u00a0b"}},
		"no_space":             {`a\Sb`, 0, "a\u00a0b", nil},
		"ascii":                {`(?a)\w+`, 0, "naïve", []string{"ve"}},
		"class_with_words":     {`[\w.-]+`, 0, "<é.x-1>", []string{"é.x-1"}},
		"class_of_everything":  {`a([\s\S]*)b`, 0, "a\nx\nb", []string{"a\nx\nb", "\nx\n"}},
		"opposite_in_a_class":  {`[^\W\d]+`, 0, "12éa_3", []string{"éa_"}},
		"no_digit_in_a_class":  {`[\D]+`, 0, "1a2", []string{"a"}},
		"bracket_in_a_class":   {`[]a[]+`, 0, "x]a[x", []string{"]a["}},
		"no_posix_class":       {`[[:alpha:]]+`, 0, "xa]]", []string{"a]]"}},
		"backspace":            {`[\b]`, 0, "\b", []string{"\b"}},
		"code_points":          {`\u00e9\x41\U0001F600\101\0`, 0, "éA😀A\x00", []string{"éA😀A\x00"}},
		"end":                  {`b\Z`, 0, "a b", []string{"b"}},
		"repeat_without_least": {`^a{,2}$`, 0, "aa", []string{"aa"}},
		"repeat_without_most":  {`^a{,}$`, 0, "aaaa", []string{"aaaa"}},
		"repeat":               {`^a{2,3}?`, 0, "aaa", []string{"aa"}},
		"brace":                {`\boxed{([A-D])}`, 0, "x oxed{B}", []string{"oxed{B}", "B"}},
		"boxed":                {`\\boxed\{([A-D])\}`, 0, `\boxed{B}`, []string{`\boxed{B}`, "B"}},
		"braces_as_text":       {`a{x}{}`, 0, "a{x}{}", []string{"a{x}{}"}},
		"comment":              {`a(?#any text)b`, 0, "ab", []string{"ab"}},
		"flags_inside":         {`(?i:a)b`, 0, "Ab", []string{"Ab"}},
		"flag_of_unicode":      {`(?iu)A`, 0, "a", []string{"a"}},
		"lazy":                 {`a+?`, 0, "aa", []string{"a"}},
		"multiline":            {`^b$`, Multiline, "a\nb\nc", []string{"b"}},
		"dot_all":              {`a.b`, DotAll, "a\nb", []string{"a\nb"}},
		"escaped_punctuation":  {`\"\ \-\é\_`, 0, `" -é_`, []string{`" -é_`}},
		"arabic_letters":       {`الإجابة:\s*([أ-د])`, IgnoreCase, "الإجابة: ب", []string{"الإجابة: ب", "ب"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := Compile(test.python, test.flags)
			if err != nil {
				t.Fatal(err)
			}
			got, ok, err := p.Last(NewWork(t.Context()), test.text)
			if err != nil || ok != (test.want != nil) || !slices.Equal(got, test.want) {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestCompileErrors(t *testing.T) {
	tests := []struct {
		python      string
		unsupported bool
		want        string
	}{
		{`a(?=b)`, true, "has a lookahead at offset 1"},
		{`a(?!b)`, true, "has a negative lookahead at offset 1"},
		{`(?<=a)b`, true, "has a lookbehind at offset 0"},
		{`(?<!a)b`, true, "has a negative lookbehind at offset 0"},
		{`(a)\1`, true, "has a backreference at offset 3"},
		{`(?P<x>a)(?P=x)`, true, "has a backreference at offset 8"},
		{`(?>a)`, true, "has an atomic group at offset 0"},
		{`(a)?(?(1)b|c)`, true, "has a conditional at offset 4"},
		{`a++`, true, "has a possessive quantifier at offset 2"},
		{`a{2}+`, true, "has a possessive quantifier at offset 4"},
		{`(?x)a b`, true, "has the flag x (verbose) at offset 2"},
		{`\N{DASH}`, true, `has a character by its name (\N{...}) at offset 0`},
		{`a{2000}`, true, "has a repeat of more than 1000 times"},
		{strings.Repeat("(a?b?c?d?e?f?g?h?i?j?){1000}", 2), true, "has more size or depth than is allowed"},
		{`(a`, false, "is no regular expression: missing closing )"},
		{`[a`, false, "unterminated character set"},
		{`a**`, false, "invalid nested repetition operator"},
		{`\q`, false, `bad escape \q`},
		{`\u12`, false, "incomplete escape"},
		{`\xzz`, false, "bad escape"},
		{`a\`, false, "bad escape at the end"},
		{`(?<x>a)`, false, "unknown extension or flag '<'"},
		{`(?#a`, false, "unterminated comment"},
		{`(?i`, false, "unterminated flags"},
	}
	for _, test := range tests {
		_, err := Compile(test.python, 0)
		_, unsupported := errors.AsType[*UnsupportedError](err)
		if err == nil || unsupported != test.unsupported || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), fmt.Sprintf("%q", test.python)) {
			t.Errorf("%s: got %v (unsupported: %v), want %q", test.python, err, unsupported, test.want)
		}
	}
}

// TestLastOfMany compares with all matches of package regexp, where what stands before a match matters.
func TestLastOfMany(t *testing.T) {
	for _, python := range []string{`^a`, `\ba`, `\Ba`, `a*`, `b*?`, `$`, `(?m)^.?`, `(?m)$`, `(a)|(é)|`, `é|\b`, `(?s).$`, `a|ab`, `\Aa`} {
		p, err := Compile(python, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"", "a", "aab é a", "é", "ab\naé\n", "éé a", "baaac", "\xff\xffa"} {
			all := p.re.FindAllStringSubmatch(text, -1)
			got, ok, err := p.Last(NewWork(t.Context()), text)
			if err != nil || ok != (len(all) > 0) || ok && !slices.Equal(got, all[len(all)-1]) {
				t.Errorf("%q in %q: got %q, %v, want the last of %q", python, text, got, err, all)
			}
		}
	}
}

// TestLastGivesUp has a search that takes the square of its text: each of many matches is found only at the text's end.
func TestLastGivesUp(t *testing.T) {
	p, err := Compile(`(a*)b|a`, 0)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("a", 1<<20)
	if _, _, err := p.Last(&Work{ctx: t.Context(), left: 1 << 20}, text); !errors.Is(err, ErrTooMuch) {
		t.Errorf("got %v, want ErrTooMuch", err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, _, err := p.Last(NewWork(gone), text); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller has left: got %v", err)
	}
}

func TestCache(t *testing.T) {
	var c Cache
	first, err := c.Compile("a", 0)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := c.Compile("a", 0); again != first {
		t.Error("a pattern was compiled twice")
	}
	if other, _ := c.Compile("a", IgnoreCase); other == first {
		t.Error("another flag is another pattern")
	}
	for i := range 3 * maxCached {
		_, _ = c.Compile(fmt.Sprint(i), 0)
		_, _ = c.Compile("(?=x)", 0)
	}
	if len(c.kept) > maxCached {
		t.Errorf("%d patterns are kept", len(c.kept))
	}
	if _, err := c.Compile(strings.Repeat("a", maxText+1), 0); err == nil || len(err.Error()) > 1000 {
		t.Errorf("a pattern of any length: %.100v", err)
	}
	for k := range c.kept {
		if len(k.python) > maxText {
			t.Errorf("a pattern of %d bytes is kept", len(k.python))
		}
	}
	if _, err := c.Compile("(?=x)", 0); err == nil {
		t.Error("an error was not kept")
	}
}

func FuzzCompile(f *testing.F) {
	for _, seed := range []string{`Answer:\s*([A-D])`, `[^\W\d_]+`, `a{,3}(?#x)[\]\[]`, `(?i-s:a)\u00e9\0`, `(?P<n>x)*?`} {
		f.Add(seed, "Answer: B")
	}
	f.Fuzz(func(t *testing.T, python, text string) {
		if p, err := Compile(python, IgnoreCase); err == nil {
			got, ok, err := p.Last(&Work{ctx: t.Context(), left: 1 << 20}, text)
			if err != nil {
				t.Skip(err)
			}
			all := p.re.FindAllStringSubmatch(text, -1)
			if ok != (len(all) > 0) || ok && !slices.Equal(got, all[len(all)-1]) {
				t.Errorf("%q in %q: got %q, want the last of %q", python, text, got, all)
			}
		}
	})
}
