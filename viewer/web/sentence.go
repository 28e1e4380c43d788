package web

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// sentence is the line under the title: until where they are alike, what was done differently there, how they scored, which
// took longer and through what.
func sentence(a, b *side, pairs [][2]int) string {
	one, two := "The first", "The second"
	x, y := a.shown.Rollout, b.shown.Rollout
	if x != nil && y != nil && x.Attempt != nil && y.Attempt != nil && *x.Attempt != *y.Attempt {
		one, two = fmt.Sprintf("Attempt %d", *x.Attempt), fmt.Sprintf("Attempt %d", *y.Attempt)
	}
	parts := []string{alike(a, b, pairs)}
	if did := deeds(a, b, pairs, one, two); did != "" {
		parts = append(parts, did)
	}
	if longer := longer(a, b, one, two); longer != "" {
		parts = append(parts, longer)
	}
	return strings.Join(parts, " ")
}

// deeds says what each asked for where they part, when that is another argument of one tool, and how each scored.
func deeds(a, b *side, pairs [][2]int, one, two string) string {
	x, y := a.shown.Rollout, b.shown.Rollout
	scored := x != nil && y != nil && x.Reward != nil && y.Reward != nil
	if at := parting(a, b, pairs); at >= 0 && pairs[at][0] >= 0 && pairs[at][1] >= 0 {
		s, t := &a.steps[pairs[at][0]], &b.steps[pairs[at][1]]
		if s.argument != t.argument && s.argument != "" && t.argument != "" {
			text := fmt.Sprintf("%s called %s with %s", one, stepName(a, pairs[at][0]), bare(s.argument))
			other := fmt.Sprintf("%s with %s", lower(two), bare(t.argument))
			if !scored {
				return text + ", " + other + "."
			}
			return fmt.Sprintf("%s and scored %s; %s and scored %s.", text, score(*x.Reward), other, score(*y.Reward))
		}
	}
	if !scored {
		return ""
	}
	if *x.Reward == *y.Reward {
		return "Both scored " + score(*x.Reward) + "."
	}
	return fmt.Sprintf("%s scored %s, %s scored %s.", one, score(*x.Reward), lower(two), score(*y.Reward))
}

// bare leaves out the braces and the key of an argument that has one member.
func bare(argument string) string {
	var only map[string]jsontext.Value
	if json.Unmarshal([]byte(argument), &only) == nil && len(only) == 1 {
		for _, v := range only {
			argument = string(v)
		}
	}
	return clip(argument, 60)
}

// longer says which took longer, of rollouts with what it was that took it: the part that changed most, and all else.
func longer(a, b *side, one, two string) string {
	x, y := a.shown.Rollout, b.shown.Rollout
	if x != nil && y != nil && x.Total != nil && y.Total != nil && x.Parts != nil && y.Parts != nil && *x.Total != *y.Total {
		if *x.Total > *y.Total {
			two, x, y = one, y, x
		}
		by, most := *y.Total-*x.Total, 0
		if by*50 < *y.Total { // too little to ask where it went
			return "Both took about " + durationText(*y.Total) + "."
		}
		for i := range y.Parts {
			if y.Parts[i]-x.Parts[i] > y.Parts[most]-x.Parts[most] {
				most = i
			}
		}
		name, part := [...]string{"waiting for admission", "waiting for a connection", "the model", "the tools", "the verifier", "the rest"}[most], y.Parts[most]-x.Parts[most]
		return fmt.Sprintf("%s took %s longer: %s %s, everything else %s.", two, durationText(by), name, signedText(part), signedText(by-part))
	}
	if len(a.steps) == 0 || len(b.steps) == 0 {
		return ""
	}
	d, e := a.at(0), b.at(0)
	if d.Duration == nil || e.Duration == nil || *e.Duration == *d.Duration {
		return ""
	}
	who, by := two, *e.Duration-*d.Duration
	if by < 0 {
		who, by = one, -by
	}
	return fmt.Sprintf("%s took %s longer.", who, durationText(by))
}

