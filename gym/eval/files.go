package eval

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"

	"github.com/lensgo/lens/viewer/ingest"
)

// checkFiles refuses, before anything starts, what would destroy one file of the run by another, and an output that
// cannot be written.
func (r *run) checkFiles() error {
	written := r.plan.Files()
	for _, path := range written {
		if one := slices.IndexFunc(r.ConfigPaths, func(read string) bool { return sameFile(path, read) }); one >= 0 {
			return fmt.Errorf("cannot write %s: it is the configuration %s", path, r.ConfigPaths[one])
		}
	}
	for _, path := range slices.Concat(written, r.ConfigPaths, []string{r.Rollout.Input}) {
		if sameFile(r.Traces, path) {
			return fmt.Errorf("cannot record traces into %s: the run uses that file otherwise", r.Traces)
		}
	}
	return writable(r.Rollout.Output)
}

// sameFile compares names of files that need not exist yet.
func sameFile(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(infoA, infoB)
	}
	absA, errA := filepath.Abs(a)
	absB, errB := filepath.Abs(b)
	return errA == nil && errB == nil && absA == absB
}

// writable makes the output and its folder. What is in it stays as it is.
func writable(output string) error {
	if err := os.MkdirAll(filepath.Dir(output), 0o777); err != nil {
		return fmt.Errorf("cannot make the folder of the output: %w", err)
	}
	f, err := os.OpenFile(output, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return fmt.Errorf("cannot write the output: %w", err)
	}
	return f.Close()
}

// startReceiver makes the trace file ready and starts what writes it.
func (r *run) startReceiver(ctx context.Context) error {
	if err := r.prepareTraces(); err != nil {
		return fmt.Errorf("cannot record traces into %s: %w", r.Traces, err)
	}
	var sink Sink
	if r.Sink != nil {
		var err error
		if sink, err = r.Sink(); err != nil {
			return err
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("cannot bind a port for the trace receiver: %w", err)
	}
	r.receiver, err = ingest.Start(context.WithoutCancel(ctx), l, ingest.Config{
		Path: r.Traces, Sink: sink, Logger: slog.New(slog.NewTextHandler(r, nil)),
	})
	if err != nil {
		return err
	}
	if r.earlier, err = countLines(r.Traces); err != nil {
		return errors.Join(err, r.receiver.Shutdown(ctx))
	}
	return nil
}

// prepareTraces empties the trace file with the results, and keeps it with them. Traces are read back from it, which no
// pipe or device allows.
func (r *run) prepareTraces() error {
	if err := os.MkdirAll(filepath.Dir(r.Traces), 0o777); err != nil {
		return err
	}
	info, err := os.Stat(r.Traces)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is no regular file, and traces are read back from it")
	case r.Rollout.Resume:
		return nil
	}
	return os.Truncate(r.Traces, 0)
}

// countLines counts the line ends of a file.
func countLines(path string) (n int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("cannot read the trace file: %w", err)
	}
	defer f.Close()
	for buf := make([]byte, 64<<10); ; {
		size, err := f.Read(buf)
		n += bytes.Count(buf[:size], []byte("\n"))
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, fmt.Errorf("cannot read the trace file: %w", err)
		}
	}
}
