package main

import (
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens/bench/sides"
	"github.com/lensgo/lens/lensotel"
)

var program = sides.Program[trace.TracerProvider]{
	Name: "kit", Rounds: 41, Operations: 2000, Subjects: subjects, On: providers,
	Columns: []sides.Column{
		sides.Ratio("group off / no-op", sides.Off, sides.None),
		sides.Ratio("group on / SDK", sides.On, sides.SDK),
		sides.Ratio("group off / SDK", sides.Off, sides.SDK),
		sides.Microseconds("SDK, µs", sides.SDK),
	},
}

func providers(s sides.Sides) map[string]trace.TracerProvider {
	return map[string]trace.TracerProvider{
		sides.Off: lensotel.TracerProvider(s.Quiet), sides.On: lensotel.TracerProvider(s.Loud), sides.None: s.None, sides.SDK: s.SDK,
	}
}

func main() { program.Main() }
