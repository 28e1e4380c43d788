// Package analyzers has the checks of lensvet that look at one package at a time: what a library or program does with lens
// that it cannot mean. They are analyzers of golang.org/x/tools/go/analysis, so any driver runs them:
//
//	multichecker.Main(analyzers.All()...) // as cmd/lensvet does: alone, and as a tool of go vet
//
// Package golangci makes them a linter of golangci-lint. docs/lensvet.md says of each why it is there, and shows bad and
// good code.
//
// # What counts as lens
//
// Calls are known by what they call and not by their names: through renamed imports, aliases of types, embedded handles,
// method values and own registries. A function that starts a span and returns it starts a span; one that passes its
// argument on as the name of a span is asked about at its callers; one that returns what Enabled says is a gate. That
// holds across packages, by facts.
//
// # What is left alone
//
//   - Test files, which do on purpose what is looked for here, and generated files.
//   - What cannot be told from the source: a check is silent rather than wrong. A span that is stored, returned or
//     given to a function has an owner elsewhere.
//   - A line with the comment //lensvet:ignore CATEGORY REASON on it or above it. The category is the name of the check.
//
// Analyzers keep no state between packages and are safe for concurrent use. LoopDefault has a flag, which is set before.
package analyzers

import "golang.org/x/tools/go/analysis"

// All lists the checks, by name. Each can run alone.
func All() []*analysis.Analyzer {
	return []*analysis.Analyzer{
		BlindEnd,
		EagerWork,
		EndTwice,
		GroupName,
		LateRegister,
		LoopDefault,
		LostCtx,
		LostSpan,
		PresetName,
		ShortName,
		SpanName,
	}
}
