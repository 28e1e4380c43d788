package doctor

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	gymtelemetry "github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/telemetry"
)

// DefaultPrefix begins the variables of programs that have no prefix of their own, and those that others fall back to.
const DefaultPrefix = gymtelemetry.FallbackPrefix

// grace is what an examination has, beyond its timeout, to end by itself.
const grace = time.Second

// Options say what to examine.
type Options struct {
	Prefix  string        // of the program's variables; empty: [DefaultPrefix], which all others fall back to
	Send    bool          // something, to each endpoint
	Timeout time.Duration // for all of it
}

// Examine looks at the environment of this process as the one of a program that sets telemetry up. Its error says that there is no
// telemetry in this build.
func Examine(ctx context.Context, o Options) (*Report, error) {
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	e := newExamination(o, theMachine)
	done := make(chan error, 1)
	go func() { done <- e.run(ctx) }()
	stuck := time.NewTimer(o.Timeout + grace)
	defer stuck.Stop()
	select {
	case err := <-done:
		return e.report, err
	case <-stuck.C: // what e has so far is still its goroutine's
		r := &Report{Prefixes: e.prefixes()}
		r.add(Problem, "stuck", "", fmt.Sprintf("Something on this machine does not answer within %v: %s. A program may hang there too.", o.Timeout, *e.stage.Load()))
		r.complete()
		return r, nil
	}
}

// examination is one under way.
type examination struct {
	options Options
	machine machine
	stage   atomic.Pointer[string] // what is being done

	variables map[string]telemetry.Variable // by key
	config    telemetry.Config
	plan      *telemetry.Explanation
	report    *Report
}

func newExamination(o Options, m machine) *examination {
	if o.Prefix == "" {
		o.Prefix = DefaultPrefix
	}
	e := &examination{options: o, machine: m, report: &Report{}, variables: map[string]telemetry.Variable{}}
	e.begin("the environment")
	return e
}

// begin says what is looked at now.
func (e *examination) begin(what string) { e.stage.Store(&what) }

// gym reports whether the program is one of Gym's, which have defaults of their own.
func (e *examination) gym() bool { return e.options.Prefix == gymtelemetry.Prefix }

// prefixes are those of the program, the one that wins first.
func (e *examination) prefixes() []string {
	return slices.Compact([]string{e.options.Prefix, DefaultPrefix})
}

func (e *examination) run(ctx context.Context) error {
	defer e.report.complete()
	e.report.Prefixes = e.prefixes()
	e.readConfig()
	e.begin("who this machine is, or a file that a variable names, such as a certificate")
	plan, err := telemetry.Explain(ctx, e.config)
	if err != nil {
		return err
	}
	e.plan = plan
	e.program()
	for _, w := range plan.Warnings {
		e.report.add(Note, "setting", "", sentence(w))
	}
	e.groups()
	e.unknownVariables()
	for _, r := range plan.Routes {
		e.report.Signals = append(e.report.Signals, e.signal(r))
	}
	e.sayNothingLeaves()
	e.begin("the folder of the spool, " + e.spoolDir())
	e.spool()
	e.begin("the endpoints")
	switch {
	case !e.options.Send, plan.Disabled:
	case ctx.Err() != nil:
		e.report.add(Problem, "no_time", "", fmt.Sprintf("Nothing was sent, since the time was over before: %v is not enough. Give more with --timeout.", e.options.Timeout))
	default:
		e.probe(ctx)
	}
	return nil
}

// readConfig reads the prefixed variables as the program does. Each that cannot be read is a problem.
func (e *examination) readConfig() {
	prefixes := e.prefixes()
	for _, v := range telemetry.Variables(prefixes[0], prefixes[1:]...) {
		e.variables[v.Key] = v
	}
	var err error
	if e.gym() {
		e.config, err = gymtelemetry.FromEnv(gymtelemetry.Supervisor())
	} else {
		e.config, err = telemetry.FromEnv(prefixes[0], prefixes[1:]...)
	}
	for _, err := range each(err) {
		e.report.add(Problem, "variable", "", sentence(err.Error())+" As long as it cannot be read, telemetry is off.")
	}
}

// each takes errors apart that were joined.
func each(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, err := range joined.Unwrap() {
		all = append(all, each(err)...)
	}
	return all
}
