package eagerwork

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/lensgo/lens"

	"example.com/vetted/wrap"
)

var step = lens.NewGroup("step")

type config struct {
	Name  string
	Items []string
	parts map[string]int
}

func (c *config) Title() string  { return c.Name }
func (c *config) String() string { return fmt.Sprint(c.Items) }

type name string

func (n name) String() string { return string(n) }

func setters(span lens.Span, c *config, body []byte, err error) {
	span.Str("a", fmt.Sprintf("%d items", len(c.Items)))                               // want `fmt.Sprintf is worked out even when the group is off: put it behind Span.Recording or Group.Enabled`
	span.Str("b", fmt.Sprint(c.Items))                                                 // want `fmt.Sprint is worked out`
	span.Str("c", strings.Join(c.Items, ","))                                          // want `strings.Join is worked out`
	span.Str("d", strings.Repeat("x", 10))                                             // want `strings.Repeat is worked out`
	span.Str("e", string(body))                                                        // want `a conversion of bytes to a string is worked out`
	span.Str("f", err.Error())                                                         // want `Error\(\) is worked out`
	span.Str("g", c.String())                                                          // want `String\(\) is worked out`
	span.Str("h", "config "+c.Name)                                                    // want `a concatenation is worked out`
	span.Time("i", time.Now())                                                         // want `time.Now is worked out`
	span.Int("j", len(fmt.Sprint(c)))                                                  // want `fmt.Sprint is worked out`
	span.Str("k", c.Name).Str("l", "x"+c.Name+"y").Int("m", 1)                         // want `a concatenation is worked out`
	span.Event("n", lens.Str("o", fmt.Sprintln(c.Name)))                               // want `fmt.Sprintln is worked out`
	span.Set(lens.Str("p", "q"), lens.Str("r", "s"+c.Name), lens.Str("t", "u"+c.Name)) // want `a concatenation` `a concatenation`
	span.SetName("v " + c.Name)                                                        // want `a concatenation is worked out`
	span.Strs("w", []string{c.String()})                                               // want `String\(\) is worked out`
	span.Int("x", counted(fmt.Sprint(c)))                                              // want `fmt.Sprint is worked out`
	set := span.Str
	set("y", fmt.Sprint(c)) // want `fmt.Sprint is worked out`
}

func counted(s string) int { return len(s) }

func starting(ctx context.Context, ok bool) {
	_, span := step.StartWith(ctx, "a", lens.StartConfig{Time: time.Now()}) // want `time.Now is worked out`
	span.EndAt(time.Now())                                                  // want `time.Now is worked out`
	kind := "good"
	if !ok {
		kind = "bad"
	}
	_, other := step.Start(ctx, "a."+kind) // want `a concatenation is worked out`
	other.End()
}

func prepared(span lens.Span, c *config) error {
	text, err := json.Marshal(c) // want `json.Marshal is worked out only for a span, even when the group is off`
	if err != nil {
		return err
	}
	span.Str("a", string(text))         // want `a conversion of bytes`
	title := fmt.Sprintf("%s!", c.Name) // want `fmt.Sprintf is worked out only for a span`
	span.Str("b", title).Int("c", len(title))
	return nil
}

func stale(span lens.Span, c *config) {
	if span.Recording() {
		span.Int("a", 1)
	}
	span.Str("b", fmt.Sprint(c)) // want `fmt.Sprint is worked out`
	if !span.Recording() {
		span.Str("c", fmt.Sprint(c)) // want `fmt.Sprint is worked out`
	}
	if span.Recording() || len(c.Items) > 0 {
		span.Str("d", fmt.Sprint(c)) // want `fmt.Sprint is worked out`
	}
}

// What follows is right.

func free(span lens.Span, c *config, b *strings.Builder, n name, p *string) {
	span.Int("a", len(c.Items)).Int("b", cap(c.Items)).Str("c", c.Name).Str("d", c.Title())
	span.Str("e", "const"+"ant").Int("f", c.parts["x"]).Str("g", b.String()).Str("h", n.String())
	span.Str("i", string(n)).Str("j", *p).Str("k", c.Items[0]).Str("l", c.Name[1:]).Str("m", strconv.Itoa(3))
	span.Bool("n", c.Name == "x").Float("o", float64(len(c.Items))/2)
	span.Err(fmt.Errorf("cannot: %w", errors.ErrUnsupported))
}

func guarded(ctx context.Context, span lens.Span, c *config) {
	if span.Recording() {
		span.Str("a", fmt.Sprint(c))
		for range c.Items {
			span.Str("b", fmt.Sprint(c))
		}
		func() { span.Str("c", fmt.Sprint(c)) }()
		annotate(span, c)
	}
	if step.Enabled() && len(c.Items) > 0 {
		span.Str("d", fmt.Sprint(c))
	}
	if on := step.Enabled(); on {
		span.Str("e", fmt.Sprint(c))
	}
	if wrap.Verbose() {
		span.Str("f", fmt.Sprint(c))
	}
	switch {
	case span.Recording():
		span.Str("g", fmt.Sprint(c))
	}
	if !span.Recording() {
		return
	}
	span.Str("h", fmt.Sprint(c))
}

func guardedElse(span lens.Span, c *config) {
	if !span.Recording() || c == nil {
		_ = c
	} else {
		span.Str("a", fmt.Sprint(c))
	}
	_ = span.Recording() && recorded(span.Str("b", fmt.Sprint(c)))
	_ = !span.Recording() || recorded(span.Str("b", fmt.Sprint(c)))
	for span.Recording() {
		span.Str("c", fmt.Sprint(c))
	}
}

func recorded(span lens.Span) bool { return span.Recording() }

// annotate is called behind a gate only.
func annotate(span lens.Span, c *config) {
	span.Str("a", fmt.Sprint(c))
	further(span, c)
}

func further(span lens.Span, c *config) { span.Str("a", fmt.Sprint(c)) }

type recorder struct{ on bool }

func (r *recorder) begin(span lens.Span) { r.on = span.Recording() }

func (r *recorder) note(span lens.Span, c *config) {
	if r.on {
		span.Str("a", fmt.Sprint(c))
	}
}

func usedElsewhere(span lens.Span, c *config) string {
	title := fmt.Sprintf("%s!", c.Name)
	span.Str("a", title)
	start := time.Now()
	defer func() { fmt.Println(time.Since(start)) }()
	return title
}

func later(span lens.Span, c *config) func() string {
	span.Int("a", apply(func() string { return fmt.Sprint(c) }))
	return nil
}

// observe is told about spans that record.
func observe(c *config) func(lens.Span) {
	return func(span lens.Span) { span.Str("a", fmt.Sprint(c)) }
}

func apply(f func() string) int { return 0 }

// With holds for every span below, whichever group that belongs to: there is no one gate to ask.
func with(ctx context.Context, c *config) context.Context {
	return lens.With(ctx, lens.Str("a", c.String()))
}

func silenced(span lens.Span, c *config) {
	//lensvet:ignore eagerwork once in a run
	span.Str("a", fmt.Sprint(c))
}

func closed(ctx context.Context, begin time.Time, c *config) {
	step.Emit(ctx, "closed", begin, begin, lens.Str("items", fmt.Sprint(c.Items))) // want `fmt.Sprint is worked out`
	if step.Enabled() {
		step.Emit(ctx, "closed", begin, time.Now(), lens.Str("items", fmt.Sprint(c.Items)))
	}
}
