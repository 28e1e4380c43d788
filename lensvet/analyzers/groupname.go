package analyzers

import (
	"go/ast"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// GroupName finds names of groups and presets that lens refuses, or that users will not guess.
var GroupName = &analysis.Analyzer{
	Name: "groupname",
	Doc: `find names of groups and presets that are invalid or against the conventions

Names are typed by users into a spec: lower case, words joined by _, parts by dots; for a thing and not for doing it:
checkpoint and not saving_checkpoint. A name that lens refuses gives a group that is off for ever.`,
	URL:      page + "groupname",
	Run:      runGroupName,
	Requires: []*analysis.Analyzer{units},
}

// wellFormed: parts of lower-case words.
var wellFormed = regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)*(\.[a-z0-9]+(_[a-z0-9]+)*)*$`)

func runGroupName(pass *analysis.Pass) (any, error) {
	u := unitOf(pass)
	if u == nil {
		return nil, nil
	}
	for name := range u.declaredNames() {
		d := analysis.Diagnostic{Pos: name.expr.Pos(), End: name.expr.End()}
		if d.Message = nameFault(name); d.Message == "" {
			continue
		}
		d.SuggestedFixes = asRead(name)
		u.report(pass, d)
	}
	return nil, nil
}

// asRead offers to write a name as lens reads it, which changes nothing. Not where words run together: whoever wrote
// PipelineParallel wants pipeline_parallel, and that is another group.
func asRead(name declared) []analysis.SuggestedFix {
	read := normal(name.text)
	lit, ok := ast.Unparen(name.expr).(*ast.BasicLit)
	if !ok || read == name.text || fault(read) != "" || !wellFormed.MatchString(read) || humps.MatchString(name.text) {
		return nil
	}
	return []analysis.SuggestedFix{{
		Message:   "Write it as it is read",
		TextEdits: []analysis.TextEdit{{Pos: lit.Pos(), End: lit.End(), NewText: []byte(strconv.Quote(read))}},
	}}
}

var humps = regexp.MustCompile(`[a-z0-9][A-Z]`)

func nameFault(name declared) string {
	quoted := "the name of a " + string(name.kind) + ", " + strconv.Quote(name.text) + ", "
	if name.kind == memberName {
		quoted = "the " + string(name.kind) + " " + strconv.Quote(name.text) + " "
	}
	normalised := normal(name.text)
	if why := fault(normalised); why != "" {
		return quoted + "is refused: " + why
	}
	if !wellFormed.MatchString(name.text) {
		return quoted + "should be words in lower case joined by _, and parts of them by dots"
	}
	if name.kind == memberName {
		return "" // whoever declares the group is told
	}
	for part := range strings.SplitSeq(name.text, ".") {
		if gerund, rest, ok := strings.Cut(part, "_"); ok && isGerund(gerund) {
			return quoted + "begins with what is done; name the thing: " + strconv.Quote(rest) + ", not " + strconv.Quote(part)
		}
	}
	return ""
}

// isGerund reports whether a word is the -ing form of a verb and not also a common name of a thing: training_step and
// embedding_lookup are things.
func isGerund(word string) bool {
	stem, ok := strings.CutSuffix(word, "ing")
	return ok && len(stem) > 1 && strings.ContainsAny(stem, "aeiouy") && !slices.Contains(nounsInIng, word)
}

// nounsInIng are words in -ing that name things, at the beginning of names of groups in this trade.
var nounsInIng = strings.Fields(`
	accounting advertising aliasing backing balancing batching billing binding blending blocking booking branching
	bridging briefing broadcasting bucketing buffering building caching casing casting ceiling charging checkpointing
	chunking clipping clustering coding compositing computing conditioning coupling crossing decoding dispatching
	embedding encoding engineering evening everything fencing filtering forecasting framing funding gating grading hashing
	heading hosting housing imaging indexing ingoing inning interleaving inventing invoicing knowing labeling landing
	layering learning lending lighting logging mailing manufacturing mapping marketing masking matching meaning meeting
	messaging metering mining mixing modeling monitoring morning multiprocessing multithreading naming networking nothing
	offering offloading onboarding ordering outgoing packaging packing padding paging painting pairing parking
	partitioning peering pending pipelining planning plumbing polling pooling positioning posting prefetching pricing
	profiling programming prompting provisioning proxying pruning purchasing quantizing queueing queuing ranking rating
	reasoning remaining rendering reporting roofing routing rolling sampling scaling scanning scheduling scoring screening
	scripting seating sequencing serving sharding shipping sibling signaling signing smoothing something spelling staging
	standing steering streaming string striping testing throttling ticketing tiling timing tooling touring tracing
	tracking trading training transcoding tuning typing underlying upcoming versioning viewing voting warning weighing
	wiring`)
