package multireward

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/config"
)

const tools = `"tools":[{"type":"function","name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"},"unit":{"type":"string"}},"required":["city"]}}]`

// post sends a request to a new server.
func post(t *testing.T, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	server, err := Build(&config.Instance{Name: "multi"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	server.ServeHTTP(w, httptest.NewRequest("POST", path, strings.NewReader(body)))
	return w
}

// body is a rollout with these items that was to make that call.
func body(expected string, items ...string) string {
	return `{"expected_call":` + expected + `,"responses_create_params":{"input":"q",` + tools + `},"response":{"id":"r","created_at":1,"model":"m",` +
		`"object":"response","parallel_tool_calls":false,"tool_choice":"auto","tools":[],"output":[` + strings.Join(items, ",") + `]}}`
}

func functionCall(name, arguments string) string {
	quoted, _ := json.Marshal(arguments)
	return `{"type":"function_call","call_id":"c","name":"` + name + `","arguments":` + string(quoted) + `}`
}

func TestVerify(t *testing.T) {
	const (
		bern    = `{"name":"get_weather","arguments":{"city":"Bern"}}`
		message = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"It rains."}]}`
		output  = `{"type":"function_call_output","call_id":"c","output":"{}"}`
	)
	right := functionCall("get_weather", `{"city":"Bern"}`)
	tests := map[string]struct {
		expected string
		items    []string
		want     string // correctness, schema_valid, format
	}{
		"all":                    {bern, []string{right, output}, "1 1 1"},
		"further_arguments":      {bern, []string{functionCall("get_weather", `{"unit":"C","city":"Bern"}`)}, "1 1 1"},
		"wrong_city":             {bern, []string{functionCall("get_weather", `{"city":"Rome"}`)}, "0 1 1"},
		"wrong_tool":             {bern, []string{functionCall("get_time", `{"city":"Bern"}`)}, "0 1 1"},
		"required_is_missing":    {bern, []string{functionCall("get_weather", `{"unit":"C"}`)}, "0 0 1"},
		"no_object":              {bern, []string{functionCall("get_weather", `["Bern"]`)}, "0 0 1"},
		"null":                   {bern, []string{functionCall("get_weather", `null`)}, "0 0 1"},
		"no_json":                {bern, []string{functionCall("get_weather", `{"city":`)}, "0 0 1"},
		"names_twice":            {bern, []string{functionCall("get_weather", `{"city":"Rome","city":"Bern"}`)}, "1 1 1"},
		"chatty":                 {bern, []string{right, output, message}, "1 1 0"},
		"twice":                  {bern, []string{functionCall("get_weather", `{`), right}, "1 0 0"},
		"only_talk":              {bern, []string{message}, "0 0 0"},
		"nothing":                {bern, nil, "0 0 0"},
		"nothing_expected":       {`{}`, []string{right}, "0 1 1"},
		"any_arguments_expected": {`{"name":"get_weather","arguments":null}`, []string{right}, "1 1 1"},
		"absent_counts_as_null":  {`{"name":"get_weather","arguments":{"unit":null}}`, []string{right}, "1 1 1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := post(t, "/verify", body(test.expected, test.items...))
			c := strings.Fields(test.want)
			sum := strings.Count(test.want, "1")
			parts := `"correctness":` + c[0] + `,"schema_valid":` + c[1] + `,"format":` + c[2]
			want := `"reward":` + string(rune('0'+sum)) + `,"reward_components":{` + parts + `},` + parts + `,"predicted_calls":[`
			if w.Code != 200 || !strings.Contains(w.Body.String(), want) {
				t.Errorf("got %d %s\nwant %s", w.Code, w.Body, want)
			}
		})
	}
	if w := post(t, "/verify", body(bern, right, functionCall("x", "?"))); !strings.HasSuffix(w.Body.String(),
		`"predicted_calls":[{"name":"get_weather","arguments":{"city":"Bern"}},{"name":"x","arguments":{}}]}`) {
		t.Errorf("got %s", w.Body)
	}
	if w := post(t, "/verify", body(`{"name":"x","arguments":[1]}`, right)); w.Code != 422 || !strings.Contains(w.Body.String(), `"loc":["body","expected_call","arguments"]`) {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if w := post(t, "/get_weather", `{"city":"Bern"}`); w.Body.String() != `{"city":"Bern","weather_description":"It rains in Bern today."}` {
		t.Errorf("got %s", w.Body)
	}
}

func TestEqual(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{`1`, `1.0`, true}, {`1`, `true`, true}, {`0`, `false`, true}, {`2`, `true`, false}, {`1`, `"1"`, false},
		{`9007199254740993`, `9007199254740992`, false}, {`9007199254740993`, `9007199254740993`, true},
		{`"a"`, `"\u0061"`, true}, {`"a"`, `"b"`, false}, {`null`, `null`, true}, {`null`, `false`, false},
		{`[1,2]`, `[1, 2.0]`, true}, {`[1,2]`, `[2,1]`, false}, {`[1]`, `[1,2]`, false},
		{`{"a":1,"b":[true]}`, `{"b":[1],"a":1}`, true}, {`{"a":1}`, `{"a":1,"b":2}`, false}, {`{"a":1}`, `{"b":1}`, false},
	} {
		for _, ab := range [][2]string{{test.a, test.b}, {test.b, test.a}} {
			if got := equal(jsontext.Value(ab[0]), jsontext.Value(ab[1])); got != test.want {
				t.Errorf("%s equals %s: %v", ab[0], ab[1], got)
			}
		}
	}
}
