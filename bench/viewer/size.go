package main

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Size says how much is measured.
type Size struct {
	Rounds      int // of ingest, in each of which each case runs for Slice
	Slice       time.Duration
	Spans       int           // that memory sends in each shape
	Large       int           // spans of the largest trace; there is one of a tenth too
	Repeats     int           // of each trace, in traces and browser
	Scroll      time.Duration // of each way to scroll
	Rollouts    int           // in the list
	Lists       int           // rounds of questions
	Lookup      time.Duration // of each load
	StartBytes  int64         // of the folder that is filled
	StartCopies int           // how often its segments are copied for the large one
	Starts      int           // on each folder, in each way
	Kills       int
	SoakSpans   int
	SoakRetain  string
}

// sizes: one for the gate, one for a look, one for a quoted run.
var sizes = map[string]Size{
	"seconds": {
		Rounds: 2, Slice: 150 * time.Millisecond, Spans: 150_000, Large: 20_000, Repeats: 2, Scroll: time.Second, Rollouts: 5000, Lists: 10,
		Lookup: time.Second, StartBytes: 10e6, StartCopies: 4, Starts: 3, Kills: 3, SoakSpans: 700_000, SoakRetain: "8MB",
	},
	"minutes": {
		Rounds: 7, Slice: 600 * time.Millisecond, Spans: 2_000_000, Large: 100_000, Repeats: 5, Scroll: 5 * time.Second, Rollouts: 100_000, Lists: 40,
		Lookup: 15 * time.Second, StartBytes: 500e6, StartCopies: 4, Starts: 3, Kills: 20, SoakSpans: 10_000_000, SoakRetain: "100MB",
	},
	"full": {
		Rounds: 11, Slice: time.Second, Spans: 4_000_000, Large: 100_000, Repeats: 7, Scroll: 10 * time.Second, Rollouts: 100_000, Lists: 100,
		Lookup: 30 * time.Second, StartBytes: 2e9, StartCopies: 4, Starts: 3, Kills: 20, SoakSpans: 86_400_000, SoakRetain: "500MB",
	},
}

func sizeNames() []string { return slices.Sorted(maps.Keys(sizes)) }

// flags lets a person change parts of a size. What is 0 is taken from the named one.
func (s *Size) flags(f *flag.FlagSet) {
	f.IntVar(&s.Rounds, "rounds", 0, "rounds of ingest")
	f.DurationVar(&s.Slice, "slice", 0, "`time` of a case in a round of ingest")
	f.IntVar(&s.Spans, "spans", 0, "spans of each shape in memory")
	f.IntVar(&s.Large, "large", 0, "spans of the largest trace")
	f.IntVar(&s.Repeats, "repeats", 0, "how often traces are opened")
	f.DurationVar(&s.Scroll, "scroll", 0, "`time` of each way to scroll")
	f.IntVar(&s.Rollouts, "rollouts", 0, "rollouts in the list")
	f.IntVar(&s.Lists, "lists", 0, "how often each list is asked for")
	f.DurationVar(&s.Lookup, "lookup", 0, "`time` of looking up under each load")
	f.Int64Var(&s.StartBytes, "start-bytes", 0, "bytes of the folder to start on")
	f.IntVar(&s.StartCopies, "start-copies", 0, "copies of its segments in the large one")
	f.IntVar(&s.Starts, "starts", 0, "how often the viewer is started on each folder")
	f.IntVar(&s.Kills, "kills", 0, "how often the viewer is killed")
	f.IntVar(&s.SoakSpans, "soak-spans", 0, "spans of the soak")
	f.StringVar(&s.SoakRetain, "soak-retain", "", "what the soak's viewer keeps")
}

// complete takes what is not set from the named size.
func (s Size) complete(name string) (Size, error) {
	out, ok := sizes[name]
	if !ok {
		return out, fmt.Errorf("there is no size %q; there are %v", name, sizeNames())
	}
	set(&out.Rounds, s.Rounds)
	set(&out.Slice, s.Slice)
	set(&out.Spans, s.Spans)
	set(&out.Large, s.Large)
	set(&out.Repeats, s.Repeats)
	set(&out.Scroll, s.Scroll)
	set(&out.Rollouts, s.Rollouts)
	set(&out.Lists, s.Lists)
	set(&out.Lookup, s.Lookup)
	set(&out.StartBytes, s.StartBytes)
	set(&out.StartCopies, s.StartCopies)
	set(&out.Starts, s.Starts)
	set(&out.Kills, s.Kills)
	set(&out.SoakSpans, s.SoakSpans)
	set(&out.SoakRetain, s.SoakRetain)
	return out, nil
}

func set[T comparable](to *T, v T) {
	var zero T
	if v != zero {
		*to = v
	}
}
