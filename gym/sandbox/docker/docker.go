package docker

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lensgo/lens/gym/internal/backoff"
	"github.com/lensgo/lens/gym/sandbox"
	"github.com/lensgo/lens/metrics"
)

// Name is the provider's name.
const Name = "docker"

// Options configure a provider. The zero value has the defaults.
type Options struct {
	Binary  string          `json:"binary,omitzero"`          // the command (default docker)
	Image   string          `json:"image,omitzero"`           // of specs without one
	Network string          `json:"network,omitzero"`         // as docker run --network takes it (default the engine's)
	Timeout sandbox.Seconds `json:"start_timeout_s,omitzero"` // for the start of a sandbox, with the time to pull its image (default 600)
	// MaxOutputBytes bounds what is kept of each stream of a command; the rest is read and dropped (default 1 MiB).
	MaxOutputBytes int64 `json:"max_output_bytes,omitzero"`
	// Retries is how often the creation of a sandbox is tried again that the engine or a registry refuses for the moment (default 2).
	Retries    *int            `json:"create_retries,omitzero"`
	RetryDelay sandbox.Seconds `json:"create_retry_delay_s,omitzero"` // before the first of them; it doubles up to a minute (default 5)
}

const (
	startTimeout = 600 * time.Second // with the time to pull an image
	probeTimeout = 30 * time.Second
	quickTimeout = 60 * time.Second // of questions to the engine
	copyTimeout  = 10 * time.Minute
	maxCalls     = 32 // of the command at a time
	output       = 1 << 20
)

// Provider makes containers. It is safe for concurrent use.
type Provider struct {
	o       Options
	retries int
	waits   backoff.Doubling
	slots   chan struct{}

	mu     sync.Mutex
	closed bool
	made   map[string]bool // names of containers that are left
}

// container is what a handle stands for.
type container struct {
	name  string
	shell string
}

// New returns a provider.
func New(o Options) (*Provider, error) {
	if o.MaxOutputBytes < 0 || o.Timeout < 0 || o.RetryDelay < 0 {
		return nil, errors.New("max_output_bytes, start_timeout_s and create_retry_delay_s must be above 0, or left out for the defaults")
	}
	retries := createRetries
	if o.Retries != nil {
		retries = *o.Retries
	}
	if retries < 0 {
		return nil, fmt.Errorf("create_retries is %d: it must be 0, for none, or more", retries)
	}
	o.Binary = cmp.Or(o.Binary, "docker")
	o.MaxOutputBytes = cmp.Or(o.MaxOutputBytes, output)
	return &Provider{
		o: o, retries: retries, waits: backoff.Doubling{First: cmp.Or(o.RetryDelay.Duration(), retryDelay), Most: longestDelay},
		slots: make(chan struct{}, maxCalls), made: make(map[string]bool),
	}, nil
}

