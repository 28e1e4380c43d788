// Package content puts what was said in a rollout on its spans: the messages that a model got and gave, and the arguments and
// results of tools, as attributes of OpenTelemetry's GenAI conventions.
//
// It is used only when the user asked for it ([telemetry.Content]). Who makes a call records it, on the call's CLIENT span,
// so that the same text does not come from both ends of a call:
//
//	if bound := telemetry.Content(); bound > 0 {
//		call.Observe = func(span lens.Span, answer *wire.Result) {
//			content.ToolCall{ID: id, Name: name, Arguments: arguments, Result: answer.Body}.Record(span, bound)
//		}
//	}
//
// A conversation is recorded once: with each call of the model only what it had not been told before, see [ModelCall].
//
// # Redaction
//
// Credentials do not leave the process. In JSON, the value under a key that ends like one of [CredentialKeys] becomes
// [REDACTED], whatever it is but null, true and false. In every text, also inside of JSON, what looks like a credential does:
// tokens with a known beginning (sk-, ghp_, AKIA and their like), web tokens, private keys, what follows Bearer or Basic, the
// user of a URL, and what stands behind such a key and a colon or an equals sign. These are rules and no proof: content that
// must not be seen by whoever reads the traces should not be recorded.
//
// # Bounds
//
// A text has at most 8 KiB ([MaxText]) and ends with "…[cut 1234 bytes]" when there was more; an attribute has at most the
// bound that it is given, and stays valid JSON: what does not fit is left out at the end, with the same mark. How much was left
// out and how many values were redacted stands on the span (nemo.gym.content.cut_bytes, nemo.gym.content.redacted). What lies
// beyond a bound is not decoded.
//
// # Guarantees
//
// Nothing here returns an error, panics or blocks: items of unknown types and arguments that are no JSON are recorded as text.
// Everything is safe for concurrent use.
package content
