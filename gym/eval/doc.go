// Package eval is a whole run, from configuration to counted traces: it puts the other rooms in order.
//
//  1. configuration and tasks are read and checked, before anything starts;
//  2. telemetry is decided and written into the environment, the run's receiver starts if it is wanted;
//  3. the fleet starts;
//  4. rollouts are collected;
//  5. the fleet stops and flushes, then this process, then the receiver; traces are counted from the file.
//
// The order of the last step is what makes the count complete: each process hands out its last spans before the receiver
// that takes them is closed. See docs/contracts.md, "Stop".
package eval