// Open is New for a configuration; it is a [sandbox.Opener].
func Open(options []byte) (sandbox.Provider, error) {
	var o Options
	if err := sandbox.DecodeOptions(options, &o); err != nil {
		return nil, err
	}
	p, err := New(o)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Name is "docker".
func (*Provider) Name() string { return Name }

// Create runs a container and waits until a command in it answers. What may pass is tried again, within the time for the start.
func (p *Provider) Create(ctx context.Context, spec sandbox.Spec) (sandbox.Handle, error) {
	wait := cmp.Or(spec.ReadyTimeout.Duration(), p.o.Timeout.Duration(), startTimeout)
	began := time.Now()
	for tries := 1; ; tries++ {
		h, err := p.create(ctx, &spec, wait)
		if err == nil || !p.again(ctx, tries, wait-time.Since(began), err) {
			return h, err
		}
		metrics.Gym.SandboxRetried(ctx, Name)
	}
}

// create is one try, which leaves nothing behind when it fails.
func (p *Provider) create(ctx context.Context, spec *sandbox.Spec, wait time.Duration) (sandbox.Handle, error) {
	name := newName()
	args, err := p.runArgs(name, spec)
	if err == nil {
		err = p.note(name)
	}
	if err != nil {
		return sandbox.Handle{}, &sandbox.CreateError{Provider: Name, Err: err}
	}
	out, err := p.ask(ctx, wait, slices.Collect(maps.Values(spec.Env)), args...)
	if err != nil {
		return sandbox.Handle{}, &sandbox.CreateError{Provider: Name, Err: errors.Join(err, p.discard(ctx, name))}
	}
	shell, err := p.probe(ctx, name)
	if err != nil {
		return sandbox.Handle{}, &sandbox.VerificationError{Provider: Name, Err: errors.Join(err, p.discard(ctx, name))}
	}
	id := strings.TrimSpace(out)
	return sandbox.Handle{ID: id[:min(12, len(id))], Provider: Name, Raw: container{name: name, shell: shell}}, nil
}

// runArgs are the arguments of docker run.
func (p *Provider) runArgs(name string, spec *sandbox.Spec) ([]string, error) {
	image := cmp.Or(spec.Image, p.o.Image)
	var errs []error
	if image == "" {
		errs = append(errs, errors.New("the spec has no image"))
	}
	if spec.Resources.DiskGiB > 0 {
		errs = append(errs, errors.New("disk_gib cannot be bounded"))
	}
	if len(spec.Options) > 0 {
		errs = append(errs, errors.New("it has no options of a sandbox (provider_options)"))
	}
	if err := errors.Join(append(errs, spec.Validate())...); err != nil {
		return nil, err
	}
	args := []string{"run", "-d", "--name", name, "--label", "nemo-gym.sandbox=1", "--init"}
	for _, key := range slices.Sorted(maps.Keys(spec.Metadata)) {
		args = append(args, "--label", "nemo-gym."+key+"="+spec.Metadata[key])
	}
	if spec.Workdir != "" {
		args = append(args, "-w", spec.Workdir)
	}
	args = append(args, envArgs(spec.Env)...)
	args = append(args, resourceArgs(&spec.Resources)...)
	if p.o.Network != "" {
		args = append(args, "--network", p.o.Network)
	}
	for _, port := range spec.Ports {
		args = append(args, "--publish", fmt.Sprintf("127.0.0.1::%d/tcp", port))
	}
	sleep := []string{"sleep", "infinity"}
	if spec.TTL > 0 {
		args = append(args, "--rm")
		sleep[1] = strconv.FormatFloat(float64(spec.TTL), 'f', -1, 64)
	}
	if len(spec.Entrypoint) > 0 {
		sleep = spec.Entrypoint
	}
	args = append(args, "--entrypoint", sleep[0], image)
	return append(args, sleep[1:]...), nil
}

func resourceArgs(r *sandbox.Resources) (args []string) {
	if r.CPU > 0 {
		args = append(args, "--cpus", strconv.FormatFloat(r.CPU, 'f', -1, 64))
	}
	if r.MemoryMiB > 0 {
		memory := strconv.Itoa(r.MemoryMiB) + "m"
		args = append(args, "--memory", memory, "--memory-swap", memory)
	}
	if r.GPU > 0 {
		args = append(args, "--gpus", strconv.Itoa(r.GPU))
	}
	return args
}

func envArgs(env map[string]string) (args []string) {
	for _, key := range slices.Sorted(maps.Keys(env)) {
		args = append(args, "--env", key+"="+env[key])
	}
	return args
}

// marker is what a container that runs commands answers.
const marker = "nemo-gym-sandbox-ready"

// probe runs a first command, and finds out which shell there is.
func (p *Provider) probe(ctx context.Context, name string) (shell string, err error) {
	out, err := p.ask(ctx, probeTimeout, nil, "exec", name, "sh", "-c", "command -v bash; echo "+marker)
	if err != nil {
		return "", err
	}
	if !strings.HasSuffix(strings.TrimSpace(out), marker) {
		return "", fmt.Errorf("it answered %.200q and not %s", out, marker)
	}
	if strings.Contains(out, "bash") {
		return "bash", nil
	}
	return "sh", nil
}

// note remembers a container before it is there, so that none is forgotten.
func (p *Provider) note(name string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errors.New("the provider is closed")
	}
	p.made[name] = true
	return nil
}

