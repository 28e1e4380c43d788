package model

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

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

// checkHeaders reports header names and values that cannot be sent. key is the key that they stand under; no value is in
// the error.
func checkHeaders(key string, headers map[string]Secret) error {
	var errs []error
	for name, value := range headers {
		if name == "" || strings.ContainsFunc(name, notToken) {
			errs = append(errs, fmt.Errorf("%s: %q is no header name", key, name))
		}
		if !validHeaderValue(string(value)) {
			errs = append(errs, fmt.Errorf("%s: the value of %q holds a control character", key, name))
		}
	}
	return errors.Join(errs...)
}

// checkKey reports a key that cannot stand in a header.
func checkKey(key string, value Secret) error {
	if validHeaderValue(string(value)) {
		return nil
	}
	return errors.New(key + " holds a control character, such as the line break of a file it was read from")
}

// bearer are the headers of an endpoint that takes its key as a bearer token; those of the settings win.
func bearer(key Secret, headers map[string]Secret) http.Header {
	h := make(http.Header, len(headers)+1)
	if key != "" {
		h.Set("Authorization", "Bearer "+string(key))
	}
	setHeaders(h, headers)
	return h
}

func setHeaders(h http.Header, headers map[string]Secret) {
	for name, value := range headers {
		h.Set(name, string(value))
	}
}

// minSecret is the shortest text that is blotted out of answers: a header like "1" would leave holes everywhere.
const minSecret = 6

// secrets are texts that must not be repeated to anybody.
type secrets []string

func secretsOf(key Secret, headers map[string]Secret) secrets {
	var out secrets
	add := func(v Secret) {
		if len(v) >= minSecret {
			out = append(out, string(v))
		}
	}
	add(key)
	for _, v := range headers {
		add(v)
	}
	return out
}

// blot takes the secrets out of what an endpoint said in an error: some repeat what they were sent.
func (s secrets) blot(err error) error {
	if status, ok := errors.AsType[*wire.StatusError](err); ok {
		clean := *status
		clean.Body = []byte(s.clean(string(clean.Body)))
		return &clean
	}
	if up, ok := errors.AsType[*responses.UpstreamError](err); ok {
		clean := *up
		clean.Type, clean.Code, clean.Message = s.clean(clean.Type), s.clean(clean.Code), s.clean(clean.Message)
		return &clean
	}
	return err
}

func (s secrets) clean(text string) string {
	for _, secret := range s {
		text = strings.ReplaceAll(text, secret, "[redacted]")
	}
	return text
}
