package emit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxLine is how long a line may be, in bytes.
const maxLine = 1 << 20

// line is a span as a line of JSON.
type line struct {
	Name       string                    `json:"name"`
	Start      jsontext.Value            `json:"start"`
	End        jsontext.Value            `json:"end"`
	Parent     string                    `json:"parent"`
	Kind       string                    `json:"kind"`
	Status     string                    `json:"status"`
	Links      []string                  `json:"links"`
	Attributes map[string]jsontext.Value `json:"attributes"`
}

// ReadLines adds a span for each line of JSON. Blank lines do not count. What is wrong with a line is a problem of the list; the error
// is that of r.
func (l *List) ReadLines(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	n := 0
	for lines.Scan() {
		n++
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 {
			continue
		}
		s, err := parseLine(text)
		if err != nil {
			l.problem(fmt.Errorf("line %d: %w", n, err))
		}
		l.spans = append(l.spans, s)
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("line %d has more than %d bytes", n+1, maxLine)
	}
	return lines.Err()
}

func parseLine(text []byte) (*Span, error) {
	var in line
	if err := json.Unmarshal(text, &in, json.RejectUnknownMembers(true)); err != nil {
		return &Span{}, jsonError(err)
	}
	s := &Span{Name: strings.TrimSpace(in.Name), Parent: strings.TrimSpace(in.Parent)}
	if s.Name == "" {
		return s, errors.New("its name is missing")
	}
	errs := []error{s.times(seconds(in.Start), seconds(in.End)), s.describe(in)}
	if err := errors.Join(errs...); err != nil {
		return s, fmt.Errorf("span %q: %w", s.Name, flat(err))
	}
	return s, nil
}

// jsonError says what is wrong with a line without the names of Go's types.
func jsonError(err error) error {
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		if errors.Is(err, json.ErrUnknownName) {
			return fmt.Errorf("the member %q is unknown; members are name, start, end, parent, kind, status, links and attributes", e.JSONPointer.LastToken())
		}
		if e.JSONPointer != "" {
			return fmt.Errorf("the member %q has a value of another kind than it must have", e.JSONPointer.LastToken())
		}
		return errors.New(`it must be a JSON object, such as {"name": "load", "start": 1700000000.25, "end": 1700000001}`)
	}
	return fmt.Errorf("it is no JSON: %w", err)
}

// describe reads what a line says beside the interval.
func (s *Span) describe(in line) error {
	var errs []error
	if in.Kind != "" {
		k, err := parseKind(in.Kind)
		s.kind, errs = &k, append(errs, err)
	}
	if in.Status != "" {
		st, err := parseStatus(in.Status)
		s.status, errs = &st, append(errs, err)
	}
	for _, text := range in.Links {
		link, err := parseLink(text)
		s.links, errs = append(s.links, link), append(errs, err)
	}
	for _, key := range slices.Sorted(maps.Keys(in.Attributes)) {
		a, err := attribute(key, in.Attributes[key])
		s.attrs, errs = append(s.attrs, a), append(errs, err)
	}
	return errors.Join(errs...)
}

// seconds gives a number, or a text that holds one, as it stands: no float would keep its nanoseconds.
func seconds(value jsontext.Value) string {
	var text string
	if value.Kind() == '"' && json.Unmarshal(value, &text) == nil {
		return strings.TrimSpace(text)
	}
	return string(value)
}

// flat puts joined errors on one line.
func flat(err error) error { return errors.New(strings.ReplaceAll(err.Error(), "\n", "; ")) }
