package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/lensgo/lens/bench/load"
)

// program is a process that was started here. What it prints first are lines of a word and an address.
type program struct {
	cmd    *exec.Cmd
	said   map[string]string
	errs   bytes.Buffer
	stdin  io.WriteCloser
	ended  chan struct{}
	result error
	lines  chan string // what it prints later
}

// launch starts a process that prints so many lines first. It ends when this process does.
func launch(ctx context.Context, lines int, path string, args ...string) (*program, error) {
	p := &program{cmd: exec.Command(path, args...), said: map[string]string{}, ended: make(chan struct{}), lines: make(chan string, 16)}
	p.cmd.Stderr = &p.errs
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", path, err)
	}
	first := make(chan struct{})
	go p.read(stdout, lines, first)
	select {
	case <-first:
		return p, nil
	case <-ctx.Done():
		p.kill()
		return nil, context.Cause(ctx)
	case <-p.ended:
		return nil, fmt.Errorf("%s %s ended at its start: %w\n%s", filepath.Base(path), strings.Join(args, " "), p.result, &p.errs)
	}
}

// read takes what the process prints, and waits for its end.
func (p *program) read(stdout io.Reader, lines int, first chan struct{}) {
	scanner := bufio.NewScanner(stdout)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		if len(p.said) < lines {
			what, value, _ := strings.Cut(scanner.Text(), " ")
			p.said[what] = strings.TrimSpace(value)
			if len(p.said) == lines {
				close(first)
			}
			continue
		}
		p.lines <- scanner.Text()
	}
	p.result = p.cmd.Wait()
	close(p.ended)
	close(p.lines)
}

func (p *program) pid() int { return p.cmd.Process.Pid }

// kill is kill -9.
func (p *program) kill() {
	p.cmd.Process.Kill() //nolint:errcheck // it may have ended
	p.wait()
}

// wait waits for the end. What it still prints is passed over.
func (p *program) wait() {
	for range p.lines {
	}
	<-p.ended
	p.stdin.Close()
}

// stop asks a process to end, and waits until it has.
func (p *program) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	late := time.AfterFunc(time.Minute, func() { p.cmd.Process.Kill() }) //nolint:errcheck // it may have ended
	defer late.Stop()
	p.wait()
	if p.result != nil {
		return fmt.Errorf("it ended with %w\n%s", p.result, &p.errs)
	}
	return nil
}

// viewerProcess is a running viewer.
type viewerProcess struct {
	*program
	page, token string
	client      *http.Client
}

// view starts `lens view` on a folder.
func (r *run) view(data, retain string) (*viewerProcess, error) {
	p, err := launch(r, 4, r.lens, "view", "--data", data, "--retain", retain, "--listen", "127.0.0.1:0", "--otlp-http", "127.0.0.1:0", "--otlp-grpc", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return asked(p)
}

// asked makes the client for a viewer that has said where it is.
func asked(p *program) (*viewerProcess, error) {
	u, err := url.Parse(p.said["Page"])
	if err != nil || u.Host == "" {
		p.kill()
		return nil, fmt.Errorf("the viewer said no page: %v", p.said)
	}
	return &viewerProcess{program: p, page: "http://" + u.Host, token: u.Query().Get("token"), client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}}, nil
}

// stop and kill let go of connections too.
func (v *viewerProcess) stop() error {
	v.client.CloseIdleConnections()
	return v.program.stop()
}

func (v *viewerProcess) kill() {
	v.client.CloseIdleConnections()
	v.program.kill()
}

// endpoint is where a protocol goes.
func (p *program) endpoint(protocol load.Protocol) string {
	if protocol == load.GRPC {
		return p.said["OTLP/gRPC"]
	}
	return p.said["OTLP/HTTP"]
}

// get asks the API, and returns how many bytes the answer has.
func (v *viewerProcess) get(ctx context.Context, path string, into any) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.page+path, nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+v.token)
	resp, err := v.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	if resp.StatusCode != http.StatusOK {
		return 0, &statusError{path, resp.StatusCode, body}
	}
	if into != nil {
		if err := json.Unmarshal(body, into); err != nil {
			return 0, fmt.Errorf("GET %s: %w", path, err)
		}
	}
	return len(body), nil
}

// statusError is an answer that is none.
type statusError struct {
	path string
	code int
	body []byte
}

func (e *statusError) Error() string {
	return fmt.Sprintf("GET %s: status %d: %.300s", e.path, e.code, e.body)
}

// status is what of the API's status is looked at here.
type status struct {
	Spans struct {
		Received, Stored, Duplicates, Dropped int64
	}
	Store struct {
		Bytes    int64
		Traces   int64
		Problems []string
	}
}

func (v *viewerProcess) status(ctx context.Context) (s status, err error) {
	_, err = v.get(ctx, "/api/v1/status", &s)
	return s, err
}

// dial makes some connections to a process.
func dial(p *program, protocol load.Protocol, n int) (out []load.Sender, err error) {
	for range n {
		s, err := load.Dial(protocol, p.endpoint(protocol))
		if err != nil {
			hangUp(out)
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func hangUp(senders []load.Sender) {
	for _, s := range senders {
		s.Close()
	}
}

// fill sends from a source over HTTP, as quickly as it goes.
func (r *run) fill(p *program, source *load.Source, u load.Until) (int, error) {
	senders, err := dial(p, load.HTTPProtobuf, connections)
	if err != nil {
		return 0, err
	}
	defer hangUp(senders)
	return load.Drive(r, source, senders, u)
}

// connections is how many senders there are at a time.
const connections = 2
