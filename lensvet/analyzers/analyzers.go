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
