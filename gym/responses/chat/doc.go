// Package chat holds the bodies of /v1/chat/completions, and turns them into those of the Responses dialect and back.
//
// vLLM, Ollama, llama.cpp and most other servers of open models speak this dialect. A model server that stands before one
// answers all three dialects with two calls:
//
//	r, err := chat.FromParams(params, options)      // the request, ready for the endpoint
//	...                                             // ask it
//	c, err := chat.ParseCompletion(body)            // or Collect, when it streams
//	response, err := chat.ToResponse(c, params, options)
//
// A client that speaks this dialect itself is answered without a conversion: [ParseRequest], [Options.Prepare], and
// [Replay] when it wants a stream. [ToParams] and [FromResponse] are for one that stands before an endpoint of another
// dialect.
//
// # Guarantees
//
// Types embed [responses.Object] and share its promises: text that came in is kept, and what passes through is not decoded.
// Conversions copy values as they stand, so that arguments of calls, numbers beyond 2^53 and lists of token ids are
// untouched. What the model said in a row is joined into one message, and texts that are joined are written anew.
//
// Members that nobody here knows are carried along, so that they come back on a round trip: those of messages, parts, calls
// and tools beside what became of them, members of a request in metadata.extra_body, those of a choice in the member
// choice, and those of a message without a text in the member message of its first call.
//
// An item, part or tool without a counterpart is a [*responses.UnsupportedError], which names its type and place and never
// its content. Functions are safe for concurrent use and change nothing that they are given.
package chat
