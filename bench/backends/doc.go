// Package backends holds what docs/backends.md and the folder deploy say against the programs that they speak of.
//
//   - The variables that the page gives for each backend are read from the page, run by a shell, and held against a backend on this
//     machine that knows which requests the real one takes.
//   - The configurations of the OpenTelemetry Collector run in a real Collector.
//   - The dashboards are read as Grafana reads them, and each of their queries is answered by a real Prometheus, which has what a
//     real `gym eval run` and a trainer have sent through that Collector.
//   - What compose.yaml names is there, pinned, and bound to this machine.
//
// Containers do not run here, and no backend that needs an account is asked.
//
// All of it is in the tests; the module is apart because Prometheus and the Collector have many dependencies:
//
//	cd bench/backends && GOWORK=off go test ./...
package backends
