package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIsSecret(t *testing.T) {
	for key, want := range map[string]bool{
		"api_key": true, "policy_api_key": true, "openai_api_key": true, "OPENAI-API-KEY": true, "apikey": true, "myapi_key": true, "hf_token": true, "token": true,
		"client_secret": true, "password": true, "db_password": true, "default_headers": true, "openai_default_headers": true,
		"otlp_headers": true, "Authorization": true, "aws_access_key": true,
		"max_tokens": false, "max_output_tokens": false, "return_token_id_information": false, "token_id_capture": false, "key": false, "model": false,
		"keyboard": false, "secretary": false, "": false,
	} {
		if got := IsSecret(key); got != want {
			t.Errorf("%s: %v", key, got)
		}
	}
}

const secrets = `policy_api_key: sk-0123456789
hf_token: ""
unset_token: null
max_tokens: 5
telemetry:
  otlp_headers: authorization=Bearer otlp-0123456789
url: https://user:pw-0123456789@host:1/v1
m:
  responses_api_models:
    openai_model:
      entrypoint: app.py
      openai_api_key: ${policy_api_key}
      openai_default_headers: {X-Org: org-0123456789, Cookie: [a, 7]}
      extra_body:
        note: the key is ${policy_api_key}, keep it
        password: 12345
        nested: {token: {a: t-0123456789}}
`

// Nothing that is printed holds a secret, under whatever key its text stands; the graph itself is not changed.
func TestRedacted(t *testing.T) {
	write(t, map[string]string{"a.yaml": secrets})
	g := mustLoad(t, Overrides{}, "a.yaml")
	before, _ := g.Encode()
	shown := g.Redacted()
	encoded, err := shown.Encode()
	if err != nil {
		t.Fatal(err)
	}
	settings := string(shown.Instance("m").Settings)
	for place, text := range map[string]string{
		"YAML": string(shown.YAML()), "annotated": string(shown.AnnotatedYAML()), "JSON": string(shown.JSON()),
		"Encode": string(encoded), "settings": settings, "value": string(shown.Value("policy_api_key")) + string(shown.Telemetry()),
	} {
		for _, secret := range []string{"0123456789", "12345", "org-"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s holds %s:\n%s", place, secret, text)
			}
		}
	}
	want := `{"entrypoint":"app.py","openai_api_key":"***","openai_default_headers":{"X-Org":"***","Cookie":["***","***"]},` +
		`"extra_body":{"note":"the key is ***, keep it","password":"***","nested":{"token":{"a":"***"}}},"host":"127.0.0.1","port":0}`
	if diff := cmp.Diff(want, strings.Replace(settings, `"host":"127.0.0.1"}`, `"host":"127.0.0.1","port":0}`, 1)); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	for _, kept := range []string{"hf_token: \"\"\n", "unset_token: null\n", "max_tokens: 5\n", `url: "https://user:***@host:1/v1"`} {
		if !strings.Contains(string(shown.YAML()), kept) {
			t.Errorf("no %q in\n%s", kept, shown.YAML())
		}
	}
	if after, _ := g.Encode(); string(after) != string(before) {
		t.Errorf("the graph was changed:\n%s\n%s", before, after)
	}
	if (*Graph)(nil).Redacted() != nil {
		t.Error("nil is no longer nil")
	}
}
