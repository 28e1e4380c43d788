module github.com/lensgo/lens/cmd

go 1.26.0

require (
	github.com/lensgo/lens v0.0.0
	github.com/lensgo/lens/gym v0.0.0
	github.com/lensgo/lens/telemetry v0.0.0
	github.com/lensgo/lens/viewer v0.0.0
)

require (
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/spf13/cobra v1.10.2 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
	go.opentelemetry.io/collector/pdata v1.71.0 // indirect
	go.uber.org/goleak v1.3.0 // indirect
)

replace github.com/lensgo/lens => ../

replace github.com/lensgo/lens/telemetry => ../telemetry

replace github.com/lensgo/lens/viewer => ../viewer

replace github.com/lensgo/lens/gym => ../gym
