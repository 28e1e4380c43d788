package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/lensgo/lens/bench"
	"github.com/lensgo/lens/bench/load"
	"github.com/lensgo/lens/bench/meter"
)

// quietTime is how long a process may take to finish what it does beside receiving.
const quietTime = 3 * time.Second

var protocols = []load.Protocol{load.HTTPProtobuf, load.HTTPJSON, load.GRPC}

// The sides of ingest.
const (
	sideViewer = "viewer"
	sidePage   = "viewer, page open"
	sidePdata  = "pdata, drops"
	sideNull   = "null, only reads"
)

// ingest compares receivers: how many spans a second they acknowledge with the sender beside them on the same cores, and
// what a span costs them. Cost includes what they do after the answer: compression, indexes, live updates.
func ingest(r *run) (err error) {
	sides, tab, stop, err := r.ingestSides()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	var cases []bench.Case
	for _, shape := range []load.Shape{load.Gym, load.Generic} {
		stock, err := load.NewStock(shape, load.Protobuf, load.JSON)
		if err != nil {
			return err
		}
		for _, protocol := range protocols {
			for _, side := range sides {
				send := &sending{run: r, stock: stock, protocol: protocol, program: side.program}
				if side.name == sidePage {
					send.tab, send.viewer = tab, side.viewer
				}
				cases = append(cases, bench.Case{Name: ingestCase(shape, protocol, side.name), Run: send.one})
			}
		}
	}
	result, err := bench.Interleave(r, r.size.Rounds, cases)
	if err != nil {
		return err
	}
	r.reportIngest(result, sides)
	return nil
}

func ingestCase(shape load.Shape, protocol load.Protocol, side string) string {
	return fmt.Sprintf("%s %s %s", shape, protocol, side)
}

// side is a receiving process.
type side struct {
	name string
	*program
	viewer *viewerProcess
}

// ingestSides starts the receivers. Without a browser there is no side with a page.
func (r *run) ingestSides() (sides []side, page *tab, stop func() error, err error) {
	var stops []func() error
	stop = func() error {
		var errs []error
		for _, stop := range slices.Backward(stops) {
			errs = append(errs, stop())
		}
		return errors.Join(errs...)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, stop())
		}
	}()
	names := []string{sideViewer}
	b, err := r.openBrowser()
	if err != nil {
		return nil, nil, stop, err
	}
	if b != nil {
		stops = append(stops, b.close)
		if page, err = b.tab(); err != nil {
			return nil, nil, stop, err
		}
		names = append(names, sidePage)
	}
	for _, name := range names {
		dir, err := r.folder("ingest")
		if err != nil {
			return nil, nil, stop, err
		}
		v, err := r.view(dir, "2GB,7d")
		if err != nil {
			return nil, nil, stop, err
		}
		stops = append(stops, v.stop)
		sides = append(sides, side{name, v.program, v})
	}
	for _, kind := range []struct{ name, kind string }{{sidePdata, receiverPdata}, {sideNull, receiverNull}} {
		p, err := r.receiver(kind.kind)
		if err != nil {
			return nil, nil, stop, err
		}
		stops = append(stops, p.stop)
		sides = append(sides, side{kind.name, p, nil})
	}
	return sides, page, stop, nil
}

// sending is the runs of one case.
type sending struct {
	*run
	stock    *load.Stock
	protocol load.Protocol
	program  *program
	tab      *tab // when the page is open
	viewer   *viewerProcess
	n        int
}

// one sends for the time of a slice. Each is a run of its own, which the page shows.
func (s *sending) one(ctx context.Context) (bench.Sample, error) {
	s.n++
	source := load.NewSource(s.stock, load.Options{Seed: uint64(time.Now().UnixNano()), Run: fmt.Sprintf("ingest-%d-%s", s.n, s.protocol.Encoding())})
	senders, err := dial(s.program, s.protocol, connections)
	if err != nil {
		return nil, err
	}
	defer hangUp(senders)
	if _, err := load.Drive(ctx, source, senders, load.Until{Spans: source.PerWave() * load.Batch}); err != nil {
		return nil, err
	}
	sample := bench.Sample{}
	if s.tab != nil {
		if err := s.tab.open(s.viewer, s.path(source)); err != nil {
			return nil, err
		}
	}
	before, err := meter.Quiet(ctx, s.program.pid(), quietTime)
	if err != nil {
		return nil, err
	}
	shown := 0.0
	if s.tab != nil {
		if shown, err = s.tab.updates(); err != nil {
			return nil, err
		}
	}
	own, err := meter.CPU(os.Getpid())
	if err != nil {
		return nil, err
	}
	start := time.Now()
	spans, err := load.Drive(ctx, source, senders, load.Until{For: s.size.Slice})
	if err != nil {
		return nil, err
	}
	sample["rate"] = float64(spans) / time.Since(start).Seconds()
	sent, err := meter.CPU(os.Getpid())
	if err != nil {
		return nil, err
	}
	after, err := meter.Quiet(ctx, s.program.pid(), quietTime)
	if err != nil {
		return nil, err
	}
	sample["cpu"] = (after - before).Seconds() * 1e6 / float64(spans)
	sample["allowed"] = float64(spans) * float64(runtime.NumCPU()) / (after - before + sent - own).Seconds()
	if s.tab == nil {
		return sample, nil
	}
	if err := s.tab.until(fmt.Sprintf("probe.updates > %v", shown)); err != nil { // a busy browser shows them late
		return nil, fmt.Errorf("the page had no update after %d spans came in: %w", spans, err)
	}
	all, err := s.tab.updates()
	if err != nil {
		return nil, err
	}
	sample["updates"] = all - shown
	return sample, s.tab.blank()
}

// path is the page that shows what is sent.
func (s *sending) path(source *load.Source) string {
	if s.stock.Shape == load.Gym {
		return "/runs/" + source.RunName(0)
	}
	return "/runs"
}

func (r *run) reportIngest(result bench.Result, sides []side) {
	table := r.report.section("ingest", fmt.Sprintf("requests of 512 spans over %d connections, the sender on the same cores; ratios to pdata and null within each round; allowed is the rate at which sender and receiver would fill all cores if nothing else ran", connections),
		"spans/s", "allowed", "CPU µs/span", "rate / pdata", "CPU / pdata", "CPU / null", "page updates")
	for _, shape := range []load.Shape{load.Gym, load.Generic} {
		for _, protocol := range protocols {
			pdata, null := ingestCase(shape, protocol, sidePdata), ingestCase(shape, protocol, sideNull)
			for _, side := range sides {
				name := ingestCase(shape, protocol, side.name)
				table.row(name, result.Of(name, "rate"), result.Of(name, "allowed"), result.Of(name, "cpu"), result.Ratio(name, pdata, "rate"),
					result.Ratio(name, pdata, "cpu"), result.Ratio(name, null, "cpu"), result.Of(name, "updates"))
			}
		}
	}
	for _, shape := range []load.Shape{load.Gym, load.Generic} {
		r.report.atLeast(fmt.Sprintf("ingest of %s spans, HTTP protobuf", shape), "spans/s", result.Of(ingestCase(shape, load.HTTPProtobuf, sideViewer), "rate").Median, 300_000)
	}
}
