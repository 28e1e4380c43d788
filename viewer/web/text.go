package web

import (
	"encoding/base64"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/lensgo/lens/viewer/otlp"
)

const (
	maxText       = 64 << 10 // bytes of one value in an answer
	maxTexts      = 1 << 20  // bytes of all values of an answer
	maxAttributes = 512
)

// clip cuts s to at most n bytes, at a character, and says so with an ellipsis.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return cutText(s, n) + "…"
}

// cutText cuts s to at most n bytes, at a character.
func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func quote(s string) string { return strconv.QuoteToGraphic(s) }

// budget bounds the text of one answer.
type budget struct{ left int }

func newBudget() *budget { return &budget{left: maxTexts} }

// cut returns what of s may be shown, and how many bytes are left out.
func (b *budget) cut(s string) (text string, cut int) {
	text = cutText(s, min(maxText, max(b.left, 0)))
	b.left -= len(text)
	return text, len(s) - len(text)
}

// attributes turns attributes into text, and counts all there are.
func (b *budget) attributes(each func(func(string, otlp.Value) bool)) (list []Attribute, total int) {
	for key, v := range each {
		if total++; total > maxAttributes {
			continue
		}
		kind, text := valueText(v)
		a := Attribute{Key: clip(otlp.Text(key), 1000), Type: kind}
		a.Text, a.Cut = b.cut(text)
		list = append(list, a)
	}
	return list, total
}

// valueText is the type and the text of an attribute's value.
func valueText(v otlp.Value) (kind, text string) {
	switch v.Kind() {
	case otlp.ValueStr:
		return "string", otlp.Text(v.Str())
	case otlp.ValueInt:
		return "int", strconv.FormatInt(v.Int(), 10)
	case otlp.ValueFloat:
		return "double", floatText(v.Float())
	case otlp.ValueBool:
		return "bool", strconv.FormatBool(v.Bool())
	case otlp.ValueBytes:
		return "bytes", base64.StdEncoding.EncodeToString(v.Bytes())
	case otlp.ValueList:
		return "array", string(v.AppendJSON(nil))
	case otlp.ValueMap:
		return "map", string(v.AppendJSON(nil))
	}
	return "empty", ""
}

func floatText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// finite is nil for what JSON cannot hold.
func finite(f float64) *float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}
