package export_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/viewer/export"
	"github.com/lensgo/lens/viewer/store"
)

// rowsOf reads CSV into a map of each row, by column.
func rowsOf(t *testing.T, text string) []map[string]string {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(records) == 0 {
		t.Fatalf("no CSV: %v\n%.200s", err, text)
	}
	var rows []map[string]string
	for _, r := range records[1:] {
		row := map[string]string{}
		for i, name := range records[0] {
			row[name] = r[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func column(rows []map[string]string, name string) (out []string) {
	for _, r := range rows {
		out = append(out, r[name])
	}
	return out
}

func TestCSV_golden(t *testing.T) {
	src := load(t, demo)
	for _, table := range []export.Table{export.Spans, export.Rollouts, export.TraceRow} {
		text, done := write(t, src, export.Options{Format: export.CSV, Table: table, Query: "env:example_single_tool_call"})
		if done.Empty() {
			t.Errorf("no %s", table)
		}
		golden(t, string(table)+".csv", text)
	}
}

// Every span is a row that says what the span says.
func TestCSV_spans(t *testing.T) {
	for name, src := range map[string]export.Source{"demo": load(t, demo), "odd": odd(t)} {
		t.Run(name, func(t *testing.T) {
			text, done := write(t, src, export.Options{Format: export.CSV})
			rows := rowsOf(t, text)
			if len(rows) != done.Spans {
				t.Errorf("%d rows of %d spans", len(rows), done.Spans)
			}
			i := 0
			if _, err := src.Store.EachTrace(t.Context(), nil, func(tr *store.Trace) error {
				for k := range tr.Spans {
					s, row := &tr.Spans[k], rows[i]
					i++
					duration := ""
					if s.End != 0 {
						duration = fmt.Sprint(int64(s.End - s.Start))
					}
					if row["span_id"] != s.SpanID.String() && !s.SpanID.IsZero() || row["name"] != s.Name || row["duration_ns"] != duration ||
						row["kind"] != s.Kind.String() || row["status"] != s.Status.String() || row["message"] != strings.ReplaceAll(s.Message, "\r\n", "\n") {
						t.Fatalf("row %d is %v, the span %+v", i, row, s)
					}
					var attributes map[string]any
					if err := json.Unmarshal([]byte(row["attributes"]), &attributes); err != nil {
						t.Fatalf("attributes %q: %v", row["attributes"], err)
					}
					for key := range s.Attributes() {
						if _, ok := attributes[key]; !ok {
							t.Errorf("attribute %s is not there", key)
						}
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Cells are quoted by RFC 4180 and otherwise left as they are, formulas and numbers below zero too.
func TestCSV_cells(t *testing.T) {
	src := empty(t)
	names := []string{"plain", "a,b", `say "hi"`, "two\nlines", "=1+1", "+1", "-1", "@sum", " space ", "größer 模型", "cut \xff", "tab\tand\x00nul"}
	for i, name := range names {
		add(t, src, sp{trace: 1, id: uint64(i + 1), name: name, service: "=cmd()", start: uint64(i + 1), end: 1})
	}
	text, _ := write(t, src, export.Options{Format: export.CSV})
	want := slices.Clone(names)
	want[10] = "cut \uFFFD"
	rows := rowsOf(t, text)
	if diff := cmp.Diff(want, column(rows, "name")); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if rows[2]["duration_ns"] != "-2" || rows[2]["service"] != "=cmd()" {
		t.Errorf("the third row is %v", rows[2])
	}
	if n := strings.Count(text, "\r\n"); n != len(names)+1 || !strings.Contains(text, ",\"a,b\",") || !strings.Contains(text, `"say ""hi"""`) || !strings.Contains(text, ",plain,") {
		t.Errorf("%d records, want %d\n%s", n, len(names)+1, text)
	}
	if strings.Contains(text, `"{}"`) {
		t.Error("a cell that needs no quotes has them")
	}
}

// The columns are what programs rely on.
func TestCSV_columns(t *testing.T) {
	src := empty(t)
	for table, want := range map[export.Table]string{
		export.Spans:    "trace_id,span_id,parent_id,name,kind,service,group,start,start_unix_nano,duration_ns,status,message,run,rollout,env,task,attempt,attributes\r\n",
		export.Rollouts: "run,env,task,attempt,retry,rollout,agent,outcome,failure,message,reward,start,start_unix_nano,duration_ns,total_ns,admission_ns,pool_ns,model_ns,tools_ns,verify_ns,other_ns,turns,tool_calls,tokens_in,tokens_out,spans,errors,truncated,guessed,trace_id,span_id,attributes\r\n",
		export.TraceRow: "trace_id,root,service,run,start,start_unix_nano,duration_ns,spans,errors,truncated,open,services,rollouts,env,task,attempt,outcome,reward\r\n",
	} {
		if text, done := write(t, src, export.Options{Format: export.CSV, Table: table}); text != want || !done.Empty() {
			t.Errorf("%s: %q, want %q; %+v", table, text, want, done)
		}
	}
}

// job is a trace as Python sends it: several rollouts below one span, one of them not ended.
func job(t *testing.T) export.Source {
	t.Helper()
	src := empty(t)
	const t0 = 1_800_000_000_000_000_000
	rollout := func(task, index int64, reward float64) func(ptrace.Span) {
		return func(s ptrace.Span) {
			s.Attributes().PutStr("nemo.gym.rollout.id", fmt.Sprintf("%d-%d", task, index))
			s.Attributes().PutInt("nemo.gym.task.index", task)
			s.Attributes().PutInt("nemo.gym.rollout.index", index)
			s.Attributes().PutStr("nemo.gym.environment.name", "env")
			s.Attributes().PutDouble("nemo.gym.rollout.reward", reward)
			s.Attributes().PutStr("mine", "=x")
		}
	}
	add(t, src,
		sp{trace: 1, id: 1, name: "gym.job", service: "job", start: t0, end: t0 + 100},
		sp{trace: 1, id: 2, parent: 1, name: "gym.rollout", service: "job", start: t0 + 1, end: t0 + 50, edit: rollout(3, 0, -0.5)},
		sp{trace: 1, id: 3, parent: 2, name: "gym.rollout", service: "agent", start: t0 + 2, end: t0 + 40, edit: rollout(3, 0, 1)},
		sp{trace: 1, id: 4, parent: 3, name: "call", service: "agent", start: t0 + 3, end: t0 + 30},
		sp{trace: 1, id: 5, parent: 1, name: "gym.rollout", service: "job", start: t0 + 10, end: t0 + 60, edit: rollout(4, 1, 1)},
		sp{trace: 1, id: 6, parent: 99, name: "part", service: "agent", start: t0 + 20, end: t0 + 30, edit: func(s ptrace.Span) {
			s.Attributes().PutStr("nemo.gym.rollout.id", "5-0")
		}},
		sp{trace: 1, id: 7, parent: 6, name: "part of the part", service: "agent", start: t0 + 21, end: t0 + 22},
	)
	return src
}

// A span belongs to the outermost rollout above it, also to one whose own span is still to come.
func TestCSV_places(t *testing.T) {
	src := job(t)
	text, _ := write(t, src, export.Options{Format: export.CSV})
	got := map[string]string{}
	for _, r := range rowsOf(t, text) {
		got[r["span_id"][15:]] = strings.Join([]string{r["rollout"], r["env"], r["task"], r["attempt"]}, " ")
	}
	want := map[string]string{"1": "   ", "2": "3-0 env 3 1", "3": "3-0 env 3 1", "4": "3-0 env 3 1", "5": "4-1 env 4 2", "6": "5-0  5 1", "7": "5-0  5 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rollout, environment, task and attempt of spans (-want +got):\n%s", diff)
	}
}

func TestCSV_rollouts(t *testing.T) {
	src := job(t)
	text, done := write(t, src, export.Options{Format: export.CSV, Table: export.Rollouts})
	rows := rowsOf(t, text)
	if done.Rows != 3 || len(rows) != 3 {
		t.Fatalf("%d rows, %+v", len(rows), done)
	}
	byID := map[string]map[string]string{}
	for _, r := range rows {
		byID[r["rollout"]] = r
	}
	if got := slices.Sorted(maps.Keys(byID)); !slices.Equal(got, []string{"3-0", "4-1", "5-0"}) {
		t.Fatalf("rollouts %q", got)
	}
	r := byID["3-0"]
	if r["reward"] != "-0.5" || r["duration_ns"] != "49" || r["outcome"] != "scored" || r["guessed"] != "false" || !strings.Contains(r["attributes"], `"mine":"=x"`) {
		t.Errorf("a finished one is %v", r)
	}
	if r := byID["5-0"]; r["reward"] != "" || r["outcome"] != "running" || r["guessed"] != "true" || r["turns"] == "-1" || r["tokens_in"] != "" || r["span_id"] != "" {
		t.Errorf("a running one is %v", r)
	}
	sum := 0
	for _, part := range []string{"admission_ns", "pool_ns", "model_ns", "tools_ns", "verify_ns", "other_ns"} {
		var n int
		fmt.Sscan(r[part], &n)
		sum += n
	}
	if fmt.Sprint(sum) != r["total_ns"] {
		t.Errorf("parts sum to %d, the total is %s", sum, r["total_ns"])
	}
}
