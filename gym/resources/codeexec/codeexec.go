// Package codeexec is the environment code_exec: the model writes a program, and the share of test cases that it passes is
// the reward.
//
// There are no tools. A row has the cases, as rows of NeMo Gym's code environments have them:
//
//	{"responses_create_params":{"input":"Read two numbers and print their sum. Answer with a Python program."},
//	 "verifier_metadata":{"unit_tests":{"inputs":["1 2\n","3 4\n"],"outputs":["3\n","7\n"]}}}
//
// The program is the last fenced block of code in the model's text. Each case runs it in a sandbox of its own (package
// sandbox) with the case's input on standard input. A case is passed when the program ends with 0, in time, and its
// standard output is the case's output; white space at the ends of lines and empty lines at the end do not count.
//
// What is expected never enters a sandbox: outputs are compared here, after the program has ended. Nothing that a case
// leaves behind is there in the next one. A sandbox that fails is an error of the request and not a reward of 0, so that the
// rollout can be tried again.
//
// # Settings
//
//   - sandbox_provider: the name of a sandbox block of the configuration, or such a block itself. It is required.
//   - sandbox_spec: what else its sandboxes should be, for instance an image and resources; see sandbox.Spec.
//   - language: python (the default), sh or go; or file and command, for any other.
//   - case_timeout_s: how long a program may run, 10.
//   - max_concurrent_sandboxes: how many there are at a time, the number of CPUs.
//   - allow_unsafe_host: serve on more than loopback. Servers have no authentication, and this one runs what it is sent.
//
// The server tries its sandbox out when it starts, and says what is missing.
package codeexec

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/resources"
	"github.com/lensgo/lens/gym/wire"
)

// row is what a task has beside responses_create_params.
type row struct {
	Metadata struct {
		Tests tests `json:"unit_tests"`
	} `json:"verifier_metadata"`
}

// tests are the cases of a task.
type tests struct {
	Inputs  []string `json:"inputs"`
	Outputs []string `json:"outputs"`
	// Function is the name of a function to be called, in rows that are of another kind.
	Function *string `json:"fn_name,omitzero"`
}

func (t *tests) check() error {
	var detail string
	switch {
	case t.Function != nil && *t.Function != "":
		detail = "verifier_metadata.unit_tests.fn_name: code_exec runs whole programs, and this row wants a function to be called"
	case len(t.Inputs) == 0:
		detail = "verifier_metadata.unit_tests.inputs: there is no case, so there is nothing to score"
	case len(t.Inputs) != len(t.Outputs):
		detail = "verifier_metadata.unit_tests: inputs and outputs are not of one length"
	default:
		return nil
	}
	return &wire.HTTPError{Status: http.StatusUnprocessableEntity, Detail: detail}
}

// judgement is what a result has beside the reward.
type judgement struct {
	Passed   int       `json:"cases_passed"`
	Cases    int       `json:"cases_total"`
	Outcomes []outcome `json:"case_outcomes"`
}

// outcome is what became of a case.
type outcome string

const (
	passed      outcome = "passed"
	wrongOutput outcome = "wrong_output"
	exitCode    outcome = "exit_code"      // the program ended with another code than 0
	timedOut    outcome = "timeout"        // or did not end
	outputCut   outcome = "output_too_big" // or wrote more than is kept
	noProgram   outcome = "no_program"     // there is none in the model's text
)

// Build returns the server of a code_exec instance. It makes no calls, so client may be nil. It starts a sandbox to see
// that it can.
func Build(in *config.Instance, _ *wire.Client, logger *slog.Logger) (*wire.Server, error) {
	r, err := newRunner(in)
	if err != nil {
		return nil, err
	}
	if err := r.tryOut(context.Background()); err != nil {
		return nil, err
	}
	s := resources.New(in, logger)
	s.Reverify(resources.ReverifyStateless)
	resources.Verify(s, r.verify)
	return s.Build()
}

// Check reads the settings of a code_exec instance as Build does, and starts no sandbox.
func Check(in *config.Instance) error {
	_, err := newRunner(in)
	return err
}

func (r *runner) verify(ctx context.Context, v resources.Verification[row]) (float64, judgement, error) {
	t := v.Row.Metadata.Tests
	if err := t.check(); err != nil {
		return 0, judgement{}, err
	}
	j := judgement{Cases: len(t.Inputs), Outcomes: make([]outcome, len(t.Inputs))}
	program, ok := extract(v.Response.Text(), r.tags)
	if !ok {
		for i := range j.Outcomes {
			j.Outcomes[i] = noProgram
		}
		return 0, j, nil
	}
	if err := r.runAll(ctx, program, &t, j.Outcomes); err != nil {
		return 0, judgement{}, err
	}
	for _, o := range j.Outcomes {
		if o == passed {
			j.Passed++
		}
	}
	return float64(j.Passed) / float64(j.Cases), j, nil
}

// runAll finds the outcome of each case. The first failure of a sandbox ends it.
func (r *runner) runAll(ctx context.Context, program string, t *tests, outcomes []outcome) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var cases sync.WaitGroup
	for i := range outcomes {
		if r.acquire(ctx) != nil {
			break
		}
		cases.Go(func() {
			defer r.release()
			result, err := r.run(ctx, program, t.Inputs[i])
			if err != nil {
				cancel(err)
				return
			}
			outcomes[i] = judge(result, t.Outputs[i])
		})
	}
	cases.Wait()
	return context.Cause(ctx)
}

// same tells whether two outputs are the same but for white space at the ends of lines and empty lines at the end.
func same(a, b string) bool { return plain(a) == plain(b) }

func plain(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r\v\f")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}
