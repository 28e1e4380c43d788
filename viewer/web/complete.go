package web

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/query"
	"github.com/lensgo/lens/viewer/runs"
)

// Completion is one line of the completion list.
type Completion struct {
	Kind    string `json:"kind"`
	Insert  string `json:"insert"`
	Label   string `json:"label"`
	Meaning string `json:"meaning"`
	Count   *int   `json:"count"`
}

// Found is one line of the go-to list.
type Found struct {
	Kind  string `json:"kind"`
	Label string `json:"label"`
	Note  string `json:"note"`
	Href  string `json:"href"`
}

const maxLines = 8 // of a completion or go-to list

// complete offers what the term under the caret may become: fields, values that occur, the text itself.
func (s *summary) complete(list query.List, run *string, text string) *List[Completion] {
	minus, term := "", text
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		minus, term = "-", rest
	}
	out := &List[Completion]{}
	if i := strings.IndexAny(term, ":=<>!~"); i > 0 {
		if f, ok := query.Lookup(term[:i]); ok && f.In(list) {
			op := term[i : i+1]
			if i+1 < len(term) && term[i+1] == '=' {
				op = term[i : i+2]
			}
			s.values(out, list, run, minus+f.Name+op, f.Field, term[i+len(op):])
			return out
		}
	}
	for _, f := range fieldsLike(list, strings.ToLower(term)) {
		if len(out.Rows) < maxLines-1 {
			out.Rows = append(out.Rows, Completion{Kind: "field", Insert: minus + f.Name + fieldOp(f.Type), Label: f.Name + fieldOp(f.Type), Meaning: f.Meaning})
		}
	}
	if term != "" {
		for _, f := range []query.Field{query.Env, query.Run, query.Failure} {
			s.values(out, list, run, minus+f.String()+":", f, term)
		}
		quoted := minus + `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(strings.Trim(term, `"`)) + `"`
		out.Rows = append(out.Rows[:min(len(out.Rows), maxLines-1)], Completion{Kind: "text", Insert: quoted, Label: quoted, Meaning: "text in names, attributes, messages"})
	}
	return out
}

// fieldsLike are the fields that begin with a term, then those of which the word behind the dot does: tok.out for out.
func fieldsLike(list query.List, term string) (found []query.Info) {
	var behind []query.Info
	for _, f := range query.Fields(list) {
		if strings.HasPrefix(f.Name, term) {
			found = append(found, f)
		} else if _, word, ok := strings.Cut(f.Name, "."); ok && strings.HasPrefix(word, term) {
			behind = append(behind, f)
		}
	}
	return append(found, behind...)
}

// fieldOp is what mostly follows a field.
func fieldOp(t query.Type) string {
	switch t {
	case query.IsText, query.IsTime:
		return ":"
	}
	return ">"
}

// values adds the values of a field in which the last of the typed ones occurs.
func (s *summary) values(out *List[Completion], list query.List, run *string, head string, f query.Field, typed string) {
	if info, ok := query.Lookup(f.String()); !ok || !info.In(list) || info.Type != query.IsText {
		return
	}
	if i := strings.LastIndexByte(typed, ','); i >= 0 {
		head, typed = head+typed[:i+1], typed[i+1:]
	}
	typed = strings.ToLower(strings.Trim(typed, `"`))
	var known []runs.ValueCount
	if run != nil {
		known = s.m.Values(*run, f)
	} else {
		known = s.valuesOfRuns(f)
	}
	for _, v := range known {
		if len(out.Rows) == maxLines {
			return
		}
		if len(v.Value) > 200 || !strings.Contains(strings.ToLower(v.Value), typed) {
			continue
		}
		value := otlp.Text(v.Value)
		out.Rows = append(out.Rows, Completion{Kind: "value", Insert: head + word(value), Label: value, Count: new(v.Count)})
	}
}

// word is a value as it is typed, in quotes where it needs them.
func word(v string) string {
	plain := v != ""
	for _, c := range v {
		plain = plain && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_./-", c))
	}
	if plain {
		return v
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v) + `"`
}

// valuesOfRuns are the values of a field over all runs, and how many runs have each.
func (s *summary) valuesOfRuns(f query.Field) []runs.ValueCount {
	list, _ := s.m.Runs(query.Query{}, runs.Page{Size: 1000})
	counts := map[string]int{}
	for i := range list.Rows {
		r := &list.Rows[i]
		switch f {
		case query.Run:
			counts[r.ID]++
		case query.Env:
			tally(counts, r.Environments)
		case query.Service:
			tally(counts, r.Services)
		case query.Group:
			tally(counts, r.Groups)
		}
	}
	delete(counts, "")
	out := make([]runs.ValueCount, 0, len(counts))
	for v, n := range counts {
		out = append(out, runs.ValueCount{Value: v, Count: n})
	}
	slices.SortFunc(out, func(a, b runs.ValueCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value))
	})
	return out
}

