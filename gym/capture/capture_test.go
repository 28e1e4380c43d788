package capture_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lensgo/lens/gym/capture"
	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/responses"
)

const (
	responsesAnswer = `{"id":"resp_1","model":"up","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[` +
		`{"type":"reasoning","summary":[{"type":"summary_text","text":"why"}]},{"type":"function_call","call_id":"c1","name":"look","arguments":"{\"n\":9223372036854775807}"}],` +
		`"usage":{"input_tokens":3,"output_tokens":2,"total_tokens":5,"input_tokens_details":{"cached_tokens":1},"output_tokens_details":{"reasoning_tokens":1}}}`
	chatAnswer = `{"id":"chat_1","model":"up","choices":[{"finish_reason":"tool_calls","message":{"reasoning":"because","tool_calls":[{"id":"c2","function":{"name":"look","arguments":"{not json"}}]}}],` +
		`"usage":{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30}}`
	messagesAnswer = `{"id":"msg_1","content":[{"type":"thinking","thinking":"hm"},{"type":"tool_use","id":"c3","name":"look","input":{"a":1.0}}],"stop_reason":"tool_use",` +
		`"usage":{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":100,"cache_creation_input_tokens":10}}`
)

func recorder(t *testing.T) (folder string, r *capture.Recorder) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "captures")
	r, err := capture.NewRecorder(folder, "policy", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return folder, r
}

