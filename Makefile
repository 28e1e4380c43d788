# Targets for people; the gate itself is .ci/run. `make` alone is `make help`, which prints what stands behind ##.

.DEFAULT_GOAL := help
.PHONY: help demo test race lint ci bench soak tidy release archives

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

demo: ## servers, rollouts and their traces, against a built-in model
	go run ./cmd/gym demo

test: ## every test of the workspace
	go test work

race: ## the same with the race detector
	go test -race work

lint: .bin/staticcheck .bin/golangci-lint ## gofmt, vet, staticcheck, lensvet, golangci-lint
	@unformatted=$$(gofmt -l $$(git ls-files "*.go")); [ -z "$$unformatted" ] || { echo "gofmt would change: $$unformatted"; exit 1; }
	go vet work
	.bin/staticcheck work
	go build -o .bin/lensvet ./lensvet/cmd/lensvet
	.bin/lensvet -test=false work
	.bin/lensvet -program work
	.bin/golangci-lint run $$(go list -m -f '{{.Dir}}/...')
	cd bench && GOWORK=off ../.bin/golangci-lint run ./...
	cd tools && GOWORK=off ../.bin/golangci-lint run ./...
	for m in bench/collector bench/backends; do (cd $$m && GOWORK=off CGO_ENABLED=0 ../../.bin/golangci-lint run ./...) || exit 1; done

.bin/staticcheck: tools/go.mod
	cd tools && GOWORK=off GOBIN=$(CURDIR)/.bin go install tool

.bin/golangci-lint: tools/golangci/go.mod
	cd tools/golangci && GOWORK=off GOBIN=$(CURDIR)/.bin go install tool

ci: ## the gate: everything that must hold before a change lands
	.ci/run

# The viewer beside other receivers, some minutes for each part, rollouts, and a loop during an outage. docs/benchmarks.md says what the numbers mean.
bench: ## the viewer beside other receivers, rollouts, an outage, minutes
	cd bench && GOWORK=off go run ./viewer -size full -skip start,soak
	cd bench && GOWORK=off go run ./rollouts -size minutes
	cd bench && GOWORK=off go run ./outage -size minutes

# What takes longer than the gate may: many kills, many starts, 16,000 rollouts at once, 12 GB of data, a day's spans, a collector that is gone for 40 s. Prints the test runner's own lines, and
# tables.
soak: ## what takes longer than the gate may
	LENS_SOAK=1 go test -count=1 -timeout 60m -run 'Soak' -v ./cmd/... ./gym/... ./viewer/...
	cd bench && GOWORK=off go run ./viewer -size full -only start,kill,soak
	cd bench && GOWORK=off go run ./outage -size full -rounds 1

tidy: ## module files, and the workspace's
	for m in . cmd examples gym lensgrpc lensvet telemetry viewer bench bench/collector bench/backends tools tools/golangci; do (cd $$m && GOWORK=off go mod tidy) || exit 1; done
	go work sync

# docs/releasing.md
release: ## VERSION=v0.1.0: its commits, tags and archives, here; pushes nothing
	cd tools && GOWORK=off go run ./release -C .. $(or $(VERSION),$(error which version? make release VERSION=v0.1.0))

archives: ## VERSION=v0.1.0: the archives of a release that is tagged, again
	cd tools && GOWORK=off go run ./release -C .. -again $(or $(VERSION),$(error which version? make archives VERSION=v0.1.0))
