package results

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/internal/printable"
)

// Target is what a user asks to be shown: a rollout, or one attempt of it.
type Target struct {
	Key
	Attempt int // -1: the last
}

// ParseTarget reads 3:1, and the id of a rollout as traces have it: 3-1, or 3-1-a2 for its third attempt.
func ParseTarget(text string) (Target, error) {
	wrong := func() (Target, error) {
		return Target{}, fmt.Errorf("%q names no rollout; write task:rollout, for example 3:1, or 3-1-a2 for an attempt that was repeated", text)
	}
	body, attempt, hasAttempt := strings.Cut(text, "-a")
	task, rollout, ok := strings.Cut(body, ":")
	if !ok {
		task, rollout, ok = strings.Cut(body, "-")
	}
	t := Target{Attempt: -1}
	var errs [3]error
	t.Task, errs[0] = natural(task)
	t.Rollout, errs[1] = natural(rollout)
	if hasAttempt {
		t.Attempt, errs[2] = natural(attempt)
	}
	if !ok || errors.Join(errs[:]...) != nil {
		return wrong()
	}
	return t, nil
}

func natural(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	return int(n), err
}

// Shown is one rollout with all that its run keeps of it.
type Shown struct {
	Key
	Input    responses.Object   // as it was sent; empty when there are no materialized inputs
	Result   responses.Object   // empty when it has none
	Failures []responses.Object // in order
	Notes    []string
}

// errFound ends a reading early.
var errFound = errors.New("found")

// Load finds a rollout in the files of its run.
func Load(f Files, k Key) (*Shown, error) {
	s := &Shown{Key: k}
	seen := false
	for _, part := range []struct {
		path string
		take func(responses.Object) error
	}{
		{f.Output, func(o responses.Object) error { s.Result = o; return errFound }},
		{f.Materialized, func(o responses.Object) error { s.Input = o; return errFound }},
		{f.Failures, func(o responses.Object) error { s.Failures = append(s.Failures, o); return nil }},
	} {
		path := Find(part.path)
		if path == "" {
			continue
		}
		seen = true
		torn, err := Read(path, func(r Row) error {
			if at, err := r.Key(); err != nil || at != k {
				return err
			}
			return part.take(r.Clone())
		})
		if err != nil && !errors.Is(err, errFound) {
			return nil, err
		}
		if torn != nil {
			s.Notes = append(s.Notes, torn.String())
		}
	}
	switch {
	case !seen:
		return nil, fmt.Errorf("cannot show %s: it does not exist", f.Output)
	case s.Result.Len() == 0 && s.Input.Len() == 0 && len(s.Failures) == 0:
		return nil, fmt.Errorf("cannot show rollout %v: %s has no task %d with rollout %d", k, f.Output, k.Task, k.Rollout)
	}
	return s, nil
}

// attemptOf is which attempt a row is of: what it says, else its place among the failures.
func attemptOf(row responses.Object, place int) int {
	if n, ok := row.Int(keyAttempt); ok {
		return int(n)
	}
	return place
}

// picked is the row that is shown. A result is the last attempt.
type picked struct {
	row     responses.Object
	failed  bool
	attempt int // -1: none was made
}

// pick finds an attempt; -1 asks for the last one.
func (s *Shown) pick(attempt int) (picked, error) {
	tries := make([]picked, 0, len(s.Failures)+1)
	for i, f := range s.Failures {
		tries = append(tries, picked{f, true, attemptOf(f, i)})
	}
	if s.Result.Len() > 0 {
		tries = append(tries, picked{s.Result, false, attemptOf(s.Result, 0)})
	}
	if attempt < 0 && len(tries) == 0 {
		return picked{attempt: -1}, nil
	}
	if attempt < 0 {
		return tries[len(tries)-1], nil
	}
	for _, t := range slices.Backward(tries) {
		if t.attempt == attempt {
			return t, nil
		}
	}
	return picked{}, fmt.Errorf("cannot show attempt %d of rollout %v: %d attempts are on disk", attempt, s.Key, len(tries))
}

