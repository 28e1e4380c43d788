package responses

import (
	"fmt"
	"math"

	"github.com/go-json-experiment/json/jsontext"
)

// Usage is the token counts of one answer, or of a trajectory.
type Usage struct{ Object }

// NewUsage returns the counts of one answer, with details of zero.
func NewUsage(input, output int64) *Usage {
	u := &Usage{}
	u.SetInt("input_tokens", input)
	u.Set("input_tokens_details", jsontext.Value(`{"cached_tokens":0}`))
	u.SetInt("output_tokens", output)
	u.Set("output_tokens_details", jsontext.Value(`{"reasoning_tokens":0}`))
	u.SetInt("total_tokens", addClamped(input, output))
	return u
}

// ParseUsage views checked JSON as token counts. A count that is there must be a whole number or null.
func ParseUsage(v jsontext.Value) (*Usage, error) {
	if v.Kind() != '{' {
		return nil, fmt.Errorf("cannot read usage: it is %s, not an object", describe(v))
	}
	u := &Usage{Object{raw: trim(v)}}
	for _, name := range counts {
		n, ok := u.Get(name)
		if !ok || n.Kind() == 'n' {
			continue
		}
		if _, ok := intOf(n); !ok {
			return nil, fmt.Errorf("cannot read usage: %s is %.40s, not a whole number", name, n)
		}
	}
	return u, nil
}

var counts = [...]string{"input_tokens", "output_tokens", "total_tokens"}

// InputTokens returns the tokens read; 0 when unknown. A nil Usage has no tokens.
func (u *Usage) InputTokens() int64 { return u.count("input_tokens") }

// OutputTokens returns the tokens written; 0 when unknown.
func (u *Usage) OutputTokens() int64 { return u.count("output_tokens") }

// TotalTokens returns the sum as the model reported it, which need not be input and output added.
func (u *Usage) TotalTokens() int64 { return u.count("total_tokens") }

func (u *Usage) count(name string) int64 {
	if u == nil {
		return 0
	}
	n, _ := u.Int(name)
	return n
}

// AddUsage returns the sum of the usage so far and one turn's, neither of which it changes; either may be nil.
//
// The three counts add up. A detail (cached_tokens, reasoning_tokens) that is null on one side is null in the sum,
// because unknown is not zero; a side whose whole details object is null or absent leaves the total's detail as it is.
// Members that nobody here knows how to add, such as a price, are not in a sum: one turn's value would be wrong.
func AddUsage(total, u *Usage) *Usage {
	if u == nil {
		return total
	}
	if total == nil {
		return u
	}
	sum := &Usage{}
	sum.addCount("input_tokens", total, u)
	sum.addDetail("input_tokens_details", "cached_tokens", total, u)
	sum.addCount("output_tokens", total, u)
	sum.addDetail("output_tokens_details", "reasoning_tokens", total, u)
	sum.addCount("total_tokens", total, u)
	return sum
}

// addCount sets a count that either side has.
func (u *Usage) addCount(name string, a, b *Usage) {
	if a.Has(name) || b.Has(name) {
		u.SetInt(name, addClamped(a.count(name), b.count(name)))
	}
}

// addDetail sets a count that stands in an object of its own.
func (u *Usage) addDetail(object, name string, total, turn *Usage) {
	a, okA := total.Sub(object)
	b, okB := turn.Sub(object)
	if !okA || !okB {
		if v, ok := total.Get(object); ok {
			u.Set(object, v)
		}
		return
	}
	var sum Object
	x, knownX := a.Int(name)
	y, knownY := b.Int(name)
	if knownX && knownY {
		sum.SetInt(name, addClamped(x, y))
	} else {
		sum.Set(name, nil)
	}
	u.Set(object, sum.AppendTo(nil))
}

// addClamped adds token counts; a sum that no int64 holds stays at the end of its range.
func addClamped(a, b int64) int64 {
	s := a + b
	if a > 0 && b > 0 && s < 0 {
		return math.MaxInt64
	}
	if a < 0 && b < 0 && s >= 0 {
		return math.MinInt64
	}
	return s
}
