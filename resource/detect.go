package resource

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
)

// Detect returns what is known of where this process runs: [Host], [Process], [GPUCount], [SLURM] and [Kubernetes], of equal keys
// the last one's. It returns when all of them have answered or ctx ends, and host, process and Slurm are there in any case: they
// wait for nothing. late names the others that had not answered, "gpu" and "kubernetes", and is nil when none was late.
//
// A program that a late detector has started is killed by the end of ctx, and waited for in the background, so that it leaves no
// zombie. Without a deadline the slowest answer takes five seconds.
func Detect(ctx context.Context) (attrs []attribute.KeyValue, late []string) {
	return detect(ctx, detectors)
}

// detector finds out one thing. What waits is asked beside the others.
type detector struct {
	name  string
	waits bool // for a program, or for a disk
	find  func(context.Context) []attribute.KeyValue
}

// detectors stand from those that lose to those that win.
var detectors = []detector{
	{"host", false, at(Host)},
	{"process", false, at(Process)},
	{"gpu", true, GPUCount},
	{"slurm", false, at(SLURM)},
	{"kubernetes", true, at(Kubernetes)},
}

// at makes a detector of what needs no context.
func at(find func() []attribute.KeyValue) func(context.Context) []attribute.KeyValue {
	return func(context.Context) []attribute.KeyValue { return find() }
}

func detect(ctx context.Context, detectors []detector) (attrs []attribute.KeyValue, late []string) {
	answers := make([]chan []attribute.KeyValue, len(detectors))
	for i, d := range detectors {
		answers[i] = make(chan []attribute.KeyValue, 1) // so that who is late does not wait for a reader
		if d.waits {
			go func() { answers[i] <- d.find(ctx) }()
		}
	}
	var s set
	for i, d := range detectors {
		var found []attribute.KeyValue
		if !d.waits {
			found = d.find(ctx)
		} else if answer, ok := await(ctx, answers[i]); ok {
			found = answer
		} else {
			late = append(late, d.name)
		}
		for _, kv := range found {
			s.put(kv)
		}
	}
	return s.attrs, late
}

// await returns an answer that is there when ctx ends, or before.
func await(ctx context.Context, answer <-chan []attribute.KeyValue) (found []attribute.KeyValue, ok bool) {
	select {
	case found = <-answer:
		return found, true
	case <-ctx.Done():
	}
	select {
	case found = <-answer:
		return found, true
	default:
		return nil, false
	}
}
