package config

import "slices"

// CheckImplementations finds instances whose implementation is not among the known ones, for a supervisor that would
// otherwise learn it from servers that fail to start. The error, when not nil, is an [*Error] with all of them.
func (g *Graph) CheckImplementations(known []string) error {
	var ps problems
	for _, in := range g.Instances {
		if !slices.Contains(known, in.Impl) {
			at := position{file: in.File, line: in.Line, column: in.Column}
			ps.add(at, "%s: this program has no implementation %q%s", in.Name, in.Impl, suggest(in.Impl, known))
		}
	}
	return ps.err()
}
