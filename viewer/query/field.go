package query

// List is a kind of list that can be filtered.
type List uint8

// The lists.
const (
	Rollouts List = iota // also tasks: by their attempts
	Traces
	Runs
)

var listNames = [...]string{"rollouts", "traces", "runs"}

// String returns the name as in a sentence: "rollouts".
func (l List) String() string { return listNames[l] }

// Field is a field of the grammar.
type Field uint8

// The fields. [Attribute] stands for any attribute key.
const (
	Text Field = iota // no field: a search
	Env
	Task
	Attempt
	Outcome
	Failure
	Reward
	Duration
	Total
	Admission
	Pool
	Model
	Tools
	Verify
	Other
	Turns
	Calls
	TokensIn
	TokensOut
	Spans
	Started
	Since
	Trace
	Run
	Service
	Name
	Kind
	Status
	Group
	Errors
	Failed
	Rate
	Processes
	Attribute
)

// Type says how a field is compared, and which units it takes.
type Type uint8

// The types.
const (
	IsText     Type = iota
	IsCount         // k M
	IsRatio         // %
	IsDuration      // ns us ms s m h d; seconds
	IsTime          // an age like a duration, or a date
)

// Info describes a field to a person.
type Info struct {
	Field   Field
	Name    string // as it is typed
	Meaning string // a few words, for completion
	Type    Type
	in      [3]bool // by List
}

// In tells whether the field can be used in a list.
func (i Info) In(l List) bool { return i.in[l] }

var (
	everywhere = [3]bool{true, true, true}
	detail     = [3]bool{true, true, false} // rollouts, and traces for the rollout in them
	runsOnly   = [3]bool{false, false, true}
)

var fields = [...]Info{
	{Env, "env", "environment", IsText, everywhere},
	{Task, "task", "task index", IsCount, detail},
	{Attempt, "attempt", "attempt, from 1", IsCount, detail},
	{Outcome, "outcome", "scored, failed, running, waiting", IsText, everywhere},
	{Failure, "failure", "failure class", IsText, detail},
	{Reward, "reward", "reward; of a run the mean", IsRatio, everywhere},
	{Duration, "dur", "duration; of a run the 95th percentile", IsDuration, everywhere},
	{Total, "total", "admission wait and duration", IsDuration, detail},
	{Admission, "admission", "wait for admission", IsDuration, detail},
	{Pool, "pool", "wait for connections", IsDuration, detail},
	{Model, "model", "time in the model", IsDuration, detail},
	{Tools, "tools", "time in tools", IsDuration, detail},
	{Verify, "verify", "time in the verifier", IsDuration, detail},
	{Other, "other", "time that nothing else explains", IsDuration, detail},
	{Turns, "turns", "model calls", IsCount, detail},
	{Calls, "calls", "tool calls", IsCount, detail},
	{TokensIn, "tok.in", "tokens read by the model", IsCount, everywhere},
	{TokensOut, "tok.out", "tokens written by the model", IsCount, everywhere},
	{Spans, "spans", "number of spans", IsCount, everywhere},
	{Started, "started", "start, since the run began", IsDuration, detail},
	{Since, "since", "began in the last 2h, or from a date on", IsTime, everywhere},
	{Trace, "trace", "trace id", IsText, detail},
	{Run, "run", "run id", IsText, everywhere},
	{Service, "service", "service name", IsText, everywhere},
	{Name, "name", "span name", IsText, detail},
	{Kind, "kind", "span kind", IsText, detail},
	{Status, "status", "ok, error, unset", IsText, detail},
	{Group, "group", "span group", IsText, everywhere},
	{Errors, "error", "number of spans with an error", IsCount, everywhere},
	{Failed, "failed", "failed rollouts", IsCount, runsOnly},
	{Rate, "rate", "finished rollouts a minute", IsCount, runsOnly},
	{Processes, "processes", "number of processes", IsCount, runsOnly},
}

// Fields lists the fields of a list, in the order in which completion offers them.
func Fields(l List) []Info {
	out := make([]Info, 0, len(fields))
	for _, f := range fields {
		if f.In(l) {
			out = append(out, f)
		}
	}
	return out
}

// Lookup finds a field by its name.
func Lookup(name string) (Info, bool) {
	for i := range fields {
		if fields[i].Name == name {
			return fields[i], true
		}
	}
	return Info{}, false
}

// String returns the field's name, "" for [Text] and [Attribute].
func (f Field) String() string {
	for i := range fields {
		if fields[i].Field == f {
			return fields[i].Name
		}
	}
	return ""
}
