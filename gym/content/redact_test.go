package content

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens"
)

func TestRedact(t *testing.T) {
	const secret = "Zx9secretZx9"
	hidden := map[string]string{
		"bearer":             "Authorization: Bearer Zx9secretZx9.payload",
		"bearer in prose":    "send bearer Zx9secretZx9 with it",
		"basic":              "basic dXNlcjpaeDlzZWNyZXRaeDk= Zx9secretZx9"[:33],
		"openai":             "my key is sk-proj-Zx9secretZx9-abcdefgh, keep it",
		"openai in quotes":   `"sk-Zx9secretZx9abcdefgh"`,
		"github":             "ghp_Zx9secretZx9abcdefghijkl",
		"github fine":        "github_pat_11AAZx9secretZx9abcdefghijkl",
		"aws":                "AKIAZX9SECRETZX9AB00",
		"slack":              "xoxb-123456789012-Zx9secretZx9",
		"google":             "AIzaSyZx9secretZx9abcdefghijklmnopqrst",
		"hugging face":       "hf_Zx9secretZx9abcdefghij",
		"nvidia":             "nvapi-Zx9secretZx9abcdefghij",
		"web token":          "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJaeDlzZWNyZXQifQ.Zx9secretZx9",
		"url":                "git clone https://me:Zx9secretZx9@example.com/x.git",
		"url without user":   "redis://:Zx9secretZx9@cache:6379/0",
		"assignment":         "export OPENAI_API_KEY=Zx9secretZx9",
		"assignment, quoted": `api-key = "Zx9secretZx9"`,
		"yaml":               "password: Zx9secretZx9",
		"python":             "login(password='Zx9secretZx9')",
		"json in text":       `the body was {"access_token": "Zx9secretZx9", "x": 1}`,
		"escaped json":       `"{\"client_secret\":\"Zx9secretZx9\"}"`,
		"escaped quote":      `{"secret":"ab\"Zx9secretZx9"}`,
		"header, two words":  "proxy-authorization: token Zx9secretZx9",
		"cookie":             "Set-Cookie: a=b; session=Zx9secretZx9",
		"query":              "https://x/y?token=Zx9secretZx9&z=1",
		"pem":                "-----BEGIN RSA PRIVATE KEY-----\nZx9secretZx9\n-----END RSA PRIVATE KEY----- bye",
		"pem without an end": "-----BEGIN PRIVATE KEY-----\nZx9secretZx9",
	}
	for name, text := range hidden {
		got, n := Redact(text)
		if n == 0 || strings.Contains(got, secret) || strings.Contains(got, "ZX9SECRET") || !strings.Contains(got, redacted) {
			t.Errorf("%s: %q became %q (%d)", name, text, got, n)
		}
		if again, n := Redact(got); again != got || n != 0 {
			t.Errorf("%s: a second time it is %q after %q", name, again, got)
		}
	}
	for _, text := range []string{
		"", "The bearer of this letter", "basic arithmetic", "Use sk-learn-documentation-pages today", "a task-force of sixteen members",
		"max_tokens: 512, total_tokens=1024", "https://example.com/a?b=c", "mailto:me@example.com", "see http://[::1]:80/@here",
		"password:\nnext line", `{"token":null,"secret":true,"password":""}`, "eyJ is how they begin", "hf_hub_download(repo_id)", "-----BEGIN CERTIFICATE-----",
		"What is the key to success: work", "12:30 = half past twelve", "sk-", "tokenizer: fast", "Zeit: 12:00 Uhr, 20 € = teuer",
	} {
		if got, n := Redact(text); got != text || n != 0 {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// TestCredentialKeys: what lens never writes under a key is not written under it here, but for the words that name content.
func TestCredentialKeys(t *testing.T) {
	words := map[string]bool{"input_text": true, "key": true, "output_text": true, "prompt": true, "text": true}
	for _, key := range lens.RedactKeys() {
		if got := isCredential(key); got == words[key] {
			t.Errorf("%s: %v", key, got)
		}
	}
	for key, want := range map[string]bool{
		"X-Api-Key": true, "apiKey": true, "OPENAI_API_KEY": true, "accessToken": true, "AUTHORIZATION": true, "db_password": true, "my secret": true,
		strings.Repeat("x", 500) + "_token": true, "max_tokens": false, "tokens": false, "secretary": false, "": false, "-": false, "authorization_url": false, "keyboard": false,
	} {
		if got := isCredential(key); got != want {
			t.Errorf("%q: %v, want %v", key, got, want)
		}
	}
	for _, key := range CredentialKeys() {
		if !isCredential(key) || strings.ToLower(key) != key {
			t.Errorf("%q is listed and is none", key)
		}
	}
}

// TestRedactJSON: numbers, lists and objects under such a key are credentials too.
func TestRedactJSON(t *testing.T) {
	var l losses
	out, ok := l.appendJSON(nil, []byte(`{"token":[1,{"a":"b"}],"password":1234,"secret":null,"x":{"api_key":false,"cookie":{}},"list":["sk-abcdefghijklmnop1234",1e400]}`), bound)
	want := `{"token":"[REDACTED]","password":"[REDACTED]","secret":null,"x":{"api_key":false,"cookie":"[REDACTED]"},"list":["[REDACTED]",1e400]}`
	if string(out) != want || !ok || l.redacted != 4 {
		t.Errorf("got %s (%d)\nwant %s", out, l.redacted, want)
	}
	for _, bad := range []string{"", "7", `"x"`, `{"a":1`, `{"a":1} x`, `{"token":{`, "[1,]", `{"a"}`} {
		before := l
		if out, ok := l.appendJSON([]byte("x"), []byte(bad), bound); ok || string(out) != "x" || l != before {
			t.Errorf("%q became %q", bad, out)
		}
	}
}

// TestRedactCost: nothing that a text may hold makes it slow. Sixteen times the text takes about sixteen times the time; what is
// quadratic takes 256 times.
func TestRedactCost(t *testing.T) {
	for name, part := range map[string]string{
		"prefixes": "sk-", "schemes": "bearer ", "keys": "token:", "equals": "=", "quotes": `token:"\"`, "urls": "://", "pem": "-----BEGIN ", "names": "a_token-",
	} {
		small, large := strings.Repeat(part, 8<<10/len(part)), strings.Repeat(part, 128<<10/len(part))
		if a, b, ok := costs(small, large); !ok {
			t.Errorf("%s: 8 KiB took %v, 128 KiB %v", name, a, b)
		}
	}
}

// costs are the least times of two texts, tried until they are in proportion: other work on the machine makes any try longer, never
// shorter, and what is quadratic stays out of proportion however often it is tried.
func costs(small, large string) (a, b time.Duration, ok bool) {
	a, b = time.Hour, time.Hour
	for try := 0; try < 100 && (try < 5 || !ok); try++ {
		a, b = min(a, cost(small)), min(b, cost(large))
		ok = b <= 100*max(a, 20*time.Microsecond)
	}
	return a, b, ok
}

func cost(text string) time.Duration {
	began := time.Now()
	Redact(text)
	return time.Since(began)
}

func FuzzRedact(f *testing.F) {
	for _, seed := range []string{"Authorization: Bearer abcdef0123", `{"token":"x\"y"}`, "sk-abcdefghijklmnop1", "://a@b", "-----BEGIN PRIVATE KEY-----", `token='`, `\"secret\":\"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, n := Redact(text)
		if n == 0 != (got == text) && !strings.Contains(text, redacted) || strings.Count(got, redacted) < n {
			t.Errorf("%q became %q (%d)", text, got, n)
		}
		var l losses
		quoted, _ := jsontext.AppendQuote(nil, text)
		if clean := l.clean(excerptOfJSON(quoted)); len(clean) > MaxText+markRoom {
			t.Errorf("%d bytes", len(clean))
		}
		if out, ok := l.appendJSON(nil, []byte(text), 2<<10); ok && (len(out) > 2<<10 || !jsontext.Value(out).IsValid(jsontext.AllowDuplicateNames(true))) {
			t.Errorf("%q became %s", text, out)
		}
	})
}
