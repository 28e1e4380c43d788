// Command collector is an OpenTelemetry Collector, built from the modules that the Collector's own distributions are built from:
// the OTLP receiver over HTTP and gRPC, and the batch processor. What arrives is written to files, as OTLP in JSON.
//
//	GOWORK=off go run . --config collector.yaml    on the usual ports 4318 and 4317, into the folder received
//
// Two parts are ours: the exporter jsonlines, a line for each batch, which is in the file before the Collector goes on; and the
// extension token, which takes requests that carry one bearer token and no others.
//
// The tests of this package are what it is for: that a real Collector takes what Lens sends, all three signals over every protocol, that it
// gets what was sent, and that nothing is lost when it dies. They are in a module of their own because the Collector brings a
// hundred others.
package main
