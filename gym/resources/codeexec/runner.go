package codeexec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/user"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/sandbox"
	"github.com/lensgo/lens/gym/sandbox/docker"
	"github.com/lensgo/lens/gym/sandbox/local"
)

// providers are those that a configuration can name.
var providers = map[string]sandbox.Opener{local.Name: local.Open, docker.Name: docker.Open}

// settings are the keys of a code_exec instance.
type settings struct {
	Provider        jsontext.Value `json:"sandbox_provider"`         // the sandbox: a block like {local: {}}, or the name of one at the top of the configuration (needed)
	Spec            jsontext.Value `json:"sandbox_spec"`             // what each sandbox should be: image, env, files, resources
	Language        string         `json:"language"`                 // python, sh or go; another one needs file and command (default python)
	File            string         `json:"file"`                     // what the program is written to (default the language's, for example main.py)
	Command         string         `json:"command"`                  // what runs it (default the language's, for example python3 main.py)
	CaseTimeout     *float64       `json:"case_timeout_s"`           // for one test case (default defaultTimeout)
	MaxConcurrent   *int           `json:"max_concurrent_sandboxes"` // sandboxes at a time (default as many as the machine has cores)
	AllowUnsafeHost bool           `json:"allow_unsafe_host"`        // listen on a host that others can reach
}

// language is how programs of one are run.
type language struct {
	file    string
	command string
	tags    []string // that a block of such code is marked with
}

var languages = map[string]language{
	"python": {"main.py", "python3 main.py", []string{"python", "python3", "py"}},
	"sh":     {"main.sh", "sh main.sh", []string{"sh", "bash", "shell"}},
	"go":     {"main.go", "go run main.go", []string{"go", "golang"}},
}

// runner runs programs in sandboxes.
type runner struct {
	block   sandbox.Block
	spec    sandbox.Spec
	file    string
	command string
	tags    []string
	timeout time.Duration
	slots   chan struct{}
}

const (
	defaultTimeout = 10
	longestTimeout = 3600
	workdir        = "/workspace"
)

func newRunner(in *config.Instance) (*runner, error) {
	var s settings
	if err := in.DecodeSettings(&s); err != nil {
		return nil, err
	}
	if !s.AllowUnsafeHost && !in.Loopback() {
		return nil, fmt.Errorf("%s would serve on host %q: it runs the programs that it is sent, and has no authentication; "+
			"let it listen on 127.0.0.1, or set allow_unsafe_host: true where nobody else can reach it", in.Name, in.Host)
	}
	r := &runner{}
	err := errors.Join(r.setProvider(in, &s), r.setLanguage(&s), r.setBounds(&s))
	if err != nil {
		return nil, fmt.Errorf("cannot set up %s: %w", in.Name, err)
	}
	return r, nil
}

// setProvider reads sandbox_provider: the name of a block, or the block.
func (r *runner) setProvider(in *config.Instance, s *settings) error {
	raw := s.Provider
	if raw.Kind() == 0 || raw.Kind() == 'n' {
		return errors.New(`sandbox_provider is missing: name a sandbox block of the configuration, or write one: {local: {}}`)
	}
	if raw.Kind() == '"' {
		var name string
		if err := json.Unmarshal(raw, &name); err != nil {
			return err
		}
		raw = nil
		if err := in.DecodeGlobal(name, &raw); err != nil {
			return err
		}
		if raw == nil {
			return fmt.Errorf("sandbox_provider names %q, and the configuration has no such block: write %s: {local: {}}", name, name)
		}
	}
	var err error
	if r.block, err = sandbox.ParseBlock(raw); err != nil {
		return fmt.Errorf("sandbox_provider: %w", err)
	}
	if s.Spec.Kind() != 0 && s.Spec.Kind() != 'n' {
		if r.spec, err = sandbox.ParseSpec(s.Spec); err != nil {
			return fmt.Errorf("sandbox_spec: %w", err)
		}
	}
	r.spec.Workdir = cmp.Or(r.spec.Workdir, workdir)
	r.spec.Metadata = attribution(r.block.Metadata, r.spec.Metadata)
	return nil
}

