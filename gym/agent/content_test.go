package agent_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/model"
	"github.com/lensgo/lens/gym/resources/multistep"
	"github.com/lensgo/lens/gym/resources/sessionstate"
	"github.com/lensgo/lens/gym/resources/singletoolcall"
	"github.com/lensgo/lens/gym/responses"
	gymtelemetry "github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/lenstest"
	"github.com/lensgo/lens/semconv"
)

// recordContent is record with content on, or off.
func recordContent(t *testing.T, spec, content string) *lenstest.Recorder {
	t.Helper()
	spans := record(t, spec)
	t.Setenv("NEMO_GYM_OTEL_CONTENT", content)
	h, err := gymtelemetry.Setup(context.Background(), gymtelemetry.Supervisor())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // runs before the cleanups of record and Setenv
		t.Setenv("NEMO_GYM_OTEL_CONTENT", "0")
		if err := h.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		if _, err := gymtelemetry.Setup(context.Background(), gymtelemetry.Supervisor()); err != nil || gymtelemetry.Content() != 0 {
			t.Errorf("content is still on: %v", err)
		}
	})
	return spans
}

// contentOf gives the attributes of a span that hold content, lists and numbers as JSON.
func contentOf(s lenstest.Span) map[string]string {
	out := map[string]string{}
	for key, v := range s.Attrs {
		if !strings.HasPrefix(key, "gen_ai.") && !strings.HasPrefix(key, "nemo.gym.content.") || strings.HasPrefix(key, "gen_ai.usage.") {
			continue
		}
		if text, ok := v.(string); ok {
			out[key] = text
		} else if b, err := json.Marshal(v); err == nil {
			out[key] = string(b)
		}
	}
	return out
}

