//go:build !lens_off

package metrics

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

const (
	mostName = 255 // letters of a metric's name, as OpenTelemetry has it
	mostUnit = 63  // and of a unit
)

// check returns what is wrong with a declaration, all of it.
func check(g Group) error {
	var errs []error
	if strings.TrimSpace(g.Name) == "" {
		errs = append(errs, errors.New("the name is empty; name it after the library"))
	}
	if len(g.Metrics) == 0 {
		errs = append(errs, errors.New("it declares no metric; it needs one at least"))
	}
	seen := map[string]bool{}
	for i, m := range g.Metrics {
		for _, err := range m.check() {
			errs = append(errs, fmt.Errorf("metric %d (key %q): %w", i, m.Key, err))
		}
		if m.Key != "" && seen[m.Key] {
			errs = append(errs, fmt.Errorf("metric %d (key %q): the key is there twice", i, m.Key))
		}
		seen[m.Key] = true
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("cannot register metric group %q: %w", g.Name, errors.Join(errs...))
}

func (m *Metric) check() (errs []error) {
	if m.Key == "" {
		errs = append(errs, errors.New("the key is empty"))
	}
	if m.Name == "" {
		errs = append(errs, errors.New("the name is empty"))
	} else if !isMetricName(m.Name) {
		errs = append(errs, fmt.Errorf("name %q is none: it has to begin with a letter, and go on with at most 254 letters, digits and _ . - /", m.Name))
	}
	if len(m.Unit) > mostUnit || strings.ContainsFunc(m.Unit, func(r rune) bool { return r < ' ' || r > '~' }) {
		errs = append(errs, fmt.Errorf("unit %q is none: at most %d characters of ASCII", m.Unit, mostUnit))
	}
	switch {
	case m.Kind >= kinds:
		errs = append(errs, fmt.Errorf("kind %d is unknown; there are %s", m.Kind, strings.Join(kindNames[:], ", ")))
	case m.Kind.observable() && m.Callback == nil:
		errs = append(errs, fmt.Errorf("kind %s requires a callback", m.Kind))
	case !m.Kind.observable() && m.Callback != nil:
		errs = append(errs, fmt.Errorf("a callback is only used by observable kinds, and this is a %s", m.Kind))
	}
	return append(errs, m.checkBounds()...)
}

func (m *Metric) checkBounds() (errs []error) {
	if m.Kind != Histogram && m.Bounds != nil {
		errs = append(errs, fmt.Errorf("bounds are only used by a histogram, and this is a %s", m.Kind))
	}
	for i, b := range m.Bounds {
		if math.IsNaN(b) || i > 0 && b <= m.Bounds[i-1] {
			errs = append(errs, fmt.Errorf("bounds %v do not rise", m.Bounds))
			break
		}
	}
	return errs
}

func isMetricName(s string) bool {
	if len(s) > mostName {
		return false
	}
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		inner := '0' <= c && c <= '9' || c == '_' || c == '.' || c == '-' || c == '/'
		if !letter && (i == 0 || !inner) {
			return false
		}
	}
	return true
}
