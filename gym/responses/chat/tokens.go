package chat

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/splice"
)

// tokenPrefix is how vLLM writes a token under return_tokens_as_token_ids.
const tokenPrefix = "token_id:"

// HasPromptTokenIDs reports whether the completion says which tokens the prompt had, so that the endpoint's /tokenize need
// not be asked.
func (c Completion) HasPromptTokenIDs() bool {
	_, message, err := c.first()
	if err != nil {
		return false
	}
	ids, _ := c.Array(responses.PromptTokenIDs)
	return responses.HasTokens(message) || len(ids) > 0
}

// HasTokens reports whether the first choice's message carries its tokens, or log probabilities to take them from. An
// answer without text, such as [Overflow], has none.
func (c Completion) HasTokens() bool {
	choice, message, err := c.first()
	return err == nil && (responses.HasTokens(message) || logprobs(choice) != nil)
}

// WithTokens returns the completion with the tokens of its first choice in the message, where training reads them from. A
// message that carries them is left as it is. Else the ids and log probabilities of what was generated are those of the
// choice's logprobs, and the prompt's the ones given, or the completion's own prompt_token_ids when prompt is nil. The log
// probabilities stay the numbers that they are.
func (c Completion) WithTokens(prompt jsontext.Value) (Completion, error) {
	choice, message, err := c.first()
	if err != nil {
		return Completion{}, fmt.Errorf("cannot take tokens from completion: %w", err)
	}
	if responses.HasTokens(message) {
		if bad := responses.CheckTokens(message, "choices", 0, "message"); bad != nil {
			return Completion{}, answerError("completion", bad)
		}
		return c, nil
	}
	if prompt == nil {
		prompt, _ = c.Get(responses.PromptTokenIDs)
	}
	if prompt.Kind() != '[' {
		return Completion{}, errors.New("cannot take tokens from completion: nobody said which tokens the prompt had")
	}
	ids, probs, err := generated(logprobs(choice))
	if err != nil {
		return Completion{}, fmt.Errorf("cannot take tokens from completion: %w", err)
	}
	message.Set(responses.PromptTokenIDs, prompt)
	message.Set(responses.GenerationTokenIDs, ids)
	message.Set(responses.GenerationLogProbs, probs)
	choice.Set("message", message.AppendTo(nil))
	choice.Delete("logprobs")
	choice.Delete("token_ids")
	choices, _ := c.Array("choices")
	choices[0] = choice.AppendTo(nil)
	c.Set("choices", joined(choices))
	c.Delete(responses.PromptTokenIDs)
	return c, nil
}

// generated reads token ids and log probabilities.
func generated(list jsontext.Value) (ids, probs jsontext.Value, err error) {
	tokens, ok := responses.Elements(list)
	if !ok {
		return nil, nil, errors.New("its choice has no log probabilities: does the endpoint know return_tokens_as_token_ids?")
	}
	idText, probText := splice.Text{}, splice.Text{}
	idText.Open('[')
	probText.Open('[')
	for i, v := range tokens {
		token, _ := responses.View(v)
		name, _ := token.String("token")
		id, found := strings.CutPrefix(name, tokenPrefix)
		n, err := strconv.ParseInt(id, 10, 64)
		if !found || err != nil {
			return nil, nil, fmt.Errorf("token %d of its log probabilities is %.40q, not %s and a number", i, name, tokenPrefix)
		}
		prob, _ := token.Get("logprob")
		if prob.Kind() != '0' {
			return nil, nil, fmt.Errorf("token %d of its log probabilities has no logprob", i)
		}
		idText.Int(n)
		probText.Raw(prob)
	}
	idText.Close(']')
	probText.Close(']')
	return idText.B, probText.B, nil
}
