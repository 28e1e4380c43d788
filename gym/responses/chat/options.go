package chat

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/splice"
)

// Options says how conversions treat what the two dialects do not share. The zero value is usable.
type Options struct {
	// Model is the upstream's name of the model; "" keeps the request's.
	Model string
	// ReasoningParser (uses_reasoning_parser) takes <think> segments out of the model's text: into reasoning items of an
	// answer, and out of the history, where they are dropped unless InterleavedReasoning is set.
	ReasoningParser bool
	// InterleavedReasoning (uses_interleaved_reasoning) hands earlier reasoning to the upstream in reasoning_content and
	// reasoning, which is what servers read it from. It acts with ReasoningParser only.
	InterleavedReasoning bool
	// TokenIDs (return_token_id_information) asks for token ids and log probabilities, keeps them in the answer and sends
	// those of earlier turns back.
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

func (o Options) newID(prefix string) string {
	if o.NewID == nil {
		return responses.NewID(prefix)
	}
	return o.NewID(prefix)
}

// Prepare makes a request that a client sent in this dialect ready for the upstream, as [FromParams] does with the ones
// that it converts: the model's name, roles, reasoning of earlier turns, chat_template_kwargs, extra_body, token ids and
// overrides as the options say, no strict in functions, and no stream. Messages that need no change are not touched. The
// error is a [responses.FieldErrors].
func (o Options) Prepare(r Request) (Request, error) {
	r.Delete("stream")
	r.Delete("stream_options")
	o.prepareTools(&r)
	o.prepareMessages(&r)
	if err := o.finish(&r); err != nil {
		return Request{}, err
	}
	return r, nil
}

// prepareTools takes strict out of functions: servers of open models do not know it, and some put it into the prompt.
func (o Options) prepareTools(r *Request) {
	tools, _ := r.Array("tools")
	changed := false
	for i, v := range tools {
		tool, _ := responses.View(v)
		f, ok := tool.Sub("function")
		if !ok || !f.Delete("strict") {
			continue
		}
		tool.Set("function", f.AppendTo(nil))
		tools[i] = tool.AppendTo(nil)
		changed = true
	}
	if changed {
		r.Set("tools", joined(tools))
	}
}

func (o Options) prepareMessages(r *Request) {
	if !o.ReplaceDeveloperRole && !o.ReasoningParser && o.TokenIDs {
		return
	}
	messages, _ := r.Array("messages")
	changed := false
	for i, v := range messages {
		m, _ := responses.View(v)
		if o.prepareMessage(&m) {
			messages[i] = m.AppendTo(nil)
			changed = true
		}
	}
	if changed {
		r.Set("messages", joined(messages))
	}
}

// prepareMessage changes what must be changed in one message, and reports whether that was anything.
func (o Options) prepareMessage(m *responses.Object) (changed bool) {
	role := responses.Item{Object: *m}.Role()
	switch {
	case role == "developer" && o.ReplaceDeveloperRole:
		m.SetString("role", "system")
		return true
	case role != "assistant":
		return false
	}
	if !o.TokenIDs && m.Has(responses.PromptTokenIDs) {
		for _, name := range m.Names() {
			if responses.IsTokenMember(name) {
				m.Delete(name)
			}
		}
		changed = true
	}
	if !o.ReasoningParser {
		return changed
	}
	return o.prepareThought(m) || changed
}

// prepareThought takes <think> segments out of the content of a message of the model.
func (o Options) prepareThought(m *responses.Object) bool {
	var thought []string
	content, _ := m.Get("content")
	if text, ok := responses.Text(content); ok {
		var rest string
		if thought, rest = splitThought(text); thought != nil {
			m.SetString("content", rest)
		}
	} else if parts, ok := responses.Elements(content); ok {
		for i, v := range parts {
			part, _ := responses.View(v)
			text, _ := part.String("text")
			found, rest := splitThought(text)
			if found != nil {
				thought = append(thought, found...)
				part.SetString("text", rest)
				parts[i] = part.AppendTo(nil)
			}
		}
		if thought != nil {
			m.Set("content", joined(parts))
		}
	}
	if thought != nil && o.InterleavedReasoning {
		text := joinThought(thought)
		m.SetString("reasoning_content", text)
		m.SetString("reasoning", text)
	}
	return thought != nil
}

// finish sets what the options say about the request as a whole, the overrides last.
func (o Options) finish(r *Request) error {
	if o.Model != "" {
		r.SetString("model", o.Model)
	}
	metadata, _ := r.Sub("metadata")
	kwargs, err := jsonMember(metadata, "chat_template_kwargs")
	if err != nil {
		return err
	}
	extra, err := jsonMember(metadata, "extra_body")
	if err != nil {
		return err
	}
	if took := metadata.Delete("chat_template_kwargs"); metadata.Delete("extra_body") || took {
		r.Set("metadata", metadata.AppendTo(nil))
		if metadata.Len() == 0 {
			r.Delete("metadata")
		}
	}
	if o.TokenIDs {
		r.SetBool("logprobs", true)
		r.SetInt("top_logprobs", 0)
		r.SetBool("return_tokens_as_token_ids", true)
	}
	if r.Null("top_logprobs") {
		r.Delete("top_logprobs")
	}
	members := o.ExtraBody
	members.Merge(extra)
	r.Fill(members)
	o.setTemplate(r, kwargs)
	r.Merge(o.SamplingOverrides)
	return nil
}

// setTemplate merges the arguments of the chat template: the settings', the request's own, those of its metadata.
func (o Options) setTemplate(r *Request, kwargs responses.Object) {
	merged := o.ChatTemplateKwargs
	own, _ := r.Sub("chat_template_kwargs")
	merged.Merge(own)
	merged.Merge(kwargs)
	if merged.Len() > 0 {
		r.Set("chat_template_kwargs", merged.AppendTo(nil))
	}
}

// jsonMember returns the object that a member of the metadata holds, as JSON in a string since metadata are strings, or as
// it is. Absent, null and "" are the empty object.
func jsonMember(metadata responses.Object, name string) (responses.Object, error) {
	v, ok := metadata.Get(name)
	if !ok || v.Kind() == 'n' {
		return responses.Object{}, nil
	}
	if o, ok := responses.View(v); ok {
		return o, nil
	}
	text, ok := responses.Text(v)
	if !ok {
		return responses.Object{}, responses.FieldErrors{responses.WrongType("string", v, "body", "metadata", name)}
	}
	if text == "" {
		return responses.Object{}, nil
	}
	o, err := responses.ParseObject([]byte(text))
	if err != nil {
		return responses.Object{}, responses.FieldErrors{{Type: "json_invalid", Loc: []any{"body", "metadata", name},
			Msg: "The text should be a JSON object", Input: v, Ctx: map[string]string{"error": err.Error()}}}
	}
	return o, nil
}

// joined writes checked values as an array.
func joined(list []jsontext.Value) jsontext.Value {
	n := 2
	for _, v := range list {
		n += len(v) + 1
	}
	t := splice.Text{B: make([]byte, 0, n)}
	t.Open('[')
	for _, v := range list {
		t.Raw(v)
	}
	t.Close(']')
	return t.B
}
