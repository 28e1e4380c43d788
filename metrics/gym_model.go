package metrics

import (
	"context"
	"time"

	"github.com/lensgo/lens/semconv"
)

// ModelCall is one call that a model server answered.
type ModelCall struct {
	Server  string        // the instance
	Dialect string        // semconv.DialectResponses, DialectChat or DialectMessages
	Outcome string        // semconv.ModelCallOK, else the category of the error: upstream_error, timeout, ...
	Took    time.Duration // from the request to the whole reply

	// FirstToken is the time to the first token of a reply that was streamed; 0 for one that was not.
	FirstToken time.Duration

	// Tokens says that the reply counts its tokens; those that it does not know are below 0.
	Tokens                   bool
	Input, Output, Reasoning int64

	// Finish is what ended a reply that is OK; of the Responses dialect, which has no reason, the status.
	Finish string
}

var (
	modelDuration = milliseconds(semconv.MetricModelCallDuration, "How long a model call took.", modelBounds)
	modelTTFT     = milliseconds(semconv.MetricModelCallTTFT, "How long a streamed model call took to its first token.", ttftBounds)
	modelTokens   = newInstrument(spec{kind: kindHistogram, name: semconv.MetricModelCallTokens, unit: "{token}",
		about: "Tokens of a model call.", bounds: tokenBounds})
	modelFinish   = of(kindCounter, semconv.MetricModelCallFinish, "", "Model calls that succeeded, by what ended them.")
	modelOutcomes vocabulary
	finishReasons vocabulary
)

// ModelCalled records a model call: its time always, the rest when it is there and the outcome is OK.
func (GymMetrics) ModelCalled(ctx context.Context, c ModelCall) {
	server, dialect := text(semconv.GymServerName, c.Server), text(semconv.GymModelCallDialect, c.Dialect)
	modelDuration.float(ctx, ms(c.Took), labels{server, dialect, text(semconv.GymModelCallOutcome, modelOutcomes.word(c.Outcome))})
	if c.FirstToken > 0 {
		modelTTFT.float(ctx, ms(c.FirstToken), labels{server, dialect})
	}
	if c.Outcome != semconv.ModelCallOK {
		return
	}
	if c.Tokens {
		for _, t := range [...]struct {
			kind string
			n    int64
		}{{semconv.TokenInput, c.Input}, {semconv.TokenOutput, c.Output}, {semconv.TokenReasoning, c.Reasoning}} {
			if t.n >= 0 {
				modelTokens.float(ctx, float64(t.n), labels{server, dialect, text(semconv.GymModelCallTokenType, t.kind)})
			}
		}
	}
	if c.Finish != "" {
		modelFinish.int(ctx, 1, labels{server, dialect, text(semconv.GymModelCallFinish, finishReasons.word(c.Finish))})
	}
}
