package metrics

import (
	"context"
	"time"

	"github.com/lensgo/lens/semconv"
)

// Inference records the requests of an inference server.
var Inference InferenceMetrics

// InferenceMetrics has a method for each thing that an inference server measures; [Inference] is the one to use, and the zero
// value is the same. The names are those of the OpenTelemetry conventions for generative AI, the attributes those of the Python
// library: the operation text_completion of the provider nemo.
type InferenceMetrics struct{}

// Buckets that the conventions recommend.
var (
	inferenceBounds = []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92} // seconds
	usageBounds     = []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
)

var (
	inferenceDuration = newInstrument(spec{kind: kindHistogram, scope: semconv.ScopeLens, name: semconv.MetricGenAIServerDuration,
		unit: "s", about: "How long a request to an inference server took.", bounds: inferenceBounds})
	inferenceTokens = newInstrument(spec{kind: kindHistogram, scope: semconv.ScopeLens, name: semconv.MetricGenAITokenUsage,
		unit: "{token}", about: "Tokens of a request, those of the input and of the output apart.", bounds: usageBounds})
	models lexicon
)

// Served records how long a request took. model is empty when it is not known.
func (InferenceMetrics) Served(ctx context.Context, model string, took time.Duration) {
	inferenceDuration.float(ctx, took.Seconds(), inferenceLabels(model))
}

// Used records how many tokens a request had. A number below 0 is not known, and left out.
func (InferenceMetrics) Used(ctx context.Context, model string, input, output int) {
	l := inferenceLabels(model)
	if input >= 0 {
		l[3] = text(semconv.GenAITokenType, semconv.TokenInput)
		inferenceTokens.float(ctx, float64(input), l)
	}
	if output >= 0 {
		l[3] = text(semconv.GenAITokenType, semconv.TokenOutput)
		inferenceTokens.float(ctx, float64(output), l)
	}
}

func inferenceLabels(model string) labels {
	l := labels{text(semconv.GenAIOperationName, semconv.OperationTextCompletion), text(semconv.GenAIProviderName, semconv.ProviderNemo),
		optional(semconv.GenAIRequestModel, model)}
	models.bound(&l[2]) // without a model there is nothing to bound
	return l
}
