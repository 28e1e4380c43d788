package multistep

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/config"
)

func TestServer(t *testing.T) {
	server, err := Build(&config.Instance{Name: "multi"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer := func(list string) string {
		return `{"id":"r","created_at":1,"model":"m","object":"response","parallel_tool_calls":false,"tool_choice":"auto","tools":[],` +
			`"output":[{"type":"function_call","call_id":"c","name":"extract_synonym_values","arguments":"{\"synonym_values\":` + list + `}"}]}`
	}
	row := `"id":1,"expected_synonyms":["Arid","Coarse"],"expected_synonym_values":[384,605],"minefield_label":"Dry","minefield_label_value":303,"responses_create_params":{"input":"q"}`
	tests := map[string]struct {
		path, body string
		status     int
		want       string
	}{
		"value":         {"/get_synonym_value", `{"synonym":"Warm"}`, 200, `{"synonym_value":407}`},
		"extract":       {"/extract_synonym_values", `{"synonym_values":[1,2]}`, 200, `{"success":true}`},
		"extract_wrong": {"/extract_synonym_values", `{"synonym_values":["x"]}`, 422, `"loc":["body","synonym_values",0]`},
		"right": {"/verify", `{` + row + `,"response":` + answer("[384,605]") + `}`, 200,
			`"reward":1,"parsed_synonym_values":[384,605],"accuracy":true,"set_overlap":1,"original_term_minefield_hit":false,"order_instruction_following_failure":false}`},
		"wrong": {"/verify", `{` + row + `,"response":` + answer("[605,384]") + `}`, 200,
			`"reward":0,"parsed_synonym_values":[605,384],"accuracy":false,"set_overlap":1,"original_term_minefield_hit":false,"order_instruction_following_failure":true}`},
		"row_extras_missing": {"/verify", `{"responses_create_params":{"input":"q"},"response":` + answer("[]") + `}`, 422,
			`"loc":["body","expected_synonym_values"]`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			server.ServeHTTP(w, httptest.NewRequest("POST", test.path, strings.NewReader(test.body)))
			if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("got %d %s\nwant %d with %s", w.Code, w.Body, test.status, test.want)
			}
		})
	}
}
