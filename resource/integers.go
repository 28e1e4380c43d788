package resource

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/lensgo/lens/semconv"
)

// integers are the attributes that are numbers for those who read them: a query for the ranks above 7 finds no text.
var integers = []attribute.Key{
	semconv.NVDLRank, semconv.NVDLWorldSize, semconv.NVDLLocalRank,
	semconv.NVDLSizeTP, semconv.NVDLSizePP, semconv.NVDLSizeDP,
	semconv.NVDLGlobalBatchSize, semconv.NVDLMicroBatchSize, semconv.NVDLSequenceLength,
	semconv.NVDLTargetIterations, semconv.NVDLTargetSamples, semconv.NVDLTargetTokens,
	semconv.NVGPUIndex, semconv.NVGPUMemoryTotal,
}

// Integers returns attrs with integers for the texts of the keys that hold some: nv.dl.rank and its like, which
// OTEL_RESOURCE_ATTRIBUTES can only carry as text. An integer is written in base 10, with a sign or without, blanks around it
// trimmed. All other keys stay as they are, "007" too.
//
// A value that is no integer is kept, and the error names it. attrs is not changed.
func Integers(attrs []attribute.KeyValue) ([]attribute.KeyValue, error) {
	var errs []error
	out := slices.Clone(attrs)
	for i, kv := range out {
		if !slices.Contains(integers, kv.Key) || kv.Value.Type() == attribute.INT64 || kv.Value.Type() == attribute.EMPTY {
			continue
		}
		n, ok := int64(0), false
		if kv.Value.Type() == attribute.STRING {
			n, ok = integer(kv.Value.AsString())
		}
		if !ok {
			errs = append(errs, fmt.Errorf("resource attribute %s requires a base-10 integer and is %q", kv.Key, clip(kv.Value.String())))
			continue
		}
		out[i].Value = attribute.Int64Value(n)
	}
	return out, errors.Join(errs...)
}

// integer reads a number strictly: no underscores, no fraction, no other digits than those of ASCII.
func integer(text string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return n, err == nil
}
