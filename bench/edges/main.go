package main

import "github.com/lensgo/lens/bench/sides"

var program = sides.Program[maker]{
	Name: "edges", Rounds: 31, Operations: 1000, Subjects: subjects, On: makers,
	Columns: []sides.Column{
		sides.Ratio("off / bare", sides.Off, bare),
		sides.Ratio("no-op / bare", sides.None, bare),
		sides.Ratio("on / bare", sides.On, bare),
		sides.Ratio("SDK / bare", sides.SDK, bare),
		sides.Added("added: off / no-op", sides.Off, sides.None, bare),
		sides.Added("added: on / SDK", sides.On, sides.SDK, bare),
		sides.Microseconds("bare, µs", bare),
	},
}

func main() { program.Main() }
