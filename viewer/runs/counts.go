package runs

import "math"

// Counts are numbers of rollouts.
type Counts struct {
	Rollouts  int // all that were seen
	Finished  int // all that ended: scored, failed, truncated, or without a word
	Scored    int
	Failed    int
	Truncated int
	Running   int
	Reward    Mean
}

func (c *Counts) add(x *Rollout) {
	c.Rollouts++
	switch x.Outcome {
	case Scored:
		c.Scored++
	case Failed:
		c.Failed++
	case Truncated:
		c.Truncated++
	case Running:
		c.Running++
	}
	if x.Ended() {
		c.Finished++
	}
	if x.HasReward {
		c.Reward.add(x.Reward)
	}
}

// Mean is a mean, and over how many. That of none is 0.
type Mean struct {
	N         int
	sum, lost float64
}

// add sums with compensation, so that the order of the values does not show.
func (m *Mean) add(x float64) {
	sum := m.sum + x
	if math.Abs(m.sum) >= math.Abs(x) {
		m.lost += m.sum - sum + x
	} else {
		m.lost += x - sum + m.sum
	}
	m.N, m.sum = m.N+1, sum
}

// Value returns the mean.
func (m Mean) Value() float64 {
	if m.N == 0 {
		return 0
	}
	return (m.sum + m.lost) / float64(m.N)
}
