package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

// OpenAI answers by asking an endpoint that speaks the Responses dialect itself. The request goes on as it came, byte for
// byte, but for the model's name, which the settings give, and members of extra_body that the request does not have. The
// answer comes back as it is.
//
// The call leaves the run: it carries the trace context, and neither the run's mark nor anybody's cookies. A status
// other than 2xx becomes an error with that status and the endpoint's text, in which the key is blotted out.
//
// An OpenAI is safe for concurrent use.
type OpenAI struct {
	settings OpenAISettings
	caller   Caller
	url      string
	header   http.Header
	secrets  [][]byte
	slots    chan struct{} // nil: any number of requests at once
}

// Caller makes calls: a [wire.Client].
type Caller interface {
	Do(ctx context.Context, call wire.Call) (*wire.Result, error)
}

// NewOpenAI returns the responder for the settings, which makes its calls through caller. The error lists what is wrong
// with the settings and never holds the key.
func NewOpenAI(s OpenAISettings, caller Caller) (*OpenAI, error) {
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("cannot use the settings of an openai_model: %w", err)
	}
	base, err := url.Parse(s.BaseURL)
	if err != nil {
		return nil, errors.New("cannot use the settings of an openai_model: openai_base_url is no URL")
	}
	m := &OpenAI{settings: s, caller: caller, url: base.JoinPath("responses").String(), header: s.header(), secrets: s.secrets()}
	if s.MaxConcurrent != nil {
		m.slots = make(chan struct{}, *s.MaxConcurrent)
	}
	return m, nil
}

// BuildOpenAI returns the server of an openai_model instance, which asks its endpoint through client.
func BuildOpenAI(in *config.Instance, client *wire.Client, logger *slog.Logger) (*wire.Server, error) {
	var s OpenAISettings
	if err := in.DecodeSettings(&s); err != nil {
		return nil, err
	}
	m, err := NewOpenAI(s, client)
	if err != nil {
		return nil, fmt.Errorf("cannot build model server %q: %w", in.Name, err)
	}
	return NewServer(in, m, logger)
}

// Respond hands the request on. It waits, as long as ctx lasts, while max_concurrent_requests others are under way.
func (m *OpenAI) Respond(ctx context.Context, r *Request) (*wire.Reply, error) {
	if err := m.enter(ctx); err != nil {
		return nil, err
	}
	defer m.leave()
	res, err := m.caller.Do(ctx, wire.Call{URL: m.url, Body: m.body(r.Params), Header: m.header})
	if err != nil {
		return nil, fmt.Errorf("cannot reach the endpoint of the model: %w", err)
	}
	if err := m.blotted(res.Err()); err != nil {
		return nil, fmt.Errorf("the endpoint of the model refused: %w", err)
	}
	if _, err := responses.ParseResponse(res.Body); err != nil {
		return nil, &wire.HTTPError{Status: http.StatusBadGateway,
			Detail: fmt.Sprintf("the endpoint of the model answered %d with something else than a response: %v", res.Status, err)}
	}
	return &wire.Reply{Body: res.Body}, nil
}

func (m *OpenAI) enter(ctx context.Context) error {
	if m.slots == nil {
		return nil
	}
	select {
	case m.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("cannot ask the endpoint of the model while %d requests are under way: %w", cap(m.slots), context.Cause(ctx))
	}
}

func (m *OpenAI) leave() {
	if m.slots != nil {
		<-m.slots
	}
}

// body is the request to the endpoint.
func (m *OpenAI) body(p responses.CreateParams) []byte {
	p.SetString("model", m.settings.Model)
	if m.settings.DropReasoning {
		dropReasoning(&p)
	}
	for name, value := range m.settings.ExtraBody.All() {
		if !p.Has(name) {
			p.Set(name, value)
		}
	}
	return p.AppendTo(nil)
}

