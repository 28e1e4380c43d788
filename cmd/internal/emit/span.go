package emit

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/decimal"
	"github.com/lensgo/lens/semconv"
)

// Span is an interval that is to become a span.
type Span struct {
	Name, Parent string // Parent is the name of another one, or empty

	start, end instant
	details
}

// details are what can be said of a span beside its interval.
type details struct {
	kind   *lens.Kind
	status *status
	links  []lens.Ref
	attrs  []lens.Attr
}

// with adds more, which wins.
func (d details) with(more details) details {
	d.kind = cmp.Or(more.kind, d.kind)
	d.status = cmp.Or(more.status, d.status)
	d.links = append(slices.Clip(d.links), more.links...)
	d.attrs = append(slices.Clip(d.attrs), more.attrs...)
	return d
}

// status is how an operation ended. The zero status says nothing of it.
type status struct {
	ok, failed bool
	text       string // why it failed; may be empty
}

func parseStatus(text string) (status, error) {
	word, why, described := strings.Cut(text, ":")
	switch word = strings.ToLower(strings.TrimSpace(word)); {
	case word == "error":
		return status{failed: true, text: strings.TrimSpace(why)}, nil
	case word == "ok" && !described:
		return status{ok: true}, nil
	case word == "unset" && !described:
		return status{}, nil
	}
	return status{}, fmt.Errorf("the status %q is none; it must be unset, ok, error or error:WHY", text)
}

var kinds = map[string]lens.Kind{
	"internal": lens.Internal, "server": lens.Server, "client": lens.Client, "producer": lens.Producer, "consumer": lens.Consumer,
}

func parseKind(text string) (lens.Kind, error) {
	k, ok := kinds[strings.ToLower(strings.TrimSpace(text))]
	if !ok {
		return k, fmt.Errorf("the kind %q is none; it must be internal, server, client, producer or consumer", text)
	}
	return k, nil
}

func parseLink(text string) (lens.Ref, error) {
	ref, err := lens.ParseRef(strings.TrimSpace(text), "")
	if err != nil {
		return ref, fmt.Errorf("the link %q: %w", text, err)
	}
	return ref, nil
}

// parseInterval reads NAME,START,END[,PARENT]. Beside an error is a span without times, and without a name when that is what is
// wrong.
func parseInterval(text string) (*Span, error) {
	part := strings.Split(text, ",")
	if len(part) != 3 && len(part) != 4 {
		return &Span{}, fmt.Errorf("span %q: expected NAME,START,END[,PARENT]", text)
	}
	for i := range part {
		part[i] = strings.TrimSpace(part[i])
	}
	part = append(part, "")
	if part[0] == "" {
		return &Span{}, fmt.Errorf("span %q: its name is missing", text)
	}
	s := &Span{Name: part[0], Parent: part[3]}
	if err := s.times(part[1], part[2]); err != nil {
		return s, fmt.Errorf("span %q: %w", part[0], flat(err))
	}
	return s, nil
}

func (s *Span) times(start, end string) error {
	var errs [2]error
	s.start, errs[0] = parseInstant("start", start)
	s.end, errs[1] = parseInstant("end", end)
	return errors.Join(errs[:]...)
}

// inverted says whether the span ends before it begins.
func (s *Span) inverted() bool {
	n, _ := s.start.until(s.end)
	return n.Sign() < 0
}

// Duration is how long the span took, as seconds with three digits; 0.000 when it ends before it begins.
func (s *Span) Duration() string {
	n, digits := s.start.until(s.end)
	if n.Sign() < 0 {
		n.SetInt64(0)
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	return new(big.Rat).SetFrac(n, scale).FloatString(3)
}

// config says how the span is emitted. The end of one that ends before it begins is put at its start here and not by package
// lens, since the texts as they came are to be on it, and may have more digits than a time.
func (s *Span) config() lens.EmitConfig {
	c := lens.EmitConfig{Start: s.start.time, End: s.end.time, Links: s.links, Fill: s.fill}
	if s.kind != nil {
		c.Kind = *s.kind
	}
	if s.inverted() {
		c.End = c.Start
	}
	return c
}

func (s *Span) fill(span lens.Span) {
	span.Set(s.attrs...)
	switch {
	case s.status == nil:
	case s.status.ok:
		span.Ok()
	case s.status.failed:
		span.Fail(s.status.text)
	}
	if s.inverted() {
		n, digits := s.end.until(s.start)
		span.Bool(semconv.InvertedSkew, true).
			Str(semconv.InvertedStart, s.start.text).
			Str(semconv.InvertedEnd, s.end.text).
			Str(semconv.InvertedDelta, decimal.Text(n, digits))
	}
}