// shownText bounds a text that is shown, unless all is asked for.
const shownText = 8 << 10

// WriteText prints the rollout for a reader: what was asked, what was said and called, what it was worth or why it failed. Long
// texts are cut unless full. Nothing in it can control a terminal.
func (s *Shown) WriteText(w io.Writer, attempt int, full bool) error {
	one, err := s.pick(attempt)
	if err != nil {
		return err
	}
	row := one.row
	p := &page{w: w, most: shownText}
	if full {
		p.most = 0
	}
	for _, note := range s.Notes {
		p.linef("note: %s", printable.Line(note))
	}
	s.head(p, one)
	params, _ := s.Input.Sub(keyParams)
	if params.Len() == 0 {
		params, _ = row.Sub(keyParams)
	}
	p.input(params)
	if response, ok := row.Sub(keyResponse); ok {
		p.heading("answer")
		p.output(response)
	}
	p.members(row)
	return p.err
}

// head says what the rollout is and how it ended.
func (s *Shown) head(p *page, one picked) {
	row := one.row
	p.linef("rollout %v", s.Key)
	agent := cmp.Or(agentOf(row), agentOf(s.Input))
	p.linef("agent    %s", printable.Line(cmp.Or(agent, "unknown")))
	if id, ok := row.String(keyID); ok {
		p.linef("id       %s", printable.Line(id))
	}
	if len(s.Failures) > 0 {
		p.linef("attempt  %d", one.attempt)
	}
	switch v, hasReward := row.Get(keyReward); {
	case one.failed:
		p.linef("outcome  failed: %s", printable.Line(failureText(row)))
	case row.Len() == 0:
		p.linef("outcome  no result yet")
	case !hasReward:
		p.linef("outcome  done, without a reward")
	default:
		p.linef("reward   %s", printable.Line(string(v)))
	}
	if response, ok := row.Sub(keyResponse); ok {
		usage, _ := response.Sub("usage")
		in, hasIn := usage.Int("input_tokens")
		out, hasOut := usage.Int("output_tokens")
		if hasIn || hasOut {
			p.linef("tokens   %d in, %d out", in, out)
		}
	}
	for i, f := range s.Failures {
		if n := attemptOf(f, i); !one.failed || n != one.attempt {
			p.linef("failed   attempt %d: %s", n, printable.Line(failureText(f)))
		}
	}
}

// failureText is the class of a failure and what explains it.
func failureText(row responses.Object) string {
	class, _ := row.String(keyFailureClass)
	var b strings.Builder
	b.WriteString(cmp.Or(class, "without a class"))
	for name := range row.All() {
		if strings.HasPrefix(name, "_ng_failure_") && strings.HasSuffix(name, "error") {
			if why, ok := row.String(name); ok {
				b.WriteString(": " + why)
			}
		}
	}
	if terminal, _ := row.Bool(keyTerminal); terminal {
		b.WriteString(" (for good)")
	}
	return b.String()
}

// page prints; it remembers the first error.
type page struct {
	w    io.Writer
	most int
	err  error
}

func (p *page) linef(format string, args ...any) { p.text(fmt.Sprintf(format, args...) + "\n") }

func (p *page) text(s string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, s)
	}
}

func (p *page) heading(name string) { p.linef("\n== %s", name) }

// said prints one part of a conversation.
func (p *page) said(who, text string) {
	p.linef("\n[%s]", printable.Line(who))
	if text != "" {
		p.text(block(cut(text, p.most)))
	}
}

// input prints what was asked.
func (p *page) input(params responses.Object) {
	if params.Len() == 0 {
		return
	}
	p.heading("input")
	if text, ok := params.String("instructions"); ok {
		p.said("instructions", text)
	}
	if text, ok := params.String("input"); ok {
		p.said("user", text)
	}
	p.items(params, "input")
	if tools, ok := params.Array("tools"); ok && len(tools) > 0 {
		p.said("tools", toolNames(tools))
	}
}