func tally(counts map[string]int, values []string) {
	for _, v := range values {
		counts[v]++
	}
}

// find looks for what a person may mean in the go-to box: a run by a part of its name, a rollout by its id or by environment and
// task, a trace by the beginning of its id.
func (s *summary) find(text string) *List[Found] {
	out := &List[Found]{}
	text = strings.TrimSpace(text)
	if text == "" {
		return out
	}
	list, _ := s.m.Runs(query.Query{}, runs.Page{Size: 1000})
	for i := range list.Rows {
		r := &list.Rows[i]
		if r.ID != "" && len(out.Rows) < maxLines && strings.Contains(strings.ToLower(r.ID), strings.ToLower(text)) {
			id := otlp.Text(r.ID)
			out.Rows = append(out.Rows, Found{Kind: "run", Label: id, Note: count(int64(r.Counts.Rollouts), "rollout", "rollouts"), Href: "/runs/" + pathSegment(id)})
		}
	}
	s.findTraces(out, text)
	if q, ok := rolloutQuery(text); ok {
		s.findRollouts(out, q, list.Rows)
	}
	return out
}

func (s *summary) findTraces(out *List[Found], text string) {
	if len(text) < 8 || len(text) > 32 || strings.Trim(strings.ToLower(text), "0123456789abcdef") != "" {
		return
	}
	q, err := s.parse("", query.Traces, `trace~"^`+strings.ToLower(text)+`"`)
	if err != nil {
		return
	}
	traces, _ := s.m.Traces(q, runs.Page{Size: maxLines})
	for i := range traces.Rows {
		if t := &traces.Rows[i]; len(out.Rows) < maxLines {
			id := t.ID.String()
			out.Rows = append(out.Rows, Found{Kind: "trace", Label: id, Note: clip(otlp.Text(t.Root), 100), Href: "/traces/" + id + "?at=" + strconv.FormatInt(Instant(t.Start).at(), 10)})
		}
	}
}

// rolloutQuery reads "25-1", an id, or "multi_step 5" and "multi_step 5 2": environment, task, attempt.
func rolloutQuery(text string) (string, bool) {
	words := strings.Fields(text)
	isNumber := func(s string) bool { _, err := strconv.ParseUint(s, 10, 31); return err == nil }
	switch {
	case len(words) == 1:
		task, index, ok := strings.Cut(text, "-")
		n, err := strconv.ParseUint(index, 10, 31)
		if ok && isNumber(task) && err == nil {
			return "task=" + task + " attempt=" + strconv.FormatUint(n+1, 10), true
		}
	case len(words) == 2 && isNumber(words[1]):
		return "env:" + word(words[0]) + " task=" + words[1], true
	case len(words) == 3 && isNumber(words[1]) && isNumber(words[2]):
		return "env:" + word(words[0]) + " task=" + words[1] + " attempt=" + words[2], true
	}
	return "", false
}

func (s *summary) findRollouts(out *List[Found], text string, list []runs.Run) {
	q, err := s.parse(text, query.Rollouts)
	if err != nil {
		return
	}
	for i := range list[:min(len(list), maxLines)] {
		id := list[i].ID
		found, _ := s.m.Rollouts(id, q, runs.Page{Sort: "task", Size: maxLines})
		for _, x := range found.Rows {
			if len(out.Rows) == maxLines {
				return
			}
			href := "/traces/" + x.Trace.String() + "?at=" + strconv.FormatInt(Instant(x.Start).at(), 10)
			if !x.Span.IsZero() {
				href += "&span=" + x.Span.String()
			}
			label := otlp.Text(x.Environment) + " · task " + strconv.Itoa(x.Task) + " · attempt " + strconv.Itoa(x.Attempt)
			out.Rows = append(out.Rows, Found{Kind: "rollout", Label: label, Note: otlp.Text(id), Href: href})
		}
	}
}

func (h *Handler) getCompletion(_ *http.Request, p *params) (any, error) {
	list := p.oneOf("for", "rollouts", "tasks", "runs", "traces")
	run, text := p.maybe("run"), p.text("text", maxParameter)
	if p.err != nil {
		return nil, p.err
	}
	of := map[string]query.List{"rollouts": query.Rollouts, "tasks": query.Rollouts, "runs": query.Runs, "traces": query.Traces}[list]
	return h.model.complete(of, run, text), nil
}

func (h *Handler) getFound(_ *http.Request, p *params) (any, error) {
	text := p.text("text", maxParameter)
	if p.err != nil {
		return nil, p.err
	}
	return h.model.find(text), nil
}