// attribution is who sandboxes are for; what the configuration says wins.
func attribution(said ...map[string]string) map[string]string {
	login := ""
	if u, err := user.Current(); err == nil {
		login = u.Username
	}
	m := sandbox.Attribution(os.Getenv, login)
	for _, more := range said {
		maps.Copy(m, more)
	}
	return m
}

func (r *runner) setLanguage(s *settings) error {
	name := cmp.Or(s.Language, "python")
	l, known := languages[name]
	if !known && (s.File == "" || s.Command == "") {
		return fmt.Errorf("language is %q: it must be one of %s, or file and command must say how its programs are run", name,
			strings.Join(slices.Sorted(maps.Keys(languages)), ", "))
	}
	if !known {
		l.tags = []string{name}
	}
	r.file, r.command, r.tags = cmp.Or(s.File, l.file), cmp.Or(s.Command, l.command), l.tags
	return nil
}

func (r *runner) setBounds(s *settings) error {
	timeout, n := float64(defaultTimeout), runtime.NumCPU()
	if s.CaseTimeout != nil {
		timeout = *s.CaseTimeout
	}
	if s.MaxConcurrent != nil {
		n = *s.MaxConcurrent
	}
	if !(timeout > 0 && timeout <= longestTimeout) {
		return fmt.Errorf("case_timeout_s is %v: it must be above 0 and at most %d", timeout, longestTimeout)
	}
	if n < 1 || n > 1<<16 {
		return fmt.Errorf("max_concurrent_sandboxes is %d: it must be from 1 to %d", n, 1<<16)
	}
	r.timeout, r.slots = sandbox.Seconds(timeout).Duration(), make(chan struct{}, n)
	return nil
}

// tryOut starts a sandbox and looks for the program that runs the others.
func (r *runner) tryOut(ctx context.Context) error {
	interpreter, _, _ := strings.Cut(r.command, " ")
	var result sandbox.Result
	err := r.with(ctx, nil, func(ctx context.Context, box *sandbox.Sandbox) (err error) {
		result, err = box.Exec(ctx, sandbox.Command{Text: "command -v -- '" + strings.ReplaceAll(interpreter, "'", `'\''`) + "'"})
		return err
	})
	switch {
	case err != nil:
		return err
	case result.ErrorType != "":
		return fmt.Errorf("the sandbox does not work: %w", errors.Join(errors.New(result.ErrorType), result.Err))
	case result.ReturnCode != 0:
		return fmt.Errorf("the sandbox has no %s: set another language, or let it see one (read_only of provider local, an image of provider docker)", interpreter)
	}
	return nil
}

func (r *runner) acquire(ctx context.Context) error {
	select {
	case r.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *runner) release() { <-r.slots }

// with calls fn with a sandbox that lives as long.
func (r *runner) with(ctx context.Context, files map[string]string, fn func(context.Context, *sandbox.Sandbox) error) (err error) {
	provider, err := r.block.Open(providers)
	if err != nil {
		return err
	}
	spec := r.spec
	spec.Files = maps.Clone(spec.Files)
	if spec.Files == nil {
		spec.Files = map[string]string{}
	}
	maps.Copy(spec.Files, files)
	box := sandbox.New(provider, spec)
	defer func() { err = errors.Join(err, box.Stop(ctx)) }()
	if err := box.Start(ctx); err != nil {
		return err
	}
	return fn(ctx, box)
}

// run runs a program once. The error says that the sandbox failed.
func (r *runner) run(ctx context.Context, program, input string) (result sandbox.Result, err error) {
	err = r.with(ctx, map[string]string{r.file: program}, func(ctx context.Context, box *sandbox.Sandbox) (err error) {
		result, err = box.Exec(ctx, sandbox.Command{Text: r.command, Stdin: []byte(input), Timeout: r.timeout})
		if err == nil && result.ErrorType == sandbox.ErrorSandbox {
			err = fmt.Errorf("the sandbox failed: %w", result.Err)
		}
		return err
	})
	return result, err
}

// judge compares what a program wrote with what is expected.
func judge(result sandbox.Result, expected string) outcome {
	switch {
	case result.ErrorType != "":
		return timedOut
	case result.ReturnCode != 0:
		return exitCode
	case result.Cut && !same(result.Stdout, expected): // what was cut may be the other stream
		return outputCut
	case !same(result.Stdout, expected):
		return wrongOutput
	}
	return passed
}