func toolNames(tools []jsontext.Value) string {
	names := make([]string, 0, len(tools))
	for _, v := range tools {
		tool, err := responses.ParseObject(v)
		if err != nil {
			continue
		}
		name, _ := tool.String("name")
		kind, _ := tool.String("type")
		names = append(names, cmp.Or(name, kind, "without a name"))
	}
	return strings.Join(names, "\n")
}

// output prints what was said and called.
func (p *page) output(response responses.Object) {
	p.items(response, "output")
	if reason, ok := response.Sub("incomplete_details"); ok {
		text, _ := reason.String("reason")
		p.said("cut short", text)
	}
	if failure, ok := response.Sub("error"); ok {
		text, _ := failure.String("message")
		p.said("error", cmp.Or(text, string(failure.AppendTo(nil))))
	}
}

func (p *page) items(o responses.Object, name string) {
	list, _ := o.Array(name)
	for _, v := range list {
		item, err := responses.ParseItem(v)
		if err != nil {
			p.said("unreadable", string(v))
			continue
		}
		p.item(item)
	}
}

func (p *page) item(it responses.Item) {
	switch t := it.Type(); t {
	case responses.TypeMessage:
		p.said(cmp.Or(it.Role(), "message"), content(it.Object, "content"))
	case responses.TypeFunctionCall:
		p.said("call "+it.Name()+" "+it.CallID(), it.Arguments())
	case responses.TypeFunctionCallOutput:
		p.said("output of "+it.CallID(), content(it.Object, "output"))
	case responses.TypeReasoning:
		p.said("reasoning", strings.Trim(content(it.Object, "summary")+"\n"+content(it.Object, "content"), "\n"))
	default:
		p.said(cmp.Or(t, "item without a type"), string(it.AppendTo(nil)))
	}
}

// content is a member that is a text or a list of parts.
func content(o responses.Object, name string) string {
	if text, ok := o.String(name); ok {
		return text
	}
	parts, ok := o.Array(name)
	if !ok {
		v, _ := o.Get(name)
		if v.Kind() == 'n' {
			return ""
		}
		return string(v)
	}
	texts := make([]string, 0, len(parts))
	for _, v := range parts {
		part, err := responses.ParseObject(v)
		if err != nil {
			texts = append(texts, string(v))
			continue
		}
		texts = append(texts, partText(part))
	}
	return strings.Join(texts, "\n")
}

func partText(part responses.Object) string {
	if text, ok := part.String("text"); ok {
		return text
	}
	if text, ok := part.String("refusal"); ok {
		return "(refusal) " + text
	}
	kind, _ := part.String("type")
	return fmt.Sprintf("(%s of %d bytes)", cmp.Or(kind, "a part"), len(part.AppendTo(nil)))
}

// members prints what the environment said of the result.
func (p *page) members(row responses.Object) {
	shown := false
	for name, v := range row.All() {
		if strings.HasPrefix(name, "_ng_") || name == keyAgent || name == keyReward || slices.Contains(heavy, name) {
			continue
		}
		if !shown {
			p.heading("verdict")
			shown = true
		}
		text := string(v)
		if s, ok := row.String(name); ok {
			text = s
		}
		if strings.ContainsAny(text, "\n") || len(text) > 100 {
			p.said(name, text)
			continue
		}
		p.linef("%s: %s", printable.Line(name), printable.Line(text))
	}
}

// List prints one line for each rollout of a run: what it was worth, or why it failed. At most limit of them, 0 is all.
func List(w io.Writer, f Files, limit int) error {
	l, err := openList(f)
	if err != nil {
		return err
	}
	return errors.Join(l.write(w, limit), l.close())
}

// list is a run that is listed.
type list struct {
	results, failures, inputs *Set
}

