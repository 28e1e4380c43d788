// Package responses holds the bodies that Gym's servers exchange, in the dialect of the OpenAI Responses API, as typed
// views over JSON that is never rebuilt.
//
// A rollout passes one conversation through half a dozen processes. Most of them look at three members and hand the rest
// on, and the rest must arrive as it came: members nobody here has heard of, the order of members, numbers beyond 2^53,
// arrays with thousands of token ids that training reads back later. So a body is an [Object]: its text, checked once,
// with accessors that find members on demand. Changing a member splices the new text in between the old bytes; what was
// not changed is copied, never decoded and encoded again.
//
//	p, err := responses.ParseCreateParams(body) // FieldErrors: the 422 body
//	items, err := p.Input()                     // a string input is one user message
//	items = append(items, responses.FunctionCallOutput("call_1", `{"ok":true}`))
//	p.SetInput(items)                           // temperature, metadata, unknown items: untouched bytes
//	body = p.AppendTo(nil)
//
// # Guarantees
//
// An Object, and each type that embeds one, is a value: assignment is cheap, a change made through one copy is not seen
// through another, and reading one from several goroutines is safe. The zero value is the empty object {}.
//
// Text is aliased, not copied: what ParseX takes and what Get returns share memory. Do not write to either; call
// [Object.Clone] to keep a small object without keeping the large body that it came in.
//
// Input is checked when it is parsed, all of it: it must be one JSON value in valid UTF-8, without duplicate names at any
// depth and nested at most 10,000 levels deep (RFC 7493, as jsontext has it). Duplicate names are refused, rather than
// the last one winning as in Python, because two servers that read one body differently are worse than an error that
// names the place. After a successful parse, accessors do not fail; typed ones say with their second result that a member
// is absent or of another type.
//
// # Streams
//
// Gym's servers do not stream: an answer is whole before it is scored. A client that asks for a stream gets the answer
// replayed as one ([ParseStreamed], [Replay], [ReplayFailure]); an endpoint that streams in spite of it is read to its end
// ([Collect]). Packages chat and messages have the same for their dialects, and the conversions between them and this one.
//
// # Bytes
//
// [Object.AppendTo] keeps bytes exactly. Marshalling through package json keeps members, their order and numbers as they
// came; json itself then removes blanks between tokens and writes strings in their shortest form.
package responses
