package web

import (
	"strconv"

	"github.com/lensgo/lens/viewer/otlp"
)

// The types of this file are the answers of the API, member for member as docs/viewer-api.md has them. A pointer is
// null where the value is unknown. Durations are nanoseconds.

// Instant is a moment in nanoseconds since 1970. It is a string in JSON, because a JavaScript number cannot hold it.
type Instant uint64

// AppendText appends the decimal number. It never fails.
func (t Instant) AppendText(b []byte) ([]byte, error) {
	return strconv.AppendUint(b, uint64(t), 10), nil
}

// MarshalText returns the decimal number. It never fails.
func (t Instant) MarshalText() ([]byte, error) { return t.AppendText(nil) }

// UnmarshalText reads what MarshalText wrote.
func (t *Instant) UnmarshalText(b []byte) error {
	u, err := strconv.ParseUint(string(b), 10, 64)
	*t = Instant(u)
	return err
}

// at is the instant in whole seconds, as links carry it.
func (t Instant) at() int64 { return int64(t / 1e9) }

// known is nil for the zero instant.
func known(t uint64) *Instant {
	if t == 0 {
		return nil
	}
	return new(Instant(t))
}

// Rows is a table, or a part of it.
type Rows[T any] struct {
	Rows    []T     `json:"rows"`
	Next    *string `json:"next"`
	Matched *int    `json:"matched,omitempty"`
	Total   *int    `json:"total"`
}

// Series is a number of things an interval, oldest first.
type Series struct {
	Step   int64   `json:"step_ns"`
	Counts []int64 `json:"counts"`
}

// Parts is the time split: admission wait, pool wait, model, tools, verify, other.
type Parts [6]int64

// Counts is how far the rollouts of a run are.
type Counts struct {
	Total    *int `json:"total"`
	Finished int  `json:"finished"`
	Scored   int  `json:"scored"`
	Failed   int  `json:"failed"`
	Running  int  `json:"running"`
	Waiting  *int `json:"waiting"`
}

// Run is one run in a list.
type Run struct {
	ID                string   `json:"id"`
	State             string   `json:"state"`
	Note              string   `json:"note"`
	Environments      []string `json:"environments"`
	EnvironmentsTotal int      `json:"environments_total"`
	Started           *Instant `json:"started"`
	Ended             *Instant `json:"ended"`
	Last              *Instant `json:"last"`
	Rollouts          Counts   `json:"rollouts"`
	Rate              *float64 `json:"rate_per_min"`
	Left              *int64   `json:"left_ns"`
	OverTime          Series   `json:"over_time"`
	RewardMean        *float64 `json:"reward_mean"`
	RewardN           int      `json:"reward_n"`
	P95               *int64   `json:"p95_ns"`
	Tasks             int      `json:"tasks"`
	Attempts          int      `json:"attempts"`
	Concurrency       *int     `json:"concurrency"`
	Spans             int64    `json:"spans"`
	Errors            int64    `json:"errors"`
	Truncated         int64    `json:"truncated"`
	Traces            int64    `json:"traces"`
	Groups            []string `json:"groups"`
	Spec              *string  `json:"spec"`
	Processes         int      `json:"processes"`
	TokensIn          int64    `json:"tokens_in"`
	TokensOut         int64    `json:"tokens_out"`
	FailureRate       *float64 `json:"failure_rate"`
}

// Service is a program without rollouts.
type Service struct {
	Service   string  `json:"service"`
	Runtime   *string `json:"runtime"`
	Traces    int64   `json:"traces"`
	PerMin    float64 `json:"traces_per_min"`
	OverTime  Series  `json:"over_time"`
	Spans     int64   `json:"spans"`
	Errors    int64   `json:"errors"`
	ErrorRate float64 `json:"error_rate"`
	P50       *int64  `json:"p50_ns"`
	P95       *int64  `json:"p95_ns"`
}

// Services is the list of programs without rollouts.
type Services struct {
	Rows  []Service `json:"rows"`
	Next  *string   `json:"next"`
	Since int64     `json:"since_ns"`
	Total int       `json:"total"`
}

// RunDetail is the header of a run and its panels.
type RunDetail struct {
	Run      Run          `json:"run"`
	Filtered bool         `json:"filtered"`
	Matched  int          `json:"matched"`
	Of       int          `json:"of"`
	Counts   RunCounts    `json:"counts"`
	Time     TimePanel    `json:"time"`
	Reward   RewardPanel  `json:"reward"`
	Duration DurationHist `json:"duration"`
}

