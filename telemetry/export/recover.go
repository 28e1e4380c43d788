package export

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/lensgo/lens/telemetry/internal/otlp"
	"github.com/lensgo/lens/telemetry/internal/spool"
)

// Recovery is what became of one destination of a spool.
type Recovery struct {
	Signal string // traces, metrics or logs
	URL    string // where what was found there was to go
	Dir    string // its folder

	// Foreign says that the environment of this process names another endpoint, or other headers; then nothing was sent, unless
	// that was asked for.
	Foreign bool

	Sent, Left, Lost uint64 // items: taken by the collector, still on disk, refused or damaged
	Truncated        uint64 // items that a process had open when it was killed: found and marked now, whatever became of them
	Err              error  // why something is left
}

// Recover sends what programs that are gone have left in a spool, while ctx lasts. Each destination goes to the endpoint that
// the environment names for its signal when that is the one it was meant for; with foreign it goes there also when it is
// another. What living programs have there is theirs. SpoolDir of c empty is the default.
func Recover(ctx context.Context, c OTLPConfig, foreign bool) ([]Recovery, error) {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.SpoolDir == "" {
		dir, err := spool.DefaultRoot()
		if err != nil {
			return nil, err
		}
		c.SpoolDir = dir
	}
	entries, err := os.ReadDir(c.SpoolDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot look into the spool: %w", err)
	}
	var all []Recovery
	for _, e := range entries {
		dir := filepath.Join(c.SpoolDir, e.Name())
		if d, ok := spool.ReadDestination(dir); ok {
			all = append(all, recoverOne(ctx, c, d, dir, foreign))
		}
	}
	return all, nil
}

// recoverOne sends what is left for one destination.
func recoverOne(ctx context.Context, c OTLPConfig, d spool.Destination, dir string, foreign bool) Recovery {
	r := Recovery{Signal: strings.ToLower(d.Signal), URL: d.URL, Dir: dir}
	signal, ok := otlp.SignalNamed(d.Signal)
	if !ok {
		r.Err = fmt.Errorf("no signal is named %q", d.Signal)
		return r
	}
	target, err := otlp.Resolve(signal, c.Logger)
	if err != nil {
		r.Err = err
		return r
	}
	r.Foreign = target.Key() != d.Key
	sender, err := target.Dial()
	if err != nil {
		r.Err = err
		return r
	}
	// What many programs have left may be more than one of them may keep, and a recovery is there to lose nothing of it.
	s, err := spool.Open(c.SpoolDir, d, spool.Options{MaxBytes: math.MaxInt64, Log: c.Logger, Requests: requestsOf})
	if err != nil {
		sender.Close()
		r.Err = err
		return r
	}
	r.Truncated = s.Stats().Truncated
	if !r.Foreign || foreign {
		r.send(ctx, s, sender)
	}
	sender.Close()
	left := s.Stats().TakenOver
	r.Left = left.Waiting
	r.Lost += left.Damaged
	r.Err = errors.Join(r.Err, s.Close())
	return r
}

// send empties a spool as long as the collector takes it.
func (r *Recovery) send(ctx context.Context, s *spool.Spool, sender otlp.Sender) {
	for e := s.Oldest(); e != nil; e = s.Oldest() {
		e.Try()
		answer, err := insistOn(ctx, sender, e.Body)
		switch f := failure(err); {
		case err == nil:
			rejected := uint64(min(max(answer.Rejected, 0), int64(e.Items)))
			r.Sent += uint64(e.Items) - rejected
			r.Lost += rejected
		case f.Retry:
			if !f.MayHaveArrived {
				e.Untry()
			}
			r.Err = f
			return
		default:
			r.Lost += uint64(e.Items)
			r.Err = f
		}
		e.Done()
	}
}

// insistOn sends until there is an answer, an error for good, or no time left.
func insistOn(ctx context.Context, sender otlp.Sender, body []byte) (otlp.Answer, error) {
	var p pause
	for {
		answer, err := sender.Send(ctx, body)
		if err == nil {
			return answer, nil
		}
		f := failure(err)
		wait := p.after(f)
		if !f.Retry || f.Lasting || p.failures > mostRecoveries || !sleep(ctx, wait) {
			return otlp.Answer{}, f
		}
	}
}

// mostRecoveries is how often a recovery sends one request: somebody waits for it.
const mostRecoveries = 4
