// Package bench measures, the way that works on a machine that others use too.
//
//	result, err := bench.Interleave(ctx, 21, []bench.Case{
//		{Name: "ours", Run: ours},
//		{Name: "theirs", Run: theirs},
//	})
//	fmt.Println(result.Ratio("ours", "theirs", "cpu")) // 0.24 (0.22..0.27)
//
// # The habit
//
// On a shared machine the same loop takes twice as long from one minute to the next. So nothing here is a time by itself:
//
//   - All cases run in one process, or are driven by one, in rounds. A round runs each case once, in an order of its own.
//   - What is compared is the median of the ratios within the rounds. A slow minute slows both sides of a ratio.
//   - Where a load generator shares the cores with what it loads, what counts is CPU time per unit of work, which the kernel
//     keeps for each process, and not the time that went by.
//   - Beside a median stand the 25th and 75th percentile. Where they are far apart the number says little.
//   - A number that is missing is an error, never a zero.
//
// The Go benchmarks beside the code count allocations and compare Off with On. This module compares with other people's
// programs, and measures whole programs; what that needs stays out of the modules that ship.
//
// The programs:
//
//	go run ./viewer    the viewer: receiving, memory, disk, opening, lists, starts, kills, a long run
//	go run ./rollouts  Gym: servers in processes and in one, telemetry off, default and all
//	go run ./outage    a loop of spans while the collector takes them, is in trouble, or is not there
//	go run ./edges     lenshttp and lensgrpc beside otelhttp and otelgrpc, off and on
//	go run ./kit       a span group around otelhttp, otelgrpc and otelsql, beside the stock providers
//
// The module is outside the workspace: run it from its folder with GOWORK=off. So are those in it that are apart for what they bring, such as
// collector.
package bench
