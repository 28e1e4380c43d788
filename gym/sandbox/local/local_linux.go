package local

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"sync"
	"time"

	"github.com/lensgo/lens/gym/sandbox"
)

// readyTimeout bounds a start whose spec says nothing. A start takes milliseconds; a machine with much to do needs more.
const readyTimeout = 60 * time.Second

// Provider makes sandboxes out of Linux namespaces. It is safe for concurrent use.
type Provider struct {
	o Options

	mu     sync.Mutex
	closed bool
	boxes  map[string]*box
}

// New returns a provider. The error says which option is wrong.
func New(o Options) (*Provider, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.MemoryMiB = cmp.Or(o.MemoryMiB, defaultMemory)
	o.DiskMiB = cmp.Or(o.DiskMiB, defaultDisk)
	o.MaxProcesses = cmp.Or(o.MaxProcesses, defaultProcesses)
	o.MaxOutputBytes = cmp.Or(o.MaxOutputBytes, defaultOutput)
	return &Provider{o: o, boxes: make(map[string]*box)}, nil
}

// Name is "local".
func (*Provider) Name() string { return Name }

// Create starts a sandbox.
func (p *Provider) Create(ctx context.Context, spec sandbox.Spec) (sandbox.Handle, error) {
	fail := func(err error) (sandbox.Handle, error) {
		return sandbox.Handle{}, &sandbox.CreateError{Provider: Name, Err: err}
	}
	if err := errors.Join(spec.Validate(), refuse(&spec)); err != nil {
		return fail(err)
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(spec.ReadyTimeout.Duration(), readyTimeout))
	defer cancel()
	b, err := start(ctx, p.setup(&spec), p.limits(&spec))
	if errors.Is(err, errNamespaces) {
		if !p.o.AllowUnsafe {
			return fail(err)
		}
		b, err = startUnsafe(ctx, p.setup(&spec), p.limits(&spec))
	}
	if err != nil {
		return fail(err)
	}
	b.expire(spec.TTL.Duration())
	if !p.keep(b) {
		return fail(errors.Join(errors.New("the provider is closed"), b.stop()))
	}
	return sandbox.Handle{ID: b.id, Provider: Name, Raw: b}, nil
}

func (p *Provider) setup(spec *sandbox.Spec) setup {
	disk := int64(p.o.DiskMiB) * mebibyte
	if spec.Resources.DiskGiB > 0 {
		disk = int64(spec.Resources.DiskGiB * 1024 * mebibyte)
	}
	return setup{Show: p.o.ReadOnly, Disk: disk, Workdir: path.Clean(cmp.Or(spec.Workdir, defaultWorkdir))}
}

func (p *Provider) limits(spec *sandbox.Spec) limits {
	memory := int64(cmp.Or(spec.Resources.MemoryMiB, p.o.MemoryMiB)) * mebibyte
	return limits{Memory: memory, Processes: p.o.MaxProcesses, CPU: spec.Resources.CPU}
}

func (p *Provider) keep(b *box) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.boxes[b.id] = b
	}
	return !p.closed
}

// box is what a handle stands for.
func (p *Provider) box(h sandbox.Handle) (*box, error) {
	if b, ok := h.Raw.(*box); ok && h.Provider == Name {
		return b, nil
	}
	return nil, fmt.Errorf("sandbox %q is none of provider %s", h.ID, Name)
}

// Isolated tells whether a sandbox is one of namespaces, and not one that AllowUnsafe let through.
func (p *Provider) Isolated(h sandbox.Handle) bool {
	b, err := p.box(h)
	return err == nil && !b.setup.Unsafe
}

// Exec runs a command in a pid namespace of its own.
func (p *Provider) Exec(ctx context.Context, h sandbox.Handle, c sandbox.Command) (sandbox.Result, error) {
	b, err := p.box(h)
	if err != nil {
		return sandbox.Result{}, err
	}
	if c.User != "" {
		return sandbox.Result{}, fmt.Errorf("cannot run a command as user %q: %w", c.User, sandbox.ErrNoUser)
	}
	o := order{Kind: orderExec, Text: c.Text, Dir: c.Dir, Env: c.Env}
	r := b.run(ctx, o, stream{stdin: c.Stdin, keep: p.o.MaxOutputBytes}, cmp.Or(c.Timeout, sandbox.DefaultExecTimeout))
	result := sandbox.Result{Stdout: r.stdout, Stderr: r.stderr, Cut: r.cut, ReturnCode: r.code}
	if err := ctx.Err(); err != nil && r.err != nil {
		return sandbox.Failed(sandbox.ErrorTimeout, nil), err
	}
	if r.err != nil {
		result.ReturnCode, result.ErrorType = sandbox.RuntimeFailure, sandbox.ErrorSandbox
		if errors.Is(r.err, errTimeout) {
			result.ErrorType = sandbox.ErrorTimeout
		} else {
			result.Err = r.err
		}
	}
	return result, nil
}

// transferTimeout bounds an upload or a download: they are copies in memory.
const transferTimeout = 10 * time.Minute

// Upload writes a file as the commands' user would.
func (p *Provider) Upload(ctx context.Context, h sandbox.Handle, local, remote string) error {
	b, err := p.box(h)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(local)
	if err != nil {
		return fmt.Errorf("cannot upload to %s: %w", remote, err)
	}
	r := b.run(ctx, order{Kind: orderPut, Path: remote}, stream{stdin: content, keep: 4096}, transferTimeout)
	if err := r.failure(ctx); err != nil {
		return fmt.Errorf("cannot upload to %s: %w", remote, err)
	}
	return nil
}

// Download reads a file as the commands' user would. Only what is a regular file in the end is one.
func (p *Provider) Download(ctx context.Context, h sandbox.Handle, remote, local string) error {
	b, err := p.box(h)
	if err != nil {
		return err
	}
	r := b.run(ctx, order{Kind: orderGet, Path: remote}, stream{keep: b.setup.Disk}, transferTimeout)
	err = r.failure(ctx)
	if err == nil && r.cut {
		err = fmt.Errorf("it is longer than the sandbox's disk, %d bytes", b.setup.Disk)
	}
	if err == nil {
		err = os.WriteFile(local, []byte(r.stdout), 0o600)
	}
	if err != nil {
		return fmt.Errorf("cannot download %s: %w", remote, err)
	}
	return nil
}

// Status tells whether the sandbox lives.
func (p *Provider) Status(_ context.Context, h sandbox.Handle) (sandbox.Status, error) {
	b, err := p.box(h)
	if err != nil {
		return sandbox.StatusUnknown, err
	}
	if b.gone() {
		return sandbox.StatusStopped, nil
	}
	return sandbox.StatusRunning, nil
}

// Remove ends the sandbox. When it returns, no process of it is left.
func (p *Provider) Remove(_ context.Context, h sandbox.Handle) error {
	b, err := p.box(h)
	if err != nil {
		return err
	}
	p.mu.Lock()
	delete(p.boxes, b.id)
	p.mu.Unlock()
	return b.stop()
}

// Close ends all sandboxes that are left.
func (p *Provider) Close() error {
	p.mu.Lock()
	p.closed = true
	left := p.boxes
	p.boxes = nil
	p.mu.Unlock()
	var errs []error
	for _, b := range left {
		errs = append(errs, b.stop())
	}
	return errors.Join(errs...)
}

func newID() string {
	var random [8]byte
	_, _ = rand.Read(random[:]) // it never fails
	return "gym-sandbox-" + hex.EncodeToString(random[:])
}