// dropReasoning takes the reasoning items out of the input, for endpoints that refuse those of another model.
func dropReasoning(p *responses.CreateParams) {
	elements, isList := p.Array("input")
	if !isList {
		return
	}
	kept := make([]byte, 1, len(elements)*64)
	kept[0] = '['
	for _, element := range elements {
		item, err := responses.ParseItem(element)
		if err == nil && item.Type() == responses.TypeReasoning {
			continue
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		kept = append(kept, element...)
	}
	p.Set("input", append(kept, ']'))
}

// blotted takes the key and the header values out of what the endpoint answered: some repeat what they were sent.
func (m *OpenAI) blotted(err error) error {
	status, ok := errors.AsType[*wire.StatusError](err)
	if !ok {
		return err
	}
	clean := *status
	for _, secret := range m.secrets {
		clean.Body = bytes.ReplaceAll(clean.Body, secret, []byte("[redacted]"))
	}
	return &clean
}

// OpenAISettings are the keys of an openai_model.
type OpenAISettings struct {
	BaseURL       string            `json:"openai_base_url"` // the endpoint's URL up to /responses, for example https://host/v1
	APIKey        Secret            `json:"openai_api_key"`  // sent as a bearer token; "" sends none
	Model         string            `json:"openai_model"`    // takes the place of the request's model
	Headers       map[string]Secret `json:"openai_default_headers"`
	ExtraBody     responses.Object  `json:"extra_body"`                 // members for requests that do not have them
	MaxConcurrent *int              `json:"max_concurrent_requests"`    // nil: no bound
	DropReasoning bool              `json:"drop_input_reasoning_items"` // take reasoning items out of the input
}

// check reports everything that is wrong with s.
func (s *OpenAISettings) check() error {
	var errs []error
	if base, err := url.Parse(s.BaseURL); err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		errs = append(errs, errors.New("openai_base_url must be a URL like https://host/v1"))
	}
	if s.Model == "" {
		errs = append(errs, errors.New("openai_model is missing: name the model to ask for"))
	}
	if !validHeaderValue(string(s.APIKey)) {
		errs = append(errs, errors.New("openai_api_key holds a control character, such as the line break of a file it was read from"))
	}
	for name, value := range s.Headers {
		if name == "" || strings.ContainsFunc(name, notToken) {
			errs = append(errs, fmt.Errorf("openai_default_headers: %q is no header name", name))
		}
		if !validHeaderValue(string(value)) {
			errs = append(errs, fmt.Errorf("openai_default_headers: the value of %q holds a control character", name))
		}
	}
	if s.MaxConcurrent != nil && *s.MaxConcurrent < 1 {
		errs = append(errs, fmt.Errorf("max_concurrent_requests is %d: it must be at least 1; leave it out for no bound", *s.MaxConcurrent))
	}
	return errors.Join(errs...)
}

func (s *OpenAISettings) header() http.Header {
	h := make(http.Header, len(s.Headers)+1)
	if s.APIKey != "" {
		h.Set("Authorization", "Bearer "+string(s.APIKey))
	}
	for name, value := range s.Headers {
		h.Set(name, string(value))
	}
	return h
}

// minSecret is the shortest text that is blotted out of answers: a header like "1" would leave holes everywhere.
const minSecret = 6

func (s *OpenAISettings) secrets() [][]byte {
	var out [][]byte
	add := func(v Secret) {
		if len(v) >= minSecret {
			out = append(out, []byte(v))
		}
	}
	add(s.APIKey)
	for _, v := range s.Headers {
		add(v)
	}
	return out
}

// Secret is a text that is not printed. A number in its place in a configuration is read as its digits.
type Secret string

// String says whether there is a secret, and not which.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "[redacted]"
}

// GoString is String, for %#v.
func (s Secret) GoString() string { return `"` + s.String() + `"` }

// LogValue is String, for slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalJSONTo writes what String returns.
func (s Secret) MarshalJSONTo(enc *jsontext.Encoder) error {
	return enc.WriteToken(jsontext.String(s.String()))
}

// UnmarshalJSONFrom reads a string, a number or null. The error does not hold the value.
func (s *Secret) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	token, err := dec.ReadToken()
	if err != nil {
		return err
	}
	switch token.Kind() {
	case 'n':
		*s = ""
	case '"', '0':
		*s = Secret(token.String())
	default:
		return errors.New("a secret must be a string")
	}
	return nil
}

func validHeaderValue(v string) bool {
	return !strings.ContainsFunc(v, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// notToken reports whether r cannot stand in a header name.
func notToken(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
}
