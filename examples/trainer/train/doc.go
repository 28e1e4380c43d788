// Package train is a trainer in miniature: a small network, data-parallel workers in processes of their own, checkpoints.
//
// It is the lower of two libraries of an example: it knows nothing of what is above, and its spans are below whatever its caller has
// opened. Every worker calls the same methods in the same order. [Trainer.Step] gives all of them the trace of rank 0, so that a
// step is one trace however many processes work on it.
package train