func read(t *testing.T, folder, id string) capture.Rollout {
	t.Helper()
	r, err := capture.Read(folder, id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRecord(t *testing.T) {
	folder, r := recorder(t)
	began := time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC)
	r.Record("3-1", capture.Call{Dialect: "responses", Started: began, Took: 1234567 * time.Microsecond, Status: 200,
		Request: []byte("{\n \"model\": \"mine\",\n \"ids\": [12345678901234567890, 1.0]}"), Response: []byte(responsesAnswer)})
	r.Record("3-1", capture.Call{Dialect: "chat", Started: began, Took: time.Millisecond, FirstByte: time.Millisecond, Status: 429, Error: capture.RateLimit,
		Request: []byte(`no JSON`), Response: []byte("slow down")})
	r.Record("3-1", capture.Call{Dialect: "messages", Started: began, Error: capture.Cancelled})
	text, err := os.ReadFile(filepath.Join(folder, "3-1.capture.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	wants := []string{
		`"dialect":"responses","model_ref":{"type":"responses_api_models","name":"policy"},"started_at":1767323045.678000,"completed_at":1767323046.912567,` +
			`"latency_ms":1234.57,"latency_ttft_ms":null,"status_code":200,"error_category":null,"request":{"model":"mine","ids":[12345678901234567890,1.0]},"response":` + responsesAnswer + `}`,
		`"dialect":"chat","model_ref":{"type":"responses_api_models","name":"policy"},"started_at":1767323045.678000,"completed_at":1767323045.679000,` +
			`"latency_ms":1,"latency_ttft_ms":1,"status_code":429,"error_category":"rate_limit","request":null,"request_raw":"no JSON","response":null,"response_raw":"slow down"}`,
		`"dialect":"messages","model_ref":{"type":"responses_api_models","name":"policy"},"started_at":1767323045.678000,"completed_at":1767323045.678000,` +
			`"latency_ms":0,"latency_ttft_ms":null,"status_code":null,"error_category":"cancelled","request":null,"response":null}`,
	}
	if len(lines) != len(wants) {
		t.Fatalf("got %d lines: %s", len(lines), text)
	}
	seen := map[string]bool{}
	for i, want := range wants {
		id, rest, _ := strings.Cut(strings.TrimPrefix(lines[i], `{"model_call_id":"`), `",`)
		if len(id) != 32 || seen[id] || rest != want {
			t.Errorf("line %d:\n %s\nwant after the id\n %s", i, lines[i], want)
		}
		seen[id] = true
	}
	if calls := read(t, folder, "3-1").Calls; len(calls) != 3 || *calls[1].RequestRaw != "no JSON" || *calls[1].Error != "rate_limit" {
		t.Errorf("read back %+v", calls)
	}
	if calls := read(t, folder, "3-2").Calls; len(calls) != 0 {
		t.Errorf("another rollout has %+v", calls)
	}
	if _, err := capture.Read(folder, "../3-1"); err == nil {
		t.Error("a path is taken for a rollout")
	}
}

func TestRecord_torn_line(t *testing.T) {
	folder, r := recorder(t)
	path := filepath.Join(folder, "0-0.capture.jsonl")
	if err := os.WriteFile(path, []byte(`{"model_call_id":"torn","resp`), 0o600); err != nil {
		t.Fatal(err)
	}
	r.Record("0-0", capture.Call{Dialect: "chat", Status: 200, Response: []byte(chatAnswer)})
	got := read(t, folder, "0-0")
	if got.Damaged != 1 || len(got.Calls) != 1 || *got.Calls[0].ResponseID != "chat_1" || got.Calls[0].Index != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestRecord_cannot_write(t *testing.T) {
	folder, r := recorder(t)
	if err := os.Mkdir(filepath.Join(folder, "0-0.capture.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.Record("0-0", capture.Call{Dialect: "chat"})
	if err := os.Remove(filepath.Join(folder, "0-0.capture.jsonl")); err != nil {
		t.Fatal(err)
	}
	if got := read(t, folder, "0-0"); !got.Incomplete || len(got.Gaps()) != 1 || got.Gaps()[0].Code != "model_call_capture_incomplete" {
		t.Errorf("got %+v", got)
	}
}

func TestRecord_from_several_at_once(t *testing.T) {
	folder, _ := recorder(t)
	var group sync.WaitGroup
	for range 4 {
		r, err := capture.NewRecorder(folder, "policy", nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			group.Go(func() {
				for range 8 {
					r.Record("0-0", capture.Call{Dialect: "chat", Response: []byte(chatAnswer)})
				}
			})
		}
	}
	group.Wait()
	if got := read(t, folder, "0-0"); len(got.Calls) != 128 || got.Damaged != 0 {
		t.Errorf("%d calls, %d damaged", len(got.Calls), got.Damaged)
	}
}

func TestNilRecorder(t *testing.T) {
	var r *capture.Recorder
	r.Record("0-0", capture.Call{})
}

func TestForInstance(t *testing.T) {
	folder := filepath.ToSlash(t.TempDir())
	for settings, want := range map[string]string{
		``: "off",
		`"observability_enabled":false,"model_call_capture_dir":"x"`:             "off",
		`"observability_enabled":true,"model_call_capture_dir":"` + folder + `"`: "on",
		`"observability_enabled":true`:                                           "model_call_capture_dir is missing",
		`"observability_enabled":true,"model_call_capture_dir":"captures"`:       "must be an absolute path",
	} {
		if settings != "" {
			settings += ","
		}
		g, err := config.Decode([]byte(`{` + settings + `"policy":{"responses_api_models":{"openai_model":{"entrypoint":"app.py"}}}}`))
		if err != nil {
			t.Fatal(err)
		}
		if f, err := capture.ForGraph(g); (f != nil) != (want == "on") || (err != nil) != (want != "on" && want != "off") {
			t.Errorf("{%s}: the graph says %q, %v", settings, f, err)
		}
		r, err := capture.ForInstance(g.Instance("policy"), nil)
		got := "off"
		if r != nil {
			got = "on"
		}
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("{%s}: got %s, want %s", settings, got, want)
		}
	}
}

func TestModelCall(t *testing.T) {
	folder, r := recorder(t)
	for _, answer := range []string{responsesAnswer, chatAnswer, messagesAnswer} {
		r.Record("0-0", capture.Call{Status: 200, Request: []byte(`{"model":"asked"}`), Response: []byte(answer)})
	}
	var got []string
	for _, c := range read(t, folder, "0-0").Calls {
		got = append(got, fmt.Sprintf("%s %s %s in %s out %s thought %s all %s cached %s hit %s made %s: %s %s", show(c.ResponseID), show(c.ModelName), show(c.Finish), show(c.TokensIn), show(c.TokensOut),
			show(c.TokensReasoning), show(c.TokensTotal), show(c.Cached), show(c.CacheHit), show(c.CacheCreation), show(c.Reasoning), c.ToolCalls[0].Arguments))
	}
	wants := []string{
		`resp_1 up max_output_tokens in 3 out 2 thought 1 all 5 cached 1 hit true made null: why {"n":9223372036854775807}`,
		`chat_1 up tool_calls in 10 out 20 thought null all 30 cached null hit null made null: because {"_raw":"{not json"}`,
		`msg_1 asked tool_use in 111 out 2 thought null all 113 cached 100 hit true made 10: hm {"a":1.0}`,
	}
	for i, want := range wants {
		if got[i] != want {
			t.Errorf("got  %s\nwant %s", got[i], want)
		}
	}
	b, err := json.Marshal(read(t, folder, "0-0").Metrics())
	if err != nil || !strings.HasPrefix(string(b), `{"tokens_in":124,"tokens_out":24,"tokens_reasoning":1,"tokens_total":148,"cached_tokens":101,`) || !strings.HasSuffix(string(b), `"num_calls":3}`) {
		t.Errorf("%v: %s", err, b)
	}
}

func show[T any](v *T) string {
	if v == nil {
		return "null"
	}
	return fmt.Sprint(*v)
}

func TestAttach(t *testing.T) {
	folder, r := recorder(t)
	r.Record("4-0", capture.Call{Dialect: "responses", Status: 200, Request: []byte(`{"input":"q"}`), Response: []byte(responsesAnswer)})
	r.Record("4-0", capture.Call{Dialect: "responses", Status: 503, Error: capture.UpstreamError})
	rollout := read(t, folder, "4-0")
	id := *rollout.Calls[0].ID
	row := mustObject(t, `{"_ng_task_index":4,"reward":1.0,"big":12345678901234567890,"ng_trajectory":{"schema_version":"1.0","task_id":"4","rollout_id":"4-0","invocations":[{"invocation_id":"root","model_calls":[`+
		`{"model_call_id":null,"model_ref":{"type":"responses_api_models","name":"policy"},"response_id":"resp_1"},`+
		`{"model_call_id":null,"model_ref":{"type":"responses_api_models","name":"other"},"response_id":"resp_1"}]}],`+
		`"turns":[{"turn_no":1,"model_calls":[{"model_call_id":null,"model_ref":{"name":"policy"},"response_id":"resp_1"}]}],"model_calls":[],"tool_calls":[{"tool_call_id":"c1"}],"gaps":[{"code":"x"}]}}`)
	if err := rollout.Attach(&row); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(row.AppendTo(nil)), `{"_ng_task_index":4,"reward":1.0,"big":12345678901234567890,`) {
		t.Errorf("the row is %s", row.AppendTo(nil))
	}
	captured, _ := row.Sub(capture.MemberCapture)
	calls, _ := captured.Array("calls")
	metrics, _ := captured.Sub("metrics")
	if n, _ := metrics.Int("num_calls"); n != 2 || len(calls) != 2 || captured.Has("gaps") {
		t.Errorf("captured is %s", captured.AppendTo(nil))
	}
	trajectory, _ := row.Sub(capture.MemberTrajectory)
	text := string(trajectory.AppendTo(nil))
	if n := strings.Count(text, `"model_call_id":"`+id+`"`); n != 3 { // a call, an invocation, a turn
		t.Errorf("the call's id stands %d times in %s", n, text)
	}
	for _, want := range []string{`"tool_calls":[{"tool_call_id":"c1"}]`, `"gaps":[{"code":"x"}]`, `"error_category":"upstream_error"`, `"token_stats":{"prompt_tokens":3,"completion_tokens":2,"reasoning_tokens":1,"total_tokens":5,"cached_tokens":1}`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}

	t.Run("without_the_agent's", func(t *testing.T) {
		row := mustObject(t, `{"_ng_task_index":4}`)
		all := capture.Folder{Path: folder}
		if err := all.Attach(t.Context(), "4-0", &row); err != nil {
			t.Fatal(err)
		}
		trajectory, _ := row.Sub(capture.MemberTrajectory)
		calls, _ := trajectory.Array("model_calls")
		gaps, _ := trajectory.Array("gaps")
		task, _ := trajectory.String("task_id")
		if task != "4" || len(calls) != 2 || len(gaps) != 1 || string(gaps[0]) != `{"code":"agent_observations_unavailable"}` {
			t.Errorf("got %s", trajectory.AppendTo(nil))
		}
	})
	t.Run("of_this_run_only", func(t *testing.T) {
		began := time.Now()
		r.Record("5-0", capture.Call{Dialect: "chat", Started: began.Add(-time.Hour), Response: []byte(chatAnswer)})
		r.Record("5-0", capture.Call{Dialect: "chat", Started: began, Response: []byte(responsesAnswer)})
		row := mustObject(t, `{}`)
		run := capture.Folder{Path: folder, Since: began}
		if err := run.Attach(t.Context(), "5-0", &row); err != nil {
			t.Fatal(err)
		}
		captured, _ := row.Sub(capture.MemberCapture)
		calls, _ := captured.Array("calls")
		if len(calls) != 1 || !strings.Contains(string(calls[0]), `"response_id":"resp_1"`) {
			t.Errorf("got %s", calls)
		}
	})
	t.Run("incomplete", func(t *testing.T) {
		if err := os.WriteFile(filepath.Join(folder, "6-0.capture.incomplete"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		row := mustObject(t, `{}`)
		err := (&capture.Folder{Path: folder}).Attach(t.Context(), "6-0", &row)
		if err == nil || !strings.Contains(err.Error(), "could not write all of it to "+folder) || !strings.Contains(string(row.AppendTo(nil)), "model_call_capture_incomplete") {
			t.Errorf("error %v, row %s", err, row.AppendTo(nil))
		}
	})
	t.Run("nothing_captured", func(t *testing.T) {
		row := mustObject(t, `{}`)
		if err := read(t, folder, "9-9").Attach(&row); err != nil {
			t.Fatal(err)
		}
		if got := string(row.AppendTo(nil)); !strings.HasPrefix(got, `{"ng_model_call_capture":{"rollout_id":"9-9","metrics":{"tokens_in":null,"tokens_out":null,"tokens_reasoning":null,"tokens_total":null,"cached_tokens":null,"latency_total_ms":null,"num_calls":0},"calls":[]}`) {
			t.Errorf("got %s", got)
		}
	})
}

func mustObject(t *testing.T, text string) responses.Object {
	t.Helper()
	o, err := responses.ParseObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}
