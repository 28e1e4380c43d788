// Package messages holds the bodies of Anthropic's /v1/messages, and turns them into those of the Responses dialect and back.
//
// [FromParams], [Collect] or [ParseMessage], and [ToResponse] stand before an endpoint that speaks this dialect; [ParseRequest],
// [ToParams], [FromResponse] and [Replay] answer a client that does, such as a coding agent, with any model.
//
//	r, err := messages.ParseRequest(body)
//	params, err := messages.ToParams(r)
//	...                                             // ask a model server
//	m, err := messages.FromResponse(response)
//	if r.Stream() {
//		return messages.Replay(m)
//	}
//
// # Guarantees
//
// Types embed [responses.Object] and share its promises: text that came in is kept, and what passes through is not decoded.
// Conversions copy values as they stand: the input of a tool becomes the arguments of a call byte by byte, and the other
// way round. Texts in a row of an answer are joined and written anew.
//
// Members of messages, blocks and tools that nobody here knows are carried along and come back on a round trip. Members that
// steer Anthropic's own service (cache_control, is_error) and members of a request that the Responses dialect does not have
// are left out when a request is converted; a server before an Anthropic endpoint passes such a request on with
// [Options.Prepare] instead, whole. The tokens of a turn have no place in this dialect.
//
// A block, item or tool without a counterpart is a [*responses.UnsupportedError], which names its type and place and never
// its content. Functions are safe for concurrent use and change nothing that they are given.
package messages