// RunCounts stand on the tabs of a run.
type RunCounts struct {
	Rollouts int    `json:"rollouts"`
	Tasks    int    `json:"tasks"`
	Groups   int    `json:"groups"`
	Logs     *int64 `json:"logs"`
}

// TimePanel is where the time goes.
type TimePanel struct {
	N    int       `json:"n"`
	Rows []TimeRow `json:"rows"`
}

// TimeRow is the mean split of an environment, or of all.
type TimeRow struct {
	Env   *string `json:"env"`
	N     int     `json:"n"`
	Total int64   `json:"total_ns"`
	Parts Parts   `json:"parts_ns"`
}

// RewardPanel is the distribution of rewards.
type RewardPanel struct {
	N    int         `json:"n"`
	From float64     `json:"from"`
	To   float64     `json:"to"`
	Rows []RewardRow `json:"rows"`
}

// RewardRow is the rewards of an environment, or of all.
type RewardRow struct {
	Env    *string  `json:"env"`
	N      int      `json:"n"`
	Counts [11]int  `json:"counts"`
	Mean   *float64 `json:"mean"`
	K      *int     `json:"k"`
	Pass   *float64 `json:"pass"`
}

// DurationHist is the distribution of durations on a log axis.
type DurationHist struct {
	N    int           `json:"n"`
	Bins []DurationBin `json:"bins"`
	P50  *int64        `json:"p50_ns"`
	P95  *int64        `json:"p95_ns"`
	P99  *int64        `json:"p99_ns"`
	Max  *int64        `json:"max_ns"`
}

// DurationBin is one bar.
type DurationBin struct {
	From   int64 `json:"from_ns"`
	To     int64 `json:"to_ns"`
	Scored int   `json:"scored"`
	Failed int   `json:"failed"`
}

// Rollout is one attempt of one task.
type Rollout struct {
	Run       string        `json:"run"`
	Env       string        `json:"env"`
	Agent     string        `json:"agent"`
	Task      *int64        `json:"task"`
	Attempt   *int64        `json:"attempt"`
	Attempts  *int64        `json:"attempts"`
	Retry     int64         `json:"retry"`
	ID        string        `json:"id"`
	Trace     *otlp.TraceID `json:"trace"`
	Span      *otlp.SpanID  `json:"span"`
	At        *int64        `json:"at"`
	State     string        `json:"state"`
	Failure   string        `json:"failure"`
	Message   string        `json:"message"`
	Reward    *float64      `json:"reward"`
	Started   *Instant      `json:"started"`
	SinceRun  *int64        `json:"since_run_ns"`
	Duration  *int64        `json:"duration_ns"`
	Guessed   bool          `json:"guessed"`
	Total     *int64        `json:"total_ns"`
	Parts     *Parts        `json:"parts_ns"`
	Turns     *int64        `json:"turns"`
	ToolCalls *int64        `json:"tool_calls"`
	TokensIn  *int64        `json:"tokens_in"`
	TokensOut *int64        `json:"tokens_out"`
	Spans     int           `json:"spans"`
	Errors    int           `json:"errors"`
	Truncated int           `json:"truncated"`
}

// Rollouts is the table of rollouts.
type Rollouts struct {
	Rows    []Rollout `json:"rows"`
	Next    *string   `json:"next"`
	Matched int       `json:"matched"`
	Total   int       `json:"total"`
	Scale   int64     `json:"scale_ns"`
}

// OneRollout is a rollout and the other attempts of its task.
type OneRollout struct {
	Rollout Rollout   `json:"rollout"`
	Others  []Rollout `json:"others"`
}

// Task is a task with its attempts side by side.
type Task struct {
	Env           string    `json:"env"`
	Task          *int64    `json:"task"`
	Verdict       string    `json:"verdict"`
	Mean          *float64  `json:"mean"`
	Difference    *int64    `json:"difference_ns"`
	Attempts      []Rollout `json:"attempts"`
	AttemptsTotal int       `json:"attempts_total"`
}

// Tasks is the table of tasks.
type Tasks struct {
	Rows      []Task  `json:"rows"`
	Next      *string `json:"next"`
	Matched   int     `json:"matched"`
	Total     int     `json:"total"`
	AllScored int     `json:"all_scored"`
	Columns   int     `json:"columns"`
	Scale     int64   `json:"scale_ns"`
}

