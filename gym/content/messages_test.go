package content

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
)

const bound = 64 << 10

func itemsOf(t testing.TB, list string) []responses.Item {
	t.Helper()
	o, err := responses.ParseObject([]byte(`{"input":` + list + `}`))
	if err != nil {
		t.Fatal(err)
	}
	items, err := responses.CreateParams{Object: o}.Input()
	if err != nil {
		t.Fatal(err)
	}
	return items
}

// written is what becomes of a list of items.
func written(t testing.TB, list string, bound int) (string, *messages) {
	t.Helper()
	m := newMessages(bound)
	for _, it := range itemsOf(t, list) {
		m.add(it, false)
	}
	return m.finish(""), m
}

func TestMessages(t *testing.T) {
	tests := map[string]struct{ items, want string }{
		"a_string_is_the_user": {`"hi"`, `[{"role":"user","parts":[{"type":"text","content":"hi"}]}]`},
		"roles_as_they_come": {`[{"role":"developer","content":"be brief"},{"role":"system","content":"s"},{"role":"user","content":"hi"}]`,
			`[{"role":"developer","parts":[{"type":"text","content":"be brief"}]},{"role":"system","parts":[{"type":"text","content":"s"}]},` +
				`{"role":"user","parts":[{"type":"text","content":"hi"}]}]`},
		"two_of_the_same_role_are_two": {`[{"role":"user","content":"a"},{"role":"user","content":"b"}]`,
			`[{"role":"user","parts":[{"type":"text","content":"a"}]},{"role":"user","parts":[{"type":"text","content":"b"}]}]`},
		"parts": {`[{"role":"user","content":[{"type":"input_text","text":"a"},{"type":"text","text":"b"}]}]`,
			`[{"role":"user","parts":[{"type":"text","content":"a"},{"type":"text","content":"b"}]}]`},
		"a_turn_is_one_message": {`[{"type":"reasoning","summary":[{"type":"summary_text","text":"think"}],"encrypted_content":"xxx"},` +
			`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"let me see","annotations":[]}]},` +
			`{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\": 1.50}"},{"type":"function_call","call_id":"c2","name":"g","arguments":"[]"}]`,
			`[{"role":"assistant","parts":[{"type":"reasoning","content":"think"},{"type":"text","content":"let me see"},` +
				`{"type":"tool_call","id":"c1","name":"f","arguments":{"a":1.50}},{"type":"tool_call","id":"c2","name":"g","arguments":[]}]}]`},
		"results_are_json_or_text": {`[{"type":"function_call_output","call_id":"c1","output":"{\"ok\":true}"},{"type":"function_call_output","call_id":"c2","output":"rainy"},` +
			`{"type":"function_call_output","call_id":"c3","output":[{"type":"input_text","text":"x"}]},{"type":"function_call_output","call_id":"c4","output":"17"}]`,
			`[{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":{"ok":true}}]},{"role":"tool","parts":[{"type":"tool_call_response","id":"c2","response":"rainy"}]},` +
				`{"role":"tool","parts":[{"type":"tool_call_response","id":"c3","response":[{"type":"input_text","text":"x"}]}]},` +
				`{"role":"tool","parts":[{"type":"tool_call_response","id":"c4","response":"17"}]}]`},
		"malformed_arguments_are_text": {`[{"type":"function_call","call_id":"c","name":"f","arguments":"{\"a\": tru"},{"type":"function_call","name":"f","arguments":"{} {}"},{"type":"function_call"}]`,
			`[{"role":"assistant","parts":[{"type":"tool_call","id":"c","name":"f","arguments":"{\"a\": tru"},` +
				`{"type":"tool_call","id":"","name":"f","arguments":"{} {}"},{"type":"tool_call","id":"","name":"","arguments":null}]}]`},
		"refusal":           {`[{"role":"assistant","content":[{"type":"refusal","refusal":"no"}]}]`, `[{"role":"assistant","parts":[{"type":"refusal","content":"no"}]}]`},
		"reasoning_content": {`[{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"t"},7]}]`, `[{"role":"assistant","parts":[{"type":"reasoning","content":"t"}]}]`},
		"encrypted_only":    {`[{"type":"reasoning","summary":[],"encrypted_content":"xxx"}]`, `[]`},
		"media": {`[{"role":"user","content":[{"type":"input_image","image_url":"https://x/y.png"},{"type":"input_image","image_url":"data:image/png;base64,AAAA"},{"type":"input_file","file_id":"f1"}]}]`,
			`[{"role":"user","parts":[{"type":"uri","modality":"image","uri":"https://x/y.png"},{"type":"blob","modality":"image","mime_type":"image/png","content":""},` +
				`{"type":"file","modality":"document","file_id":"f1"}]}]`},
		"unknown_item": {`[{"type":"web_search_call","id":"w","query":"q"},{"type":"shell_output","text":"x"},{"odd":1}]`,
			`[{"role":"assistant","parts":[{"type":"web_search_call","content":{"type":"web_search_call","id":"w","query":"q"}}]},` +
				`{"role":"tool","parts":[{"type":"shell_output","content":{"type":"shell_output","text":"x"}}]},{"role":"assistant","parts":[{"type":"unknown","content":{"odd":1}}]}]`},
		"unknown_part": {`[{"role":"user","content":[{"type":"hologram","x":1},"bare",{"type":"input_text","text":7}]}]`,
			`[{"role":"user","parts":[{"type":"hologram","content":{"type":"hologram","x":1}},{"type":"text","content":"bare"},{"type":"blob","modality":"text","content":""}]}]`},
		"strange_texts": {`[{"role":"user","content":"a\ud83d\ude00\u00e9\n\"\\"},{"role":"user","content":null},{"role":"user","content":""}]`,
			`[{"role":"user","parts":[{"type":"text","content":"a😀é\n\"\\"}]},{"role":"user","parts":[{"type":"text","content":""}]}]`},
		"credentials": {`[{"type":"function_call","call_id":"c","name":"f","arguments":"{\"api_key\":\"k\",\"max_tokens\":5,\"deep\":[{\"Password\":{\"x\":1},\"note\":\"use sk-abcdefghijklmnop1234 now\"}]}"}]`,
			`[{"role":"assistant","parts":[{"type":"tool_call","id":"c","name":"f","arguments":{"api_key":"[REDACTED]","max_tokens":5,"deep":[{"Password":"[REDACTED]","note":"use [REDACTED] now"}]}}]}]`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got, _ := written(t, test.items, bound); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// TestBound: an attribute keeps to its bound, stays JSON and says what is missing.
func TestBound(t *testing.T) {
	long := strings.Repeat("wört ", 3000)
	tests := map[string]string{
		"many_messages":  "[" + strings.Repeat(`{"role":"user","content":"`+strings.Repeat("x", 900)+`"},`, 99) + `{"role":"user","content":"last"}]`,
		"one_long_turn":  "[" + strings.Repeat(`{"type":"function_call","call_id":"c","name":"f","arguments":"{\"a\":[`+strings.Repeat("1,", 400)+`1]}"},`, 99) + `{"role":"assistant","content":"last"}]`,
		"a_wide_value":   `[{"type":"function_call_output","call_id":"c","output":"[` + strings.Repeat(`{\"a\":1},`, 20000) + `{}]"},{"role":"user","content":"x"}]`,
		"a_deep_value":   `[{"type":"function_call_output","call_id":"c","output":"` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `"}]`,
		"a_huge_value":   `[{"type":"function_call_output","call_id":"c","output":"[` + strings.Repeat("1,", 300<<10) + `1]"}]`,
		"a_long_text":    `[{"role":"user","content":"` + long + `"}]`,
		"control_bytes":  `[{"role":"user","content":"` + strings.Repeat(`\u0001`, 30000) + `"},{"role":"user","content":"x"}]`,
		"a_long_name":    `[{"type":"function_call","call_id":"c","name":"` + long + `","arguments":"{}"}]`,
		"a_long_role":    `[{"role":"` + strings.Repeat(`\u0001`, 3000) + `","content":"x"}]`,
		"an_image":       `[{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,` + strings.Repeat("A", 1<<20) + `"}]}]`,
		"a_long_unknown": `[{"type":"odd","text":"` + long + `"}]`,
	}
	for name, items := range tests {
		for _, bound := range []int{2 << 10, 16 << 10, bound} {
			t.Run(name, func(t *testing.T) {
				got, m := written(t, items, bound)
				if len(got) > bound {
					t.Errorf("%d bytes, want at most %d", len(got), bound)
				}
				if !jsontext.Value(got).IsValid() {
					t.Errorf("not JSON: %.300s … %s", got, got[max(0, len(got)-300):])
				}
				if marked := strings.Contains(got, "…[cut "); !marked && len(items) > bound && name != "an_image" && name != "a_long_role" || marked && m.cut == 0 {
					t.Errorf("cut %d bytes, marked %v: %.300s", m.cut, marked, got)
				}
			})
		}
	}
}

// TestCutText: a text ends at a character, and its mark counts what is missing.
func TestCutText(t *testing.T) {
	for name, text := range map[string]string{
		"ascii": strings.Repeat("a", MaxText+1), "umlauts": strings.Repeat("ö", MaxText), "offset": "a" + strings.Repeat("ö", MaxText),
		"euro": strings.Repeat("€", MaxText), "emoji": strings.Repeat("😀", MaxText), "offset emoji": "abc" + strings.Repeat("😀", MaxText),
	} {
		t.Run(name, func(t *testing.T) {
			var l losses
			got := l.clean(excerptOf(text))
			kept, _, ok := strings.Cut(got, "…[cut ")
			if !ok || !strings.HasPrefix(text, kept) || len(kept) > MaxText || len(kept) < MaxText-3 || l.cut != len(text)-len(kept) {
				t.Errorf("kept %d of %d bytes, cut %d: …%q", len(kept), len(text), l.cut, got[len(got)-40:])
			}
			if !strings.HasSuffix(got, markOf(len(text)-len(kept))) {
				t.Errorf("the mark is wrong: %q", got[len(got)-40:])
			}
			quoted, _ := jsontext.AppendQuote(nil, text)
			var again losses
			if fromJSON := again.clean(excerptOfJSON(quoted)); fromJSON != got || again != l {
				t.Errorf("as JSON it is …%q", fromJSON[len(fromJSON)-40:])
			}
			escaped := []byte{'"'}
			for _, r := range text {
				escaped = append(escaped, escapes(r)...)
			}
			var third losses
			if fromEscapes := third.clean(excerptOfJSON(append(escaped, '"'))); fromEscapes != got || third != l {
				t.Errorf("escaped it is …%q", fromEscapes[max(0, len(fromEscapes)-40):])
			}
		})
	}
	var l losses
	if got := l.clean(excerptOf(strings.Repeat("a", MaxText))); len(got) != MaxText || l.cut != 0 {
		t.Errorf("a text that just fits was cut by %d", l.cut)
	}
}

func escapes(r rune) string {
	const hex = "0123456789abcdef"
	u := func(c rune) string {
		return `\u` + string([]byte{hex[c>>12&15], hex[c>>8&15], hex[c>>4&15], hex[c&15]})
	}
	if r > 0xffff {
		r -= 0x10000
		return u(0xD800+r>>10) + u(0xDC00+r&0x3ff)
	}
	return u(r)
}

// TestSecretAtTheCut: half a credential is one too.
func TestSecretAtTheCut(t *testing.T) {
	for _, before := range []int{MaxText - 3, MaxText - 12, MaxText - 40, MaxText - 60} {
		var l losses
		got := l.clean(excerptOf(strings.Repeat(".", before) + " sk-Abcdefghijklmnop0123456789Abcdefghijklmnop " + strings.Repeat("x", 4000)))
		if strings.Contains(got, "sk-A") || l.redacted != 1 {
			t.Errorf("%d: …%q", before, got[before-5:])
		}
	}
}

func FuzzMessages(f *testing.F) {
	for _, seed := range []string{
		`"hi"`, `[]`, `[{"role":"user","content":[{"type":"input_text","text":"a\ud800"}]}]`,
		`[{"type":"function_call","call_id":"c","name":"f","arguments":"{\"token\":[1,{\"a\":null}],\"x\":\"Bearer abcdef0123\"}"}]`,
		`[{"type":"function_call_output","call_id":"c","output":"[[[[[[]]]]]"},{"type":"reasoning","summary":[{"text":"x"}]},{"type":"odd"}]`,
		`[{"role":"user","content":[{"type":"input_image","image_url":"data:;"},{"type":"input_file","file_id":1},{"type":"refusal","refusal":{}}]}]`,
	} {
		f.Add(seed, 2<<10, true)
	}
	f.Fuzz(func(t *testing.T, list string, bound int, said bool) {
		bound = 2<<10 + max(bound, 0)%(62<<10)
		o, err := responses.ParseObject([]byte(`{"input":` + list + `}`))
		if err != nil {
			return
		}
		items, err := responses.CreateParams{Object: o}.Input()
		if err != nil {
			return
		}
		m := newMessages(bound)
		for _, it := range items {
			m.add(it, said)
		}
		got := m.finish("stop")
		if len(got) > bound || m.cut < 0 || m.redacted < 0 {
			t.Errorf("%d bytes of %d, %+v", len(got), bound, m.losses)
		}
		if !jsontext.Value(got).IsValid(jsontext.AllowDuplicateNames(true)) {
			t.Errorf("%s became %s", list, got)
		}
		if strings.Count(got, `"role":`) < m.count {
			t.Errorf("%d messages in %s", m.count, got)
		}
	})
}
