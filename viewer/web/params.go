package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/lensgo/lens/viewer/otlp"
)

const (
	maxRows      = 200
	maxFilter    = 2 << 10
	maxSpanPage  = 5000
	maxMessages  = 500
	maxLogs      = 500
	maxParameter = 1 << 10
)

// params reads the parameters of a request. The first mistake is kept, so that a handler looks once.
type params struct {
	values url.Values
	err    error
}

func paramsOf(r *http.Request) *params {
	v, err := url.ParseQuery(r.URL.RawQuery)
	p := &params{values: v}
	if err != nil {
		p.err = badParameter("query string", r.URL.RawQuery, "It must be percent-encoded.")
	}
	return p
}

func (p *params) wrong(name, value, right string) {
	if p.err == nil {
		p.err = badParameter(name, value, right)
	}
}

// text is a parameter of at most limit bytes.
func (p *params) text(name string, limit int) string {
	v := p.values.Get(name)
	if len(v) > limit {
		p.wrong(name, v, "It may have "+strconv.Itoa(limit)+" bytes.")
		return ""
	}
	return v
}

// maybe is a parameter that narrows an answer, nil when it is not there or empty. Of the run "-" stands for none.
func (p *params) maybe(name string) *string {
	v := p.text(name, maxParameter)
	if v == "" {
		return nil
	}
	if name == "run" {
		v = runName(v)
	}
	return &v
}

// number is an integer parameter from low to high, def when it is not there.
func (p *params) number(name string, def, low, high int64) int64 {
	v := p.values.Get(name)
	if v == "" {
		return def
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < low || n > high {
		p.wrong(name, v, "It must be a whole number from "+strconv.FormatInt(low, 10)+" to "+strconv.FormatInt(high, 10)+".")
		return def
	}
	return n
}

// oneOf is a parameter with few values; the first is the default.
func (p *params) oneOf(name string, values ...string) string {
	v := p.values.Get(name)
	if v == "" {
		return values[0]
	}
	if !slices.Contains(values, v) {
		p.wrong(name, v, "It must be one of "+strings.Join(values, ", ")+".")
		return values[0]
	}
	return v
}

func (p *params) trace(name, value string) otlp.TraceID {
	id, err := otlp.ParseTraceID(value)
	if err != nil {
		p.wrong(name, value, "A trace id has 32 hexadecimal digits.")
	}
	return id
}

func (p *params) span(name, value string) otlp.SpanID {
	id, err := otlp.ParseSpanID(value)
	if err != nil {
		p.wrong(name, value, "A span id has 16 hexadecimal digits.")
	}
	return id
}

// maybeSpan is the zero id when the parameter is not there.
func (p *params) maybeSpan(name string) (id otlp.SpanID) {
	if v := p.values.Get(name); v != "" {
		id = p.span(name, v)
	}
	return id
}

// ask is what a table is asked for.
type ask struct {
	filter string
	sort   string // "" is the table's own order; a leading "-" reverses
	limit  int
	cursor string
}

// ask reads the parameters of a table; sorts are the names that it can be sorted by.
func (p *params) ask(sorts ...string) ask {
	a := ask{filter: p.text("q", maxFilter), cursor: p.text("cursor", maxParameter), limit: int(p.number("limit", maxRows, 1, maxRows))}
	if v := p.values.Get("sort"); v != "" && len(sorts) > 0 {
		if !slices.Contains(sorts, strings.TrimPrefix(v, "-")) {
			p.wrong("sort", v, "It must be one of "+strings.Join(sorts, ", ")+`, with a leading "-" to reverse.`)
		} else {
			a.sort = v
		}
	}
	return a
}

// offset reads a cursor that is a position in a list of n, as position makes it.
func offset(cursor string, n int) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	i, err := strconv.Atoi(cursor)
	if err != nil || i < 0 || i > n {
		return 0, badCursor()
	}
	return i, nil
}

// position is the cursor for the row at to of n, nil at the end.
func position(to, n int) *string {
	if to >= n {
		return nil
	}
	return new(strconv.Itoa(to))
}

// pageOf cuts a page out of a list.
func pageOf[T any](list []T, cursor string, limit int) (page []T, next *string, err error) {
	from, err := offset(cursor, len(list))
	if err != nil {
		return nil, nil, err
	}
	to := min(from+limit, len(list))
	return list[from:to], position(to, len(list)), nil
}

// pathSegment escapes a text for one segment of a path; "." and ".." would be taken for places.
func pathSegment(s string) string {
	if strings.Trim(s, ".") == "" {
		return strings.ReplaceAll(s, ".", "%2E")
	}
	return url.PathEscape(s)
}