// discard removes a container, also when ctx is over.
func (p *Provider) discard(ctx context.Context, name string) error {
	_, err := p.ask(context.WithoutCancel(ctx), quickTimeout, nil, "rm", "-f", "-v", name)
	if err != nil && !missing(err) {
		return err
	}
	p.mu.Lock()
	delete(p.made, name)
	p.mu.Unlock()
	return nil
}

// missing tells whether the engine said that there is no such container.
func missing(err error) bool { return strings.Contains(strings.ToLower(err.Error()), "no such") }

func (p *Provider) container(h sandbox.Handle) (container, error) {
	if c, ok := h.Raw.(container); ok && h.Provider == Name {
		return c, nil
	}
	return container{}, fmt.Errorf("sandbox %q is none of provider %s", h.ID, Name)
}

// Exec runs a command with docker exec.
func (p *Provider) Exec(ctx context.Context, h sandbox.Handle, c sandbox.Command) (sandbox.Result, error) {
	box, err := p.container(h)
	if err != nil {
		return sandbox.Result{}, err
	}
	args := []string{"exec"}
	if len(c.Stdin) > 0 {
		args = append(args, "-i")
	}
	if c.Dir != "" {
		args = append(args, "-w", c.Dir)
	}
	if c.User != "" {
		args = append(args, "--user", c.User)
	}
	args = append(args, envArgs(c.Env)...)
	args = append(args, box.name, box.shell, "-c", c.Text)
	r := p.call(ctx, cmp.Or(c.Timeout, sandbox.DefaultExecTimeout), c.Stdin, args)
	result := sandbox.Result{Stdout: r.stdout, Stderr: r.stderr, Cut: r.cut, ReturnCode: r.code}
	switch {
	case r.err != nil && ctx.Err() != nil:
		return sandbox.Failed(sandbox.ErrorTimeout, nil), ctx.Err()
	case errors.Is(r.err, errTimeout):
		result.ReturnCode, result.ErrorType = sandbox.RuntimeFailure, sandbox.ErrorTimeout
	case r.err != nil:
		return sandbox.Failed(sandbox.ErrorSandbox, r.err), nil
	case r.code != 0 && ofEngine(r.stderr):
		if status, err := p.Status(ctx, h); err != nil || status != sandbox.StatusRunning {
			return sandbox.Failed(sandbox.ErrorSandbox, errors.Join(errors.New("the container does not run"), err)), nil
		}
	}
	return result, nil
}

// ofEngine tells whether an error text may be one of docker's own, and not of the command in the container.
func ofEngine(stderr string) bool {
	for _, start := range []string{"Error response from daemon", "Error: No such container", "Cannot connect to the Docker daemon"} {
		if strings.HasPrefix(stderr, start) {
			return true
		}
	}
	return false
}

// Upload copies with docker cp, which needs the folder to be there.
func (p *Provider) Upload(ctx context.Context, h sandbox.Handle, local, remote string) error {
	box, err := p.container(h)
	if err != nil {
		return err
	}
	if dir := path.Dir(remote); dir != "/" && dir != "." {
		if _, err := p.ask(ctx, quickTimeout, nil, "exec", box.name, "mkdir", "-p", dir); err != nil {
			return fmt.Errorf("cannot upload to %s: %w", remote, err)
		}
	}
	if _, err := p.ask(ctx, copyTimeout, nil, "cp", local, box.name+":"+remote); err != nil {
		return fmt.Errorf("cannot upload to %s: %w", remote, err)
	}
	return nil
}