// Trace is one trace in a list.
type Trace struct {
	Trace     otlp.TraceID `json:"trace"`
	At        int64        `json:"at"`
	Root      *string      `json:"root"`
	Service   string       `json:"service"`
	Start     Instant      `json:"start"`
	Duration  int64        `json:"duration_ns"`
	Open      bool         `json:"open"`
	Spans     int          `json:"spans"`
	Errors    int          `json:"errors"`
	Truncated int          `json:"truncated"`
	Services  int          `json:"services"`
	Run       *string      `json:"run"`
	Rollouts  int          `json:"rollouts"`
	Rollout   *RolloutKey  `json:"rollout"`
}

// RolloutKey names a rollout within its run.
type RolloutKey struct {
	Env     string `json:"env"`
	Task    *int64 `json:"task"`
	Attempt *int64 `json:"attempt"`
	Retry   int64  `json:"retry"`
}

// TraceDetail is the header of a trace.
type TraceDetail struct {
	Trace         otlp.TraceID      `json:"trace"`
	At            int64             `json:"at"`
	Version       string            `json:"version"`
	Start         Instant           `json:"start"`
	End           Instant           `json:"end"`
	Duration      int64             `json:"duration_ns"`
	Open          bool              `json:"open"`
	Spans         int               `json:"spans"`
	Rows          int               `json:"rows"`
	Errors        int               `json:"errors"`
	Truncated     int               `json:"truncated"`
	Orphans       int               `json:"orphans"`
	Cycles        int               `json:"cycles"`
	Skewed        int               `json:"skewed"`
	Duplicates    Duplicates        `json:"duplicates"`
	Damaged       int               `json:"damaged"`
	Root          *TraceRoot        `json:"root"`
	Services      []TraceService    `json:"services"`
	Groups        []string          `json:"groups"`
	Path          int64             `json:"path_ns"`
	Run           *TraceRun         `json:"run"`
	Rollouts      []Rollout         `json:"rollouts"`
	RolloutsTotal int               `json:"rollouts_total"`
	Others        []Rollout         `json:"others"`
	Logs          *int              `json:"logs"`
	Conversation  ConversationState `json:"conversation"`
	RemovedAfter  *Instant          `json:"removed_after"`
}

// Duplicates counts span ids that came more than once.
type Duplicates struct {
	Equal   int `json:"equal"`   // with the same content, not shown
	Unequal int `json:"unequal"` // with other content, shown and marked
}

// TraceRoot is the row that a trace is named after.
type TraceRoot struct {
	Row  int         `json:"row"`
	Span otlp.SpanID `json:"span"`
	Name string      `json:"name"`
}

// TraceService is one process of a trace.
type TraceService struct {
	Name   string `json:"name"`
	Label  string `json:"label"`
	Role   string `json:"role"`
	Colour int    `json:"colour"`
	Spans  int    `json:"spans"`
}

// TraceRun is the run of a trace.
type TraceRun struct {
	ID      string   `json:"id"`
	Started *Instant `json:"started"`
	Ended   *Instant `json:"ended"`
}

// ConversationState says where the conversation of a trace is read from.
type ConversationState struct {
	Source string `json:"source"`
	Rows   *int   `json:"rows"`
}

// Sparse is a value of a row that most rows do not have: [row, value].
type Sparse [2]any

// Spans is a page of rows of a trace, in columns.
type Spans struct {
	Trace    otlp.TraceID  `json:"trace"`
	Version  string        `json:"version"`
	From     int           `json:"from"`
	Rows     int           `json:"rows"`
	Next     *int          `json:"next"`
	Start    Instant       `json:"start"`
	Strings  []string      `json:"strings"`
	ID       []otlp.SpanID `json:"id"`
	Parent   []int32       `json:"parent"`
	Depth    []int32       `json:"depth"`
	StartNS  []int64       `json:"start_ns"`
	EndNS    []int64       `json:"end_ns"`
	Name     []int32       `json:"name"`
	Service  []int32       `json:"service"`
	Group    []int32       `json:"group"`
	Kind     []int32       `json:"kind"`
	Status   []int32       `json:"status"`
	Flags    []int32       `json:"flags"`
	Path     []int64       `json:"path_ns"`
	Notes    []Sparse      `json:"notes"`
	Messages []Sparse      `json:"messages"`
	Skew     []Sparse      `json:"skew"`
	Copies   []Sparse      `json:"copies"`
}

