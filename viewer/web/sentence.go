package web

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// sentence is the line under the title: until where they are alike, how they scored, which took longer.
func sentence(a, b *side, pairs [][2]int) string {
	one, two := "The first", "The second"
	x, y := a.shown.Rollout, b.shown.Rollout
	if x != nil && y != nil && x.Attempt != nil && y.Attempt != nil && *x.Attempt != *y.Attempt {
		one, two = fmt.Sprintf("Attempt %d", *x.Attempt), fmt.Sprintf("Attempt %d", *y.Attempt)
	}
	parts := []string{alike(a, b, pairs)}
	if x != nil && y != nil && x.Reward != nil && y.Reward != nil {
		parts = append(parts, fmt.Sprintf("%s scored %s, %s scored %s.", one, score(*x.Reward), lower(two), score(*y.Reward)))
	}
	if len(a.steps) > 0 && len(b.steps) > 0 {
		if d := a.at(0); d.Duration != nil {
			if e := b.at(0); e.Duration != nil && *e.Duration != *d.Duration {
				who, by := two, *e.Duration-*d.Duration
				if by < 0 {
					who, by = one, -by
				}
				parts = append(parts, fmt.Sprintf("%s took %s longer.", who, durationText(by)))
			}
		}
	}
	return strings.Join(parts, " ")
}

func alike(a, b *side, pairs [][2]int) string {
	turn := 0
	for _, pair := range pairs {
		if pair[0] >= 0 {
			turn = max(turn, a.steps[pair[0]].turn)
		}
		if pair[1] >= 0 {
			turn = max(turn, b.steps[pair[1]].turn)
		}
		if comparedStep(a, b, pair).Differs {
			if turn == 0 {
				return "They differ from the start."
			}
			return fmt.Sprintf("Same until turn %d.", turn)
		}
	}
	return "The same steps."
}

// partWords says in what two steps differ.
func partWords(a, b *side, pair [2]int) string {
	name := func(s *side, i int) string {
		n := s.v.nameOf(s.steps[i].inner)
		return cmp.Or(n[strings.LastIndexByte(n, '/')+1:], n, "a span")
	}
	switch {
	case pair[0] < 0:
		return "only 2 has " + name(b, pair[1])
	case pair[1] < 0:
		return "only 1 has " + name(a, pair[0])
	case a.steps[pair[0]].argument != b.steps[pair[1]].argument:
		return name(a, pair[0]) + " has another argument"
	case a.at(pair[0]).Error:
		return name(a, pair[0]) + " failed in 1"
	}
	return name(b, pair[1]) + " failed in 2"
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
