package model

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

func TestParseSlots(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"no slots", "What's the matter?", nil},
		{"integers in order", "Add 4, then 5 (and 6).", []string{"4", "5", "6"}},
		{"mixed in order", "Put 3 into 'box' and 4 into 'bag'", []string{"3", `"box"`, "4", `"bag"`}},
		{"negative", "add -30 and −7, then (-2)", []string{"-30", "-7", "-2"}},
		{"a plus is no part of it", "+5", []string{"5"}},
		{"a dash between words is no sign", "10 --3 x-4", []string{"10", "3"}},
		{"leading zeros", "007", []string{"7"}},
		{"the ends of int64", "9223372036854775807 and -9223372036854775808", []string{"9223372036854775807", "-9223372036854775808"}},
		{"beyond int64", "9223372036854775808 and -9223372036854775809", nil},
		{"a comma separates", "1,2 and 1,000", []string{"1", "2", "1", "0"}},
		{"sentence marks end it", "1. 2: 3! 4? 5; 6…", []string{"1", "2", "3", "4", "5", "6"}},
		{"part of a longer token", "3.5 .5 3rd B12 v2 10:30 2026-05-01 1/2 a_1 2_b 5's 7-day", nil},
		{"other digits", "٣ ३", nil},
		{"percent and currency", "50% of $9", []string{"50", "9"}},
		{"quoted word", "in 'Oslo'?", []string{`"Oslo"`}},
		{"quoted words with blanks", "in 'San Francisco', please", []string{`"San Francisco"`}},
		{"other quotes", `"one" ‘two’ “three”`, []string{`"one"`, `"two"`, `"three"`}},
		{"apostrophes inside words", "It's Anna's: 'St. John's' isn't far", []string{`"St. John's"`}},
		{"typographic apostrophes", "It’s Anna’s: ‘St. John’s’", []string{`"St. John’s"`}},
		{"apostrophe at the start of a word", "'tis fine, it's 'good'", []string{`"good"`}},
		{"apostrophe at the end of a word", "the dogs' bowl and 'the cat'", []string{`"the cat"`}},
		{"integers inside quotes belong to the word", "'route 66' 7", []string{`"route 66"`, "7"}},
		{"a quote that stays open", "'never closed 5", []string{"5"}},
		{"over the end of a line", "'one\ntwo' 3", []string{"3"}},
		{"empty quotes", "'' \"\" 1", []string{"1"}},
		{"blanks beside the marks", "rock ' n ' roll 8", []string{"8"}},
		{"marks of another kind inside", `'say "hi"'`, []string{`"say \"hi\""`}},
		{"other letters", "in 'Zürich' und 'Ōsaka'", []string{`"Zürich"`, `"Ōsaka"`}},
		{"bytes that are no text", "'a\xffb' 1\xff2", []string{"\"a\uFFFDb\"", "1", "2"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, s := range parseSlots(tt.text) {
				got = append(got, s.json)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("parseSlots(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func FuzzParseSlots(f *testing.F) {
	for _, text := range []string{
		"", "Add 4, then -5.", "'San Francisco' “x” ‘y’ \"z\"", "It's 'St. John's' 3.5 10:30", "'", "''", "'a\n'", "-", "−9", "\xff'\xfe'", "9999999999999999999",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		slots := parseSlots(text)
		rest := strings.ToValidUTF8(text, "\uFFFD")
		for _, s := range slots {
			value := jsontext.Value(s.json)
			if !value.IsValid() {
				t.Fatalf("slot %q of %q is not JSON", s.json, text)
			}
			switch s.kind {
			case integerSlot:
				var n int64
				if err := json.Unmarshal(value, &n); err != nil {
					t.Fatalf("slot %s of %q is no int64: %v", s.json, text, err)
				}
			case wordSlot:
				var word string
				if err := json.Unmarshal(value, &word); err != nil {
					t.Fatal(err)
				}
				i := strings.Index(rest, word)
				if word == "" || !utf8.ValidString(word) || strings.Contains(word, "\n") || i < 0 {
					t.Fatalf("slot %q does not follow in %q", word, rest)
				}
				rest = rest[i+len(word):]
			default:
				t.Fatalf("slot of kind %d", s.kind)
			}
		}
		if again := parseSlots(text); !slices.Equal(slots, again) {
			t.Fatalf("parseSlots(%q) = %v, then %v", text, slots, again)
		}
	})
}
