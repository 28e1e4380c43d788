package telemetry

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lensgo/lens/telemetry"
)

// Variables that switch content on: Gym's own, and the one of OpenTelemetry's GenAI instrumentations, which counts when
// Gym's is not set.
const (
	envContent      = Prefix + "_CONTENT"
	envGenAIContent = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
)

// contentBound is how many bytes an attribute with content may have: with all attributes of a span it stays well below
// what backends take, and a batch of contentBatch spans below what receivers take.
const contentBound = 64 << 10

// contentBatch is the most spans of an export while content is recorded, unless the environment has a number: 4,096 spans
// full of text would be larger than the 64 MiB that receivers usually take.
const (
	contentBatch = "256"
	envBatch     = "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"
)

// Variables with which a user bounds the attributes of a span. The SDK cuts what is longer, which would leave JSON broken.
var envBounds = []string{"OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT"}

// Content reports whether the content of conversations (messages, arguments and results of tools) goes on spans, and how
// many bytes one attribute may have then: 0 means that it does not, which is so unless telemetry is on and the user asked
// for it. It is decided by [Setup], and costs the read of a word.
func Content() (bound int) { return int(process.content.Load()) }

// ContentFromEnv reports whether the environment asks for content, as [Setup] reads it. The error is for a value that means nothing;
// content is off then.
func ContentFromEnv() (on bool, err error) {
	if on, err = content(OS); !on || err != nil {
		return false, err
	}
	bound, err := boundOf(OS)
	return bound > 0, err
}

// content reads the decision from env. The error is for a value that means nothing; content is off then.
func content(env Environ) (on bool, err error) {
	if text := value(env, envContent); text != "" {
		on, ok := telemetry.ParseBool(text)
		if !ok {
			return false, fmt.Errorf("cannot read %s: %q is not a boolean, so content is not recorded; use 1, true, yes, on or 0, false, no, off",
				envContent, text)
		}
		return on, nil
	}
	text := value(env, envGenAIContent)
	switch strings.ToUpper(text) {
	case "", "NO_CONTENT":
		return false, nil
	case "SPAN_ONLY", "SPAN_AND_EVENT":
		return true, nil
	case "EVENT_ONLY":
		return false, fmt.Errorf("%s=%s asks for events, which this build does not send, so content is not recorded; SPAN_ONLY or %s=1 puts it on spans",
			envGenAIContent, text, envContent)
	}
	on, ok := telemetry.ParseBool(text)
	if !ok {
		return false, fmt.Errorf("cannot read %s: %q is neither a boolean nor NO_CONTENT, SPAN_ONLY or SPAN_AND_EVENT, so content is not recorded",
			envGenAIContent, text)
	}
	return on, nil
}

// leastBound is the smallest bound into which anything worth reading fits.
const leastBound = 2 << 10

// boundOf is the bound of an attribute: ours, or that of the environment when it is smaller. An error is for one into which
// nothing fits.
func boundOf(env Environ) (int, error) {
	key, text := firstSet(env, envBounds...)
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > contentBound {
		return contentBound, nil
	}
	if n < leastBound {
		return 0, fmt.Errorf("%s=%s leaves no room for content, so it is not recorded; use %d or more", key, text, leastBound)
	}
	return n, nil
}

// shareContent makes all processes of the fleet decide alike: when the user said something, what it comes to is written. A
// value that nobody can read is replaced, so that it is warned about once and not by every server.
func (d *Decision) shareContent(env Environ) {
	on, err := content(env)
	switch {
	case err != nil:
		d.Warnings = append(d.Warnings, err.Error())
	case value(env, envContent) == "" && !on:
		return
	}
	if err != nil || value(env, envContent) == "" {
		d.set(env, envContent, boolText(&on))
	}
	if _, set := env.LookupEnv(envBatch); on && !set {
		d.set(env, envBatch, contentBatch)
	}
	d.Content = on
}