// signedText is a difference of durations with its sign.
func signedText(ns int64) string {
	switch {
	case ns == 0:
		return "the same"
	case ns < 0:
		return "−" + durationText(-ns)
	}
	return "+" + durationText(ns)
}

// parting is the first pair of steps that differs, -1 when there is none.
func parting(a, b *side, pairs [][2]int) int {
	return slices.IndexFunc(pairs, func(pair [2]int) bool { return comparedStep(a, b, pair).Differs })
}

// cause is the row where two traces part: the model call that asked for what differs, when nothing but its tools is between.
func cause(a, b *side, pairs [][2]int, at int) int {
	if at < 0 || pairs[at][0] < 0 || pairs[at][1] < 0 || a.steps[pairs[at][0]].argument == b.steps[pairs[at][1]].argument {
		return at
	}
	for i := at; i >= 0; i-- {
		if pair := pairs[i]; pair[0] >= 0 && pair[1] >= 0 && a.steps[pair[0]].turn > 0 && b.steps[pair[1]].turn > 0 {
			return i
		}
	}
	return at
}

func alike(a, b *side, pairs [][2]int) string {
	at := parting(a, b, pairs)
	if at < 0 {
		return "The same steps."
	}
	if turn := turnAt(a, b, pairs, at); turn > 0 {
		return fmt.Sprintf("Same until turn %d.", turn)
	}
	return "They differ from the start."
}

// turnAt is the turn that a pair of steps belongs to, 0 before the first.
func turnAt(a, b *side, pairs [][2]int, at int) (turn int) {
	for _, pair := range pairs[:at+1] {
		if pair[0] >= 0 {
			turn = max(turn, a.steps[pair[0]].turn)
		}
		if pair[1] >= 0 {
			turn = max(turn, b.steps[pair[1]].turn)
		}
	}
	return turn
}

// stepName is the last part of a step's route, or its name.
func stepName(s *side, i int) string {
	n := s.v.nameOf(s.steps[i].inner)
	return cmp.Or(n[strings.LastIndexByte(n, '/')+1:], n, "a span")
}

// partWords says in what two steps differ.
func partWords(a, b *side, pairs [][2]int, at int) string {
	pair := pairs[at]
	switch {
	case pair[0] < 0:
		return "only 2 has " + stepName(b, pair[1])
	case pair[1] < 0:
		return "only 1 has " + stepName(a, pair[0])
	case a.steps[pair[0]].argument != b.steps[pair[1]].argument:
		if turn := turnAt(a, b, pairs, at); turn > 0 {
			return fmt.Sprintf("turn %d calls %s with another argument", turn, stepName(a, pair[0]))
		}
		return stepName(a, pair[0]) + " has another argument"
	case a.at(pair[0]).Error:
		return stepName(a, pair[0]) + " failed in 1"
	}
	return stepName(b, pair[1]) + " failed in 2"
}

func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }

func score(f float64) string {
	return strings.Replace(strconv.FormatFloat(f, 'f', 2, 64), "-", "−", 1)
}

// durationText is a duration with three significant digits and a narrow blank before its unit.
func durationText(ns int64) string {
	d := time.Duration(ns)
	switch {
	case d >= 60*time.Second:
		s := int64(math.Round(d.Seconds()))
		return fmt.Sprintf("%d\u202fm %02d\u202fs", s/60, s%60)
	case d >= time.Second:
		return digits(d.Seconds()) + "\u202fs"
	case d >= time.Millisecond:
		return digits(float64(ns)/1e6) + "\u202fms"
	case d >= time.Microsecond:
		return digits(float64(ns)/1e3) + "\u202fµs"
	}
	return fmt.Sprintf("%d\u202fns", ns)
}

// digits writes a number from 1 to below 1,000 with three significant digits.
func digits(x float64) string {
	switch {
	case x < 9.995:
		return strconv.FormatFloat(x, 'f', 2, 64)
	case x < 99.95:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 0, 64)
}