// Attribute is a key and a value as text.
type Attribute struct {
	Key  string `json:"key"`
	Type string `json:"type"`
	Text string `json:"text"`
	Cut  int    `json:"cut"` // bytes left out of Text
}

// SpanDetail is everything about one span.
type SpanDetail struct {
	Trace           otlp.TraceID `json:"trace"`
	Span            otlp.SpanID  `json:"span"`
	Parent          *otlp.SpanID `json:"parent"`
	Copy            int          `json:"copy"`
	Copies          int          `json:"copies"`
	Row             int          `json:"row"`
	Name            string       `json:"name"`
	Kind            string       `json:"kind"`
	Status          string       `json:"status"`
	Message         string       `json:"message"`
	TraceState      string       `json:"trace_state"`
	Start           Instant      `json:"start"`
	End             *Instant     `json:"end"`
	StartNS         int64        `json:"start_ns"`
	Duration        *int64       `json:"duration_ns"`
	Open            bool         `json:"open"`
	Flags           int32        `json:"flags"`
	Service         string       `json:"service"`
	Role            string       `json:"role"`
	Group           string       `json:"group"`
	Truncated       bool         `json:"truncated"`
	TruncatedReason string       `json:"truncated_reason"`
	Pair            *Pair        `json:"pair"`
	Attributes      []Attribute  `json:"attributes"`
	AttributesTotal int          `json:"attributes_total"`
	Events          []Event      `json:"events"`
	EventsTotal     int          `json:"events_total"`
	Links           []Link       `json:"links"`
	LinksTotal      int          `json:"links_total"`
	Scope           Scope        `json:"scope"`
	Resource        Resource     `json:"resource"`
	Dropped         Dropped      `json:"dropped"`
}

// Pair is the other half of a call.
type Pair struct {
	Span otlp.SpanID `json:"span"`
	Kind string      `json:"kind"`
}

// Event is an event of a span.
type Event struct {
	Name       string      `json:"name"`
	Time       Instant     `json:"time"`
	StartNS    int64       `json:"start_ns"`
	Attributes []Attribute `json:"attributes"`
}

// Link is a link of a span.
type Link struct {
	Trace      otlp.TraceID `json:"trace"`
	Span       otlp.SpanID  `json:"span"`
	Stored     bool         `json:"stored"`
	At         *int64       `json:"at"`
	Attributes []Attribute  `json:"attributes"`
}

// Scope is the instrumentation scope of a span.
type Scope struct {
	Name       string      `json:"name"`
	Version    string      `json:"version"`
	Attributes []Attribute `json:"attributes"`
}

// Resource is the process that made a span.
type Resource struct {
	Attributes      []Attribute `json:"attributes"`
	AttributesTotal int         `json:"attributes_total"`
}

// Dropped is what the sender says it left out.
type Dropped struct {
	Attributes uint32 `json:"attributes"`
	Events     uint32 `json:"events"`
	Links      uint32 `json:"links"`
}

// Conversation is what was said in a rollout.
type Conversation struct {
	Source string    `json:"source"`
	Words  string    `json:"words"`
	Total  int       `json:"total"`
	Next   *string   `json:"next"`
	Rows   []Message `json:"rows"`
	Verify *Verdict  `json:"verify"`
}

// Message is one row of a conversation.
type Message struct {
	N        int          `json:"n"`
	Role     string       `json:"role"`
	Type     string       `json:"type"`
	Text     string       `json:"text"`
	Cut      int          `json:"cut"`
	Name     string       `json:"name"`
	Call     string       `json:"call"`
	Turn     *int         `json:"turn"`
	Tokens   *int64       `json:"tokens"`
	Duration *int64       `json:"duration_ns"`
	Span     *otlp.SpanID `json:"span"`
}

// Verdict is what the verifier answered.
type Verdict struct {
	Reward *float64    `json:"reward"`
	Fields []Attribute `json:"fields"`
}

