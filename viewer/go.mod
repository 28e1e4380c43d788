module github.com/lensgo/lens/viewer

go 1.26.0

require github.com/lensgo/lens v0.0.0

require (
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/klauspost/compress v1.20.4 // indirect
	go.opentelemetry.io/collector/pdata v1.71.0 // indirect
	go.uber.org/goleak v1.3.0 // indirect
)

replace github.com/lensgo/lens => ../