func openList(f Files) (_ *list, err error) {
	l := &list{}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.close())
		}
	}()
	seen := false
	for _, part := range []struct {
		path string
		open func(...string) (*Set, error)
		set  **Set
	}{{f.Output, Open, &l.results}, {f.Failures, OpenFailures, &l.failures}, {f.Materialized, OpenInputs, &l.inputs}} {
		var paths []string
		if found := Find(part.path); found != "" {
			paths, seen = append(paths, found), true
		}
		if *part.set, err = part.open(paths...); err != nil {
			return nil, err
		}
	}
	if !seen {
		return nil, fmt.Errorf("cannot show %s: it does not exist", f.Output)
	}
	return l, nil
}

func (l *list) close() error {
	var errs []error
	for _, s := range []*Set{l.results, l.failures, l.inputs} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}

// keys are the rollouts of all three files, each once.
func (l *list) keys() []Key {
	var keys []Key
	for _, s := range []*Set{l.results, l.failures, l.inputs} {
		keys = slices.AppendSeq(keys, s.Keys())
	}
	slices.SortFunc(keys, Key.compare)
	return slices.Compact(keys)
}

func (l *list) write(w io.Writer, limit int) error {
	for _, s := range []*Set{l.results, l.failures, l.inputs} {
		for _, note := range s.Notes() {
			fmt.Fprintf(w, "note: %s\n", printable.Line(note))
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "rollout\tagent\treward\tcalls\ttokens in\ttokens out\toutcome")
	keys := l.keys()
	shown := keys
	if limit > 0 && limit < len(shown) {
		shown = shown[:limit]
	}
	for _, k := range shown {
		if err := l.row(t, k); err != nil {
			return err
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if more := len(keys) - len(shown); more > 0 {
		fmt.Fprintf(w, "and %d more (--limit 0 shows all)\n", more)
	}
	_, err := fmt.Fprintf(w, "%d %s, %d scored, %d failed\n", len(keys), plural(len(keys), "rollout", "rollouts"), l.results.Len(), failed(l.failures, l.results))
	return err
}

// outcomeText bounds the text of a failure in a list.
const outcomeText = 80

func (l *list) row(w io.Writer, k Key) error {
	rows, err := l.results.Get(k)
	if err != nil {
		return err
	}
	failures, err := l.failures.Get(k)
	if err != nil {
		return err
	}
	outcome := "not run"
	var row responses.Object
	switch n := len(failures); {
	case len(rows) > 0:
		row, outcome = rows[0], "scored"
		if n > 0 {
			outcome = fmt.Sprintf("scored, failed %d before", n)
		}
	case n > 0:
		row, outcome = failures[n-1], "failed: "+failureText(failures[n-1])
	}
	agent := agentOf(row)
	if agent == "" {
		agent, _ = l.inputs.Agent(k)
	}
	response, _ := row.Sub(keyResponse)
	usage, _ := response.Sub("usage")
	_, err = fmt.Fprintf(w, "%v\t%s\t%s\t%d\t%s\t%s\t%s\n", k, printable.Line(cmp.Or(agent, "-")), memberText(row, keyReward), calls(response),
		memberText(usage, "input_tokens"), memberText(usage, "output_tokens"), printable.Line(firstLine(outcome)))
	return err
}

// calls counts the tool calls of an answer.
func calls(response responses.Object) (n int) {
	items, _ := response.Array("output")
	for _, v := range items {
		if it, err := responses.ParseItem(v); err == nil && it.Type() == responses.TypeFunctionCall {
			n++
		}
	}
	return n
}

func memberText(o responses.Object, name string) string {
	v, ok := o.Get(name)
	if !ok || v.Kind() == 'n' {
		return "-"
	}
	return printable.Line(string(v))
}

// firstLine is a text that fits a column.
func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	if runes := []rune(s); len(runes) > outcomeText {
		return string(runes[:outcomeText-1]) + "…"
	}
	return s
}