// TestContent is a rollout with two turns and a tool: who called records, each thing once, on spans of the default groups.
func TestContent(t *testing.T) {
	spans := recordContent(t, "default", "1")
	g := start(t, singletoolcall.Build, turns{calling("get_weather", `{"city":"Oslo","api_key":"k"}`), quoting})
	row := `{"responses_create_params":{"instructions":"Be brief.","input":[{"role":"user","content":"how warm is it?"}],` +
		`"tools":[{"type":"function","name":"get_weather","parameters":{},"strict":true}]}}`
	if _, err := g.run(t.Context(), t, row); err != nil {
		t.Fatal(err)
	}
	g.stop()
	const call = `"arguments":{"city":"Oslo","api_key":"[REDACTED]"}`
	want := []map[string]string{
		{
			semconv.GenAIOperationName: "chat", semconv.GenAIResponseModel: "m", semconv.GenAIResponseFinishReasons: `["tool_call"]`,
			semconv.GenAISystemInstructions: `[{"type":"text","content":"Be brief."}]`,
			semconv.GenAIToolDefinitions:    `[{"type":"function","name":"get_weather"}]`,
			semconv.GenAIInputMessages:      `[{"role":"user","parts":[{"type":"text","content":"how warm is it?"}]}]`,
			semconv.GenAIOutputMessages:     `[{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"get_weather",` + call + `}],"finish_reason":"tool_call"}]`,
			semconv.GymContentRedacted:      "1",
		},
		{
			semconv.GenAIOperationName: "execute_tool", semconv.GenAIToolType: "function", semconv.GenAIToolName: "get_weather", semconv.GenAIToolCallID: "c1",
			semconv.GenAIToolCallArguments: `{"city":"Oslo","api_key":"[REDACTED]"}`, semconv.GymContentRedacted: "1",
		},
		{
			semconv.GenAIOperationName: "chat", semconv.GenAIResponseModel: "m", semconv.GenAIResponseFinishReasons: `["stop"]`, semconv.GymContentEarlier: "2",
		},
	}
	var got []map[string]string
	for _, s := range spans.Spans() {
		if c := contentOf(s); len(c) > 0 {
			if s.Kind != lens.Client {
				t.Errorf("%s, which is no CLIENT span, has %v", s.Name, c)
			}
			got = append(got, c)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d spans have content, want %d: %v", len(got), len(want), got)
	}
	for i, attrs := range want {
		for key, value := range attrs {
			if got[i][key] != value {
				t.Errorf("span %d: %s is\n%s, want\n%s", i, key, got[i][key], value)
			}
		}
	}
	if result := got[1][semconv.GenAIToolCallResult]; !strings.HasPrefix(result, `{"city":"Oslo"`) ||
		!strings.HasPrefix(got[2][semconv.GenAIInputMessages], `[{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":`+result) {
		t.Errorf("the result is %s, and the model is told %s", result, got[2][semconv.GenAIInputMessages])
	}
	if output := got[2][semconv.GenAIOutputMessages]; !strings.HasPrefix(output, `[{"role":"assistant","parts":[{"type":"text","content":"the tool said {`) {
		t.Errorf("the model's last words are %s", output)
	}
	for key := range got[2] {
		if key == semconv.GenAISystemInstructions || key == semconv.GenAIToolDefinitions {
			t.Errorf("%s stands on the second turn too", key)
		}
	}
}

// TestContentOff: without the switch nothing of it is on any span, of any group.
func TestContentOff(t *testing.T) {
	for name, content := range map[string]string{"not_set": "", "off": "0"} {
		t.Run(name, func(t *testing.T) {
			spans := recordContent(t, "all", content)
			g := start(t, multistep.Build, turns{calling("get_synonym_value", `{"synonym":"Arid"}`), quoting})
			row := `{"id":1,"expected_synonyms":["Arid"],"expected_synonym_values":[384],"minefield_label":"Dry","minefield_label_value":303,` + asked + `}`
			if _, err := g.run(t.Context(), t, row); err != nil {
				t.Fatal(err)
			}
			g.stop()
			for _, s := range spans.Spans() {
				if c := contentOf(s); len(c) > 0 {
					t.Errorf("%s has %v", s.Name, c)
				}
			}
		})
	}
}

// TestContentSurvives: what is malformed or fails is recorded as far as it goes, and changes nothing for the rollout.
func TestContentSurvives(t *testing.T) {
	odd := func(input []responses.Item) responses.Item {
		it, err := responses.ParseItem([]byte(`{"type":"hologram_call","id":"h","secret":"s"}`))
		if err != nil {
			t.Error(err)
		}
		return it
	}
	failing := model.ResponderFunc(func(context.Context, *model.Request) (*wire.Reply, error) { return nil, fmt.Errorf("boom") })
	for name, test := range map[string]struct {
		model  model.Responder
		fails  bool
		key    string
		wanted string
	}{
		"not_even_json": {turns{calling("increment_counter", `{"count":`), quoting}, false, semconv.GenAIOutputMessages, `"arguments":"{\"count\":"`},
		"refused":       {turns{calling("increment_counter", `{"count":"x"}`), quoting}, false, semconv.GenAIToolCallResult, "int_parsing"},
		"no_such_tool":  {turns{calling("nope", `[]`), quoting}, false, semconv.GenAIToolCallResult, "Not Found"},
		"not_a_tool":    {turns{calling("verify", `{}`), quoting}, false, semconv.GenAIInputMessages, "Not Found"},
		"model_fails":   {failing, true, semconv.GenAIInputMessages, "do it"},
		"odd_item":      {turns{odd}, true, semconv.GenAIOutputMessages, `{"type":"hologram_call","content":{"type":"hologram_call","id":"h","secret":"[REDACTED]"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			spans := recordContent(t, "default", "true")
			g := start(t, sessionstate.Build, test.model)
			_, err := g.run(t.Context(), t, `{"initial_count":3,"expected_count":3,`+asked+`}`)
			if (err != nil) != test.fails {
				t.Fatal(err)
			}
			g.stop()
			found := false
			for _, s := range spans.Spans() {
				found = found || strings.Contains(contentOf(s)[test.key], test.wanted)
			}
			if !found {
				t.Errorf("no %s has %s", test.key, test.wanted)
			}
		})
	}
}

// TestContentSideBySide: rollouts at the same time do not mix, and each trace holds its own words once.
func TestContentSideBySide(t *testing.T) {
	spans := recordContent(t, "default", "1")
	g := start(t, sessionstate.Build, turns{calling("increment_counter", `{"count":1}`), calling("increment_counter", `{"count":2}`), quoting})
	var group sync.WaitGroup
	const rollouts = 24
	for i := range rollouts {
		group.Go(func() {
			row := fmt.Sprintf(`{"initial_count":%d,"expected_count":%d,"responses_create_params":{"input":"prompt-%02d."}}`, i, i+3, i)
			if reply, err := g.run(t.Context(), t, row); err != nil {
				t.Error(err)
			} else if reward, _ := reply.Float("reward"); reward != 1 {
				t.Errorf("rollout %d: reward %v", i, reward)
			}
		})
	}
	group.Wait()
	g.stop()
	inputs := map[[16]byte]string{}
	for _, s := range spans.Spans() {
		inputs[s.Ref.TraceID] += contentOf(s)[semconv.GenAIInputMessages]
	}
	for i := range rollouts {
		in, words := 0, fmt.Sprintf("prompt-%02d.", i)
		for _, text := range inputs {
			if n := strings.Count(text, words); n == 1 && strings.Count(text, "prompt-") == 1 {
				in++
			}
		}
		if in != 1 {
			t.Errorf("%s stands alone and once in %d traces, want 1", words, in)
		}
	}
}
