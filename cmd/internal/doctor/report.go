package doctor

import (
	"encoding/json"
	"io"
	"slices"

	gymtelemetry "github.com/lensgo/lens/gym/telemetry"
)

// Report is what an examination found. Its fields are the document of lens doctor --json, whose keys stay.
type Report struct {
	OK       bool              `json:"ok"`       // there is no problem
	Prefixes []string          `json:"prefixes"` // of variables, the one that wins first
	Settings []Setting         `json:"settings"` // of all signals
	Signals  []Signal          `json:"signals"`  // traces, metrics, logs
	Groups   Groups            `json:"groups"`
	Spool    Spool             `json:"spool"`
	Resource map[string]string `json:"resource"` // who the program says that it is
	Findings []Finding         `json:"findings"` // problems first
}

// Setting is one setting and where it comes from.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"` // a variable; empty: none is set
	Why   string `json:"why"`  // what else there is to say about it
}

// Signal is the way that traces, metrics or logs take.
type Signal struct {
	Signal   string    `json:"signal"`
	On       bool      `json:"on"` // exported, if telemetry is on
	Settings []Setting `json:"settings"`
	Probe    *Probe    `json:"probe"` // null: nothing was sent
}

// Probe is what became of one span, data point or log record.
type Probe struct {
	Taken        bool    `json:"taken"`
	Milliseconds float64 `json:"milliseconds"`
	TraceID      string  `json:"trace_id"`  // of the span
	Status       int     `json:"status"`    // of HTTP; 0 when there was no answer
	GRPCCode     string  `json:"grpc_code"` // of gRPC, when it is no success
	Error        string  `json:"error"`     // as a program would log it
}

// Level says whether a finding keeps telemetry from arriving.
type Level string

// The levels. A report with a problem is not OK.
const (
	Problem Level = "problem"
	Note    Level = "note"
)

// Finding is something that a person should know.
type Finding struct {
	Level   Level    `json:"level"`
	Code    string   `json:"code"`    // for programs; stays
	Signals []string `json:"signals"` // that it is about; empty: all
	Text    string   `json:"text"`
}

// add keeps a finding; the same one about another signal is one with the first.
func (r *Report) add(level Level, code, signal, text string) {
	var signals []string
	if signal != "" {
		signals = []string{signal}
	}
	for i, f := range r.Findings {
		if f.Level == level && f.Code == code && f.Text == text {
			if signal != "" && !slices.Contains(f.Signals, signal) {
				r.Findings[i].Signals = append(f.Signals, signal)
			}
			return
		}
	}
	r.Findings = append(r.Findings, Finding{Level: level, Code: code, Signals: signals, Text: text})
}

// has reports whether there is a finding with a code.
func (r *Report) has(code string) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Code == code })
}

// complete puts problems first, without notes on what a problem says better, and leaves no list out of the document.
func (r *Report) complete() {
	all := slices.Clone(r.Findings)
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool {
		return f.Level == Note && f.Code != "setting" && slices.ContainsFunc(all, func(g Finding) bool { return g.Level == Problem && g.Code == f.Code })
	})
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return rank(a.Level) - rank(b.Level)
	})
	r.OK = !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Level == Problem })
	r.Findings = present(r.Findings)
	for i := range r.Findings {
		r.Findings[i].Signals = present(r.Findings[i].Signals)
	}
	r.Settings, r.Signals = present(r.Settings), present(r.Signals)
	r.Groups.Entries, r.Spool.Waiting = present(r.Groups.Entries), present(r.Spool.Waiting)
	if r.Resource == nil {
		r.Resource = map[string]string{}
	}
}

// ofGym reports whether it is about a program of Gym.
func (r *Report) ofGym() bool { return slices.Contains(r.Prefixes, gymtelemetry.Prefix) }

func rank(l Level) int {
	if l == Problem {
		return 0
	}
	return 1
}

// present is a list that is [] and not null.
func present[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// WriteJSON writes the report as one document.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}
