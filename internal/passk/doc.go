// Package passk estimates pass@k: how likely it is that at least one of k attempts of a task succeeds, when n attempts
// were made and c of them did. It is what Gym's aggregate metrics and the viewer's comparisons mean by that name, so that
// the same rewards give the same number everywhere.
//
//	first := []float64{1, 0, 0, 1} // the rewards of a task's attempts, in the order of the attempts
//	second := []float64{0, 0, 0, 0}
//	mean, tasks := passk.Mean([][]float64{first, second}, 2) // 0.41666..., 2
//
// For rewards of 0 and 1 the estimate is exact and unbiased: 1 - C(n-c, k)/C(n, k). The binomials are never computed, so
// that nothing overflows. For other rewards pass@k is the best of the first k attempts.
//
// A task with fewer than k attempts says nothing about pass@k. It is left out, never counted as passed or failed.
// Attempts without a reward are the caller's to leave out; NaN is none of the two values and makes its task NaN when it is
// among the first k.
//
// All results are fractions (0.9, not 90). The functions are pure and allocate nothing.
package passk