// LogRecord is a log record of a trace.
type LogRecord struct {
	Time       Instant      `json:"time"`
	StartNS    int64        `json:"start_ns"`
	Severity   string       `json:"severity"`
	Number     int32        `json:"number"`
	Body       string       `json:"body"`
	Cut        int          `json:"cut"`
	Service    string       `json:"service"`
	Span       *otlp.SpanID `json:"span"`
	Attributes []Attribute  `json:"attributes"`
}

// Group is what a span group emitted.
type Group struct {
	Group     string  `json:"group"`
	Namespace string  `json:"namespace"`
	Spans     int64   `json:"spans"`
	SpanShare float64 `json:"span_share"`
	OverTime  Series  `json:"over_time"`
	PerSecond float64 `json:"per_s"`
	Bytes     int64   `json:"bytes"`
	ByteShare float64 `json:"byte_share"`
	P50       *int64  `json:"p50_ns"`
	P95       *int64  `json:"p95_ns"`
	P99       *int64  `json:"p99_ns"`
	Errors    int64   `json:"errors"`
	Names     int     `json:"names"`
}

// Groups is the table of groups.
type Groups struct {
	Run             *string    `json:"run"`
	Spans           int64      `json:"spans"`
	Bytes           int64      `json:"bytes"`
	StoredBytes     *int64     `json:"stored_bytes"`
	Rollouts        int        `json:"rollouts"`
	BytesPerRollout *int64     `json:"bytes_per_rollout"`
	Open            *int64     `json:"open"`
	Rows            []Group    `json:"rows"`
	Total           GroupTotal `json:"total"`
}

// GroupTotal sums the table of groups.
type GroupTotal struct {
	Spans     int64   `json:"spans"`
	PerSecond float64 `json:"per_s"`
	Bytes     int64   `json:"bytes"`
	Errors    int64   `json:"errors"`
	Names     int     `json:"names"`
}

// Name is what the spans of one name came to.
type Name struct {
	Group     string  `json:"group"`
	Name      string  `json:"name"`
	Spans     int64   `json:"spans"`
	SpanShare float64 `json:"span_share"`
	Bytes     int64   `json:"bytes"`
	ByteShare float64 `json:"byte_share"`
	P50       *int64  `json:"p50_ns"`
	P95       *int64  `json:"p95_ns"`
	P99       *int64  `json:"p99_ns"`
	Errors    int64   `json:"errors"`
}

// RunComparison compares two runs.
type RunComparison struct {
	A            Run            `json:"a"`
	B            Run            `json:"b"`
	K            *int           `json:"k"`
	Environments []ComparedEnv  `json:"environments"`
	Rows         []ComparedTask `json:"rows"`
	Next         *string        `json:"next"`
	Total        int            `json:"total"`
	OnlyA        int            `json:"only_a"`
	OnlyB        int            `json:"only_b"`
}

// ComparedEnv compares an environment, or all of them.
type ComparedEnv struct {
	Env            *string  `json:"env"`
	Tasks          int      `json:"tasks"`
	AMean          *float64 `json:"a_mean"`
	BMean          *float64 `json:"b_mean"`
	Difference     *float64 `json:"difference"`
	APass          *float64 `json:"a_pass"`
	BPass          *float64 `json:"b_pass"`
	PassDifference *float64 `json:"pass_difference"`
	Worse          int      `json:"worse"`
	Better         int      `json:"better"`
}

// ComparedTask compares a task.
type ComparedTask struct {
	Env        string   `json:"env"`
	Task       int64    `json:"task"`
	AMean      *float64 `json:"a_mean"`
	BMean      *float64 `json:"b_mean"`
	Difference *float64 `json:"difference"`
	APass      *float64 `json:"a_pass"`
	BPass      *float64 `json:"b_pass"`
	AN         int      `json:"a_n"`
	BN         int      `json:"b_n"`
	ADuration  *int64   `json:"a_duration_ns"`
	BDuration  *int64   `json:"b_duration_ns"`
}

// TraceComparison compares two traces, step by step.
type TraceComparison struct {
	A         ComparedTrace  `json:"a"`
	B         ComparedTrace  `json:"b"`
	SameTask  bool           `json:"same_task"`
	Sentence  string         `json:"sentence"`
	Rows      []ComparedStep `json:"rows"`
	RowsTotal int            `json:"rows_total"`
	Part      *Parting       `json:"part"`
	Duration  int64          `json:"duration_ns"`
}

// ComparedTrace is one side of a comparison.
type ComparedTrace struct {
	Trace   Trace    `json:"trace"`
	Rollout *Rollout `json:"rollout"`
}

