package main

import (
	"os"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/batchprocessor"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
)

func main() {
	command := otelcol.NewCommand(otelcol.CollectorSettings{
		BuildInfo: component.BuildInfo{Command: "collector", Description: "OpenTelemetry Collector for tests of Lens"},
		Factories: factories,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: confmap.ResolverSettings{
			ProviderFactories: []confmap.ProviderFactory{fileprovider.NewFactory(), envprovider.NewFactory()},
			DefaultScheme:     "env",
		}},
	})
	if err := command.Execute(); err != nil { // it has said why
		os.Exit(1)
	}
}

// factories are what a configuration may name.
func factories() (otelcol.Factories, error) {
	one := otelcol.Factories{Telemetry: otelconftelemetry.NewFactory()}
	receivers, processors, exporters, extensions := otlpreceiver.NewFactory(), batchprocessor.NewFactory(), newLines(), newToken()
	one.Receivers = map[component.Type]receiver.Factory{receivers.Type(): receivers}
	one.Processors = map[component.Type]processor.Factory{processors.Type(): processors}
	one.Exporters = map[component.Type]exporter.Factory{exporters.Type(): exporters}
	one.Extensions = map[component.Type]extension.Factory{extensions.Type(): extensions}
	return one, nil
}
