package resource

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"

	"github.com/lensgo/lens/internal/envlist"
)

// EnvAttributes is the variable in which resource attributes go from a process to its children.
const EnvAttributes = "OTEL_RESOURCE_ATTRIBUTES"

// FromEnv returns what OTEL_RESOURCE_ATTRIBUTES says, by [Parse].
func FromEnv() []attribute.KeyValue { return Parse(os.Getenv(EnvAttributes)) }

// Parse reads the text form "key=value,key=value" of resource attributes. Keys and values are trimmed; the value, and
// only the value, is percent-decoded, and a plus stays a plus. All values are strings; [Integers] makes numbers of those that
// are known to be some. A key that is named twice keeps its place and takes its last value.
//
// Parse takes whatever it is given: a part without "=" or without a key is skipped, and a value that does not decode
// stays as it is.
func Parse(text string) []attribute.KeyValue {
	var s set
	for key, value := range envlist.Pairs(text) {
		s.put(attribute.String(key, value))
	}
	return s.attrs
}

// Format writes attributes in the text form that [Parse] reads, and that every OpenTelemetry SDK does. Values are
// percent-encoded, all but letters, digits and "-._~"; true and false are "True" and "False", as Python writes them. Of keys
// that are equal when trimmed the last one counts. An attribute without a value is left out.
//
// What the form cannot carry is left out too, and named by the error, beside which the text is good all the same: keys that
// are empty, are not UTF-8 or hold ",", "=" or a control character, which have no encoding, and values that are neither text
// nor boolean nor number.
func Format(attrs ...attribute.KeyValue) (string, error) {
	sound, err := encodable(attrs)
	var s segments
	for _, kv := range sound {
		if kv.Value.Type() != attribute.EMPTY {
			s.put(string(kv.Key), segment(kv))
		}
	}
	return s.String(), err
}

// Extend adds attributes to a text of the form that [Format] writes: overrides win over what the text says, and that wins over
// defaults. An override with empty text is one, and an override without a value takes its key out. What the text says and
// nothing overrides stays as it is written, but for control characters, which are encoded. What cannot be carried is named by
// the error and changes nothing; the text is good all the same.
func Extend(text string, defaults, overrides []attribute.KeyValue) (string, error) {
	s, err := segmentsOf(text)
	given := maps.Clone(s.at)
	below, err2 := encodable(defaults)
	above, err3 := encodable(overrides)
	for _, kv := range below {
		if _, there := given[string(kv.Key)]; !there {
			s.put(string(kv.Key), segment(kv))
		}
	}
	for _, kv := range above {
		s.put(string(kv.Key), segment(kv))
	}
	return s.String(), errors.Join(err, err2, err3)
}

// segmentsOf splits a text into its parts, as they are written.
func segmentsOf(text string) (s segments, err error) {
	for part := range strings.SplitSeq(text, ",") {
		key, _, ok := strings.Cut(part, "=")
		if key, part = strings.TrimSpace(key), strings.TrimSpace(part); !ok || key == "" {
			continue
		}
		if strings.ContainsFunc(part, unicode.IsControl) {
			sound, bad := encodable(Parse(part))
			if err = errors.Join(err, bad); bad != nil {
				continue
			}
			part = segment(sound[0])
		}
		s.put(key, part)
	}
	return s, err
}

// segments are the parts of the text form, in the order in which their keys came first.
type segments struct {
	parts []string // empty: the key is taken out
	at    map[string]int
}

func (s *segments) put(key, part string) {
	if i, there := s.at[key]; there {
		s.parts[i] = part
		return
	}
	if s.at == nil {
		s.at = map[string]int{}
	}
	s.at[key] = len(s.parts)
	s.parts = append(s.parts, part)
}

func (s segments) String() string {
	return strings.Join(slices.DeleteFunc(slices.Clone(s.parts), func(part string) bool { return part == "" }), ",")
}

// segment is the text form of one attribute, empty for one without a value.
func segment(kv attribute.KeyValue) string {
	if kv.Value.Type() == attribute.EMPTY {
		return ""
	}
	return string(kv.Key) + "=" + escape(plain(kv.Value))
}

// set holds attributes in the order in which their keys came first.
type set struct {
	attrs []attribute.KeyValue
	at    map[attribute.Key]int
}

// put adds kv, or replaces the value that its key has.
func (s *set) put(kv attribute.KeyValue) {
	if i, there := s.at[kv.Key]; there {
		s.attrs[i] = kv
		return
	}
	if s.at == nil {
		s.at = map[attribute.Key]int{}
	}
	s.at[kv.Key] = len(s.attrs)
	s.attrs = append(s.attrs, kv)
}

// encodable returns the attributes that the text form can carry, with trimmed keys, and an error for each of the others.
func encodable(attrs []attribute.KeyValue) (sound []attribute.KeyValue, err error) {
	var errs []error
	for _, kv := range attrs {
		kv.Key = attribute.Key(strings.TrimSpace(string(kv.Key)))
		if why := obstacle(kv); why != "" {
			errs = append(errs, fmt.Errorf("cannot write resource attribute %q to %s: %s", clip(string(kv.Key)), EnvAttributes, why))
			continue
		}
		sound = append(sound, kv)
	}
	return sound, errors.Join(errs...)
}

// obstacle says why the text form cannot carry an attribute.
func obstacle(kv attribute.KeyValue) string {
	key := string(kv.Key)
	switch {
	case key == "":
		return "it has no key"
	case !utf8.ValidString(key) || strings.ContainsFunc(key, func(r rune) bool { return r == ',' || r == '=' || unicode.IsControl(r) }):
		return "a key must be text without ',', '=' and control characters, which have no encoding there"
	}
	switch kv.Value.Type() {
	case attribute.STRING:
		if !utf8.ValidString(kv.Value.AsString()) {
			return "its value is not UTF-8"
		}
	case attribute.EMPTY, attribute.BOOL, attribute.INT64, attribute.FLOAT64:
	default:
		return fmt.Sprintf("its value is a %s; it must be a text, a boolean or a number", kv.Value.Type())
	}
	return ""
}

// plain writes a scalar as Python does.
func plain(v attribute.Value) string {
	switch v.Type() {
	case attribute.STRING:
		return v.AsString()
	case attribute.BOOL:
		if v.AsBool() {
			return "True"
		}
		return "False"
	case attribute.INT64:
		return strconv.FormatInt(v.AsInt64(), 10)
	default:
		text := strconv.FormatFloat(v.AsFloat64(), 'g', -1, 64)
		if !strings.ContainsAny(text, ".eIN") {
			text += ".0" // a reader sees that it is no integer
		}
		return text
	}
}

// escape percent-encodes all but the unreserved characters of RFC 3986.
func escape(text string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~", c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}
