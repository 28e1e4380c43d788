package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// maxJSONDepth bounds how deep objects and arrays may nest. In OTLP four levels of JSON are at most three of protobuf, so
// that what is accepted here stays below the hundred levels at which decoders of protobuf stop.
const maxJSONDepth = 128

// fromJSON turns a request in JSON into protobuf.
//
// The decoder of pdata is lenient where it costs data: it stops without an error at an empty member name and at the end of
// the first value, so an outline has neither. It also takes snake_case names and names of enum values, which the
// specification has no place for and which some senders use; they are welcome.
func (s *signal) fromJSON(o *outline, body []byte, maxDecoded int64) ([]byte, error) {
	if err := checkWeight(len(body), o.weight+int64(len(body)), maxDecoded); err != nil {
		return nil, err
	}
	decoder := s.decoder()
	if err := decoder.UnmarshalJSON(o.mend(body)); err != nil {
		return nil, invalid("cannot decode %d bytes of JSON as %s: %w", len(body), s.message, err)
	}
	req, err := decoder.MarshalProto()
	if err != nil {
		return nil, invalid("cannot write %s as protobuf: %w", s.message, err)
	}
	return req, nil
}

// hint says what is odd about a request in JSON that has members and none of them the signal's: most likely it was meant
// for another path, and nothing of it is kept.
func (s *signal) hint(o *outline) string {
	if len(o.members) == 0 || o.has(s) {
		return ""
	}
	return fmt.Sprintf("nothing was kept: the request has no %s, it has %q", s.member, o.members)
}

// outline is what a look over a JSON text finds.
type outline struct {
	weight  int64    // what its objects take in memory when they are decoded, about
	members []string // names of the outermost object, the first few
	bare    []brace  // braces that are missing
}

// maxMembers is how many names an outline keeps, besides those of the signals, to tell what else was sent.
const maxMembers = 8

// add notes a member of the outermost object.
func (o *outline) add(name string) {
	known := slices.ContainsFunc(signals, func(s *signal) bool { return s.isMember(name) })
	if (known || len(o.members) < maxMembers) && !slices.Contains(o.members, name) {
		o.members = append(o.members, name)
	}
}

// brace is one to put in.
type brace struct {
	at   int
	text string
}

// has tells whether the outermost object has the data of a signal.
func (o *outline) has(s *signal) bool { return slices.ContainsFunc(o.members, s.isMember) }

// mend returns a text that the decoder takes: bad UTF-8 is replaced, since one string of it is no reason to lose a batch,
// and lists that stand bare get the object that belongs around them.
func (o *outline) mend(text []byte) []byte {
	if len(o.bare) > 0 {
		mended := make([]byte, 0, len(text)+len(o.bare)*len(`{"values":`))
		from := 0
		for _, b := range o.bare {
			mended = append(append(mended, text[from:b.at]...), b.text...)
			from = b.at
		}
		text = append(mended, text[from:]...)
	}
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	}
	return text
}

// outlineOf looks over a text that must be one JSON object.
func outlineOf(text []byte) (*outline, error) {
	if !json.Valid(text) {
		var v json.RawMessage
		err := json.Unmarshal(text, &v) // says what is wrong
		return nil, invalid("cannot read %d bytes as JSON: %w", len(text), err)
	}
	if bytes.TrimLeft(text, " \t\r\n")[0] != '{' {
		return nil, invalid("cannot read %d bytes as JSON: they are no object", len(text))
	}
	s := scanner{text: text}
	for i := 0; i < len(text); i++ {
		var err error
		if i, err = s.step(i); err != nil {
			return nil, invalid("cannot read %d bytes as JSON: %w", len(text), err)
		}
	}
	return &s.found, nil
}

// scanner walks over a JSON text that is valid.
type scanner struct {
	text  []byte
	stack [maxJSONDepth]level
	depth int
	added int // braces that are missing around the token
	found outline
}

// level is an object or array that the scanner is in.
type level struct {
	object bool
	naming bool  // the next string is a member name
	weight int64 // of an object that stands here, by the name of the member
	list   bool  // what stands here should be an object with a list in it, by the name of the member
	bare   bool  // this array should have been in an object
}

// step looks at the token at i and returns where it ends.
func (s *scanner) step(i int) (int, error) {
	switch c := s.text[i]; c {
	case '"':
		end := endOfString(s.text, i+1)
		if top := &s.stack[s.depth-1]; top.naming {
			top.naming = false
			return end, s.name(top, s.text[i+1:end])
		}
		return end, nil
	case '{', '[':
		return i, s.open(i, c == '{')
	case '}', ']':
		s.depth--
		if s.stack[s.depth].bare {
			s.added--
			s.found.bare = append(s.found.bare, brace{i + 1, "}"})
		}
	case ',':
		top := &s.stack[s.depth-1]
		top.naming = top.object
	}
	return i, nil
}

// open enters an object or an array.
func (s *scanner) open(i int, object bool) error {
	if s.depth+s.added >= maxJSONDepth {
		return fmt.Errorf("they nest more than %d levels deep", maxJSONDepth)
	}
	inner := level{object: object, naming: object}
	if s.depth > 0 {
		top := &s.stack[s.depth-1]
		if object {
			s.found.weight += top.weight
		} else {
			inner.weight = top.weight
		}
		if inner.bare = !object && top.object && top.list; inner.bare {
			s.added++
			s.found.bare = append(s.found.bare, brace{i, `{"values":`})
		}
	}
	s.stack[s.depth] = inner
	s.depth++
	return nil
}

// name looks at the name of a member.
func (s *scanner) name(top *level, name []byte) error {
	if len(name) == 0 {
		return errors.New("a member has no name")
	}
	if bytes.IndexByte(name, '\\') >= 0 {
		var plain string
		if err := json.Unmarshal(slices.Concat([]byte{'"'}, name, []byte{'"'}), &plain); err != nil {
			return err
		}
		name = []byte(plain)
	}
	if s.depth == 1 {
		s.found.add(string(name))
	}
	top.weight, top.list = memberWeight(name)
	return nil
}

// endOfString returns where the string ends that starts at i, behind its quote.
func endOfString(text []byte, i int) int {
	for ; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

// memberWeight says what an object in a member takes in memory when it is decoded, about, and whether the member is one
// that holds a list inside an object. One of the official samples forgets that object.
func memberWeight(name []byte) (weight int64, list bool) {
	switch string(name) {
	case "spans":
		return spanWeight, false
	case "dataPoints", "data_points":
		return 208, false
	case "logRecords", "log_records":
		return 144, false
	case "metrics":
		return 136, false
	case "resourceSpans", "resource_spans", "resourceMetrics", "resource_metrics", "resourceLogs", "resource_logs",
		"scopeSpans", "scope_spans", "scopeMetrics", "scope_metrics", "scopeLogs", "scope_logs":
		return 128, false
	case "links":
		return 104, false
	case "exemplars":
		return 96, false
	case "entityRefs", "entity_refs":
		return 88, false
	case "events":
		return 72, false
	case "attributes", "filteredAttributes", "filtered_attributes", "metadata", "values",
		"gauge", "sum", "histogram", "exponentialHistogram", "exponential_histogram", "summary":
		return 48, false
	case "quantileValues", "quantile_values":
		return 32, false
	case "arrayValue", "array_value", "kvlistValue", "kvlist_value":
		return 24, true
	}
	return 0, false
}