// ComparedStep is one row of a comparison of traces.
type ComparedStep struct {
	Depth      int       `json:"depth"`
	Name       string    `json:"name"`
	Role       string    `json:"role"`
	Kind       int32     `json:"kind"`
	Colour     int       `json:"colour"`
	Paired     bool      `json:"paired"`
	Turn       *int      `json:"turn"`
	A          *StepSide `json:"a"`
	B          *StepSide `json:"b"`
	Difference *int64    `json:"difference_ns"`
	Differs    bool      `json:"differs"`
}

// StepSide is a step in one of the traces.
type StepSide struct {
	Span     otlp.SpanID `json:"span"`
	StartNS  int64       `json:"start_ns"`
	Duration *int64      `json:"duration_ns"`
	Argument string      `json:"argument"`
	Tokens   *int64      `json:"tokens"`
	Error    bool        `json:"error"`
}

// Parting is the first step that differs.
type Parting struct {
	Row   int    `json:"row"`
	Words string `json:"words"`
}

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

// List is a short list without pages.
type List[T any] struct {
	Rows []T `json:"rows"`
}

// Update is what has changed since the last one on the event stream.
type Update struct {
	Now    Instant      `json:"now"`
	Status *Status      `json:"status"`
	Runs   *[]string    `json:"runs"`
	Run    *Run         `json:"run"`
	Trace  *TraceUpdate `json:"trace"`
}

// TraceUpdate says how large a trace is by now.
type TraceUpdate struct {
	Trace otlp.TraceID `json:"trace"`
	Spans int          `json:"spans"`
	Open  bool         `json:"open"`
}

// Status is the state of the viewer.
type Status struct {
	API       int           `json:"api"`
	Version   string        `json:"version"`
	Now       Instant       `json:"now"`
	Started   Instant       `json:"started"`
	Receiving *Receiving    `json:"receiving"`
	Requests  RequestCounts `json:"requests"`
	Spans     SpanCounts    `json:"spans"`
	Reasons   []Reason      `json:"reasons"`
	Metrics   ReceivedCount `json:"metrics"`
	Logs      ReceivedCount `json:"logs"`
	Store     StoreStatus   `json:"store"`
	Listening []Listener    `json:"listening"`
	Results   ResultsStatus `json:"results"`
	Runs      RunsStatus    `json:"runs"`
}

// Receiving is how much comes in now.
type Receiving struct {
	SpansPerSecond float64 `json:"spans_per_s"`
	Processes      int     `json:"processes"`
	Window         int64   `json:"window_ns"`
}

// RequestCounts counts OTLP requests.
type RequestCounts struct {
	Received int64 `json:"received"`
	Refused  int64 `json:"refused"`
}

// SpanCounts counts spans by what became of them.
type SpanCounts struct {
	Received   int64 `json:"received"`
	Stored     int64 `json:"stored"`
	Duplicates int64 `json:"duplicates"`
	Dropped    int64 `json:"dropped"`
	Refused    int64 `json:"refused"`
	Truncated  int64 `json:"truncated"`
}

// Reason says why spans are missing.
type Reason struct {
	What  string `json:"what"`
	Why   string `json:"why"`
	Spans int64  `json:"spans"`
}

// ReceivedCount counts requests of a signal.
type ReceivedCount struct {
	Received int64 `json:"received"`
}

// StoreStatus is the state of the store.
type StoreStatus struct {
	Bytes    int64    `json:"bytes"`
	MaxBytes *int64   `json:"max_bytes"`
	MaxAge   *int64   `json:"max_age_ns"`
	Oldest   *Instant `json:"oldest"`
	Newest   *Instant `json:"newest"`
	Traces   int      `json:"traces"`
	ReadOnly bool     `json:"read_only"`
	Problems []string `json:"problems"`
}

// Listener is an open port.
type Listener struct {
	What    string `json:"what"`
	Address string `json:"address"`
}

// ResultsStatus is the state of the results file.
type ResultsStatus struct {
	Known   bool    `json:"known"`
	Rows    int     `json:"rows"`
	Reading bool    `json:"reading"`
	Problem *string `json:"problem"`
}

// RunsStatus counts runs.
type RunsStatus struct {
	Total   int `json:"total"`
	Running int `json:"running"`
}