// Download copies with docker cp.
func (p *Provider) Download(ctx context.Context, h sandbox.Handle, remote, local string) error {
	box, err := p.container(h)
	if err != nil {
		return err
	}
	if _, err := p.ask(ctx, copyTimeout, nil, "cp", "-L", box.name+":"+remote, local); err != nil {
		return fmt.Errorf("cannot download %s: %w", remote, err)
	}
	return nil
}

// Status asks the engine.
func (p *Provider) Status(ctx context.Context, h sandbox.Handle) (sandbox.Status, error) {
	box, err := p.container(h)
	if err != nil {
		return sandbox.StatusUnknown, err
	}
	out, err := p.ask(ctx, quickTimeout, nil, "inspect", "-f", "{{.State.Status}}", box.name)
	if err != nil && missing(err) {
		return sandbox.StatusStopped, nil
	}
	if err != nil {
		return sandbox.StatusUnknown, err
	}
	switch strings.TrimSpace(out) {
	case "created", "restarting":
		return sandbox.StatusStarting, nil
	case "running":
		return sandbox.StatusRunning, nil
	case "exited", "removing":
		return sandbox.StatusStopped, nil
	case "dead":
		return sandbox.StatusError, nil
	}
	return sandbox.StatusUnknown, nil
}

// Endpoint asks for the port of this machine that leads to one of the container.
func (p *Provider) Endpoint(ctx context.Context, h sandbox.Handle, port int) (sandbox.Endpoint, error) {
	box, err := p.container(h)
	if err != nil {
		return sandbox.Endpoint{}, err
	}
	out, err := p.ask(ctx, quickTimeout, nil, "port", box.name, strconv.Itoa(port)+"/tcp")
	if err != nil {
		return sandbox.Endpoint{}, fmt.Errorf("port %d has no endpoint: %w", port, err)
	}
	line, _, _ := strings.Cut(out, "\n")
	if _, _, err := net.SplitHostPort(line); err != nil {
		return sandbox.Endpoint{}, fmt.Errorf("port %d has no endpoint: docker answered %.200q", port, out)
	}
	return sandbox.Endpoint{URL: "http://" + line}, nil
}

// Remove removes the container with everything in it.
func (p *Provider) Remove(ctx context.Context, h sandbox.Handle) error {
	box, err := p.container(h)
	if err != nil {
		return err
	}
	return p.discard(ctx, box.name)
}

// Close removes the containers that are left.
func (p *Provider) Close() error {
	p.mu.Lock()
	p.closed = true
	names := slices.Sorted(maps.Keys(p.made))
	p.mu.Unlock()
	var errs []error
	for _, name := range names {
		errs = append(errs, p.discard(context.Background(), name))
	}
	return errors.Join(errs...)
}

// Serialize returns the container's name and its shell.
func (p *Provider) Serialize(h sandbox.Handle) (string, error) {
	box, err := p.container(h)
	if err != nil {
		return "", err
	}
	return box.name + " " + box.shell + " " + h.ID, nil
}

// Connect finds a running container.
func (p *Provider) Connect(ctx context.Context, text string) (sandbox.Handle, error) {
	fields := strings.Fields(text)
	if len(fields) != 3 || !strings.HasPrefix(fields[0], prefix) {
		return sandbox.Handle{}, fmt.Errorf("%.200q is no container of this provider", text)
	}
	h := sandbox.Handle{ID: fields[2], Provider: Name, Raw: container{name: fields[0], shell: fields[1]}}
	status, err := p.Status(ctx, h)
	if err == nil && status != sandbox.StatusRunning {
		err = fmt.Errorf("container %s is %s", fields[0], status)
	}
	return h, err
}

const prefix = "nemo-gym-"

func newName() string {
	var random [8]byte
	_, _ = rand.Read(random[:]) // it never fails
	return prefix + hex.EncodeToString(random[:])
}
