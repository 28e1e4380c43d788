package telemetry

import (
	"slices"
	"testing"
)

func TestContentFromEnvironment(t *testing.T) {
	const generic = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT="
	for _, c := range []struct {
		name string
		env  []string
		on   bool
		says string // in the error
	}{
		{"nothing", nil, false, ""},
		{"Gym's", []string{"NEMO_GYM_OTEL_CONTENT=1"}, true, ""},
		{"a word", []string{"NEMO_GYM_OTEL_CONTENT= Yes "}, true, ""},
		{"off", []string{"NEMO_GYM_OTEL_CONTENT=false"}, false, ""},
		{"OpenTelemetry's", []string{generic + "true"}, true, ""},
		{"OpenTelemetry's, off", []string{generic + "False"}, false, ""},
		{"on spans", []string{generic + "span_only"}, true, ""},
		{"everywhere", []string{generic + "SPAN_AND_EVENT"}, true, ""},
		{"nowhere", []string{generic + "NO_CONTENT"}, false, ""},
		{"events only", []string{generic + "EVENT_ONLY"}, false, "asks for events"},
		{"Gym's wins, on", []string{"NEMO_GYM_OTEL_CONTENT=1", generic + "NO_CONTENT"}, true, ""},
		{"Gym's wins, off", []string{"NEMO_GYM_OTEL_CONTENT=0", generic + "true"}, false, ""},
		{"blank is none", []string{"NEMO_GYM_OTEL_CONTENT= ", generic + "true"}, true, ""},
		{"garbage", []string{"NEMO_GYM_OTEL_CONTENT=maybe", generic + "true"}, false, `NEMO_GYM_OTEL_CONTENT: "maybe" is not a boolean`},
		{"garbage in OpenTelemetry's", []string{generic + "some"}, false, `"some" is neither a boolean`},
		{"Lens's prefix has none", []string{"NEMO_LENS_CONTENT=1"}, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			on, err := content(envOf(c.env...))
			if on != c.on || (err != nil) != (c.says != "") {
				t.Fatalf("got %v, %v", on, err)
			}
			if err != nil {
				contains(t, err.Error(), c.says, "not recorded")
			}
		})
	}
}

// TestExport_content: the fleet decides once, and children of any language read one variable.
func TestExport_content(t *testing.T) {
	const generic = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
	for _, c := range []struct {
		name    string
		setting *bool
		env     []string
		on      bool
		want    string // NEMO_GYM_OTEL_CONTENT afterwards
		batch   string
		warns   int
	}{
		{"nothing", nil, nil, false, "", "", 0},
		{"YAML", new(true), nil, true, "1", "256", 0},
		{"YAML, off", new(false), nil, false, "0", "", 0},
		{"the environment beats YAML", new(true), []string{"NEMO_GYM_OTEL_CONTENT=0"}, false, "0", "", 1},
		{"YAML beats OpenTelemetry's", new(false), []string{generic + "=true"}, false, "0", "", 0},
		{"OpenTelemetry's", nil, []string{generic + "=SPAN_ONLY"}, true, "1", "256", 0},
		{"OpenTelemetry's says no", nil, []string{generic + "=NO_CONTENT"}, false, "", "", 0},
		{"garbage", nil, []string{"NEMO_GYM_OTEL_CONTENT=maybe"}, false, "0", "", 1},
		{"garbage in OpenTelemetry's", nil, []string{generic + "=maybe"}, false, "0", "", 1},
		{"a batch size of the user's", new(true), []string{"OTEL_BSP_MAX_EXPORT_BATCH_SIZE=9"}, true, "1", "9", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := envOf(c.env...)
			d := Settings{Enabled: new(true), RunID: "r", Content: c.setting}.Export(env)
			if d.Content != c.on || len(d.Warnings) != c.warns || env["NEMO_GYM_OTEL_CONTENT"] != c.want || env["OTEL_BSP_MAX_EXPORT_BATCH_SIZE"] != c.batch {
				t.Errorf("got %+v and %v", d, env)
			}
			if on, err := content(env); on != c.on || err != nil {
				t.Errorf("a child reads %v, %v", on, err)
			}
		})
	}
	env := envOf("NEMO_GYM_OTEL_CONTENT=maybe")
	if d := (Settings{Content: new(true)}).Export(env); d.Content || len(env) != 1 {
		t.Errorf("off: %+v, %v", d, env)
	}
}

func TestSettings_content(t *testing.T) {
	if s := ParseSettings([]byte(`{"enabled":true,"content":"on"}`)); s.Content == nil || !*s.Content {
		t.Errorf("got %+v", s)
	}
	s := ParseSettings([]byte(`{"enabled":true,"content":"all of it"}`))
	if d := s.Export(envOf()); d.Enabled || d.Content || len(d.Warnings) != 1 {
		t.Errorf("got %+v", d)
	}
}

func TestSetup_content(t *testing.T) {
	collector := newCollector(t)
	on := []string{"NEMO_GYM_OTEL_ENABLED=1", "OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL}
	for _, c := range []struct {
		name  string
		env   []string
		bound int
		says  string
	}{
		{"off by itself", on, 0, ""},
		{"on", append(slices.Clone(on), "NEMO_GYM_OTEL_CONTENT=1"), 64 << 10, ""},
		{"telemetry is off", []string{"NEMO_GYM_OTEL_CONTENT=1"}, 0, ""},
		{"garbage leaves the rest on", append(slices.Clone(on), "NEMO_GYM_OTEL_CONTENT=x"), 0, "content is not recorded"},
		{"the user's bound", append(slices.Clone(on), "NEMO_GYM_OTEL_CONTENT=1", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT=4096"), 4096, ""},
		{"the user's bound for spans", append(slices.Clone(on), "NEMO_GYM_OTEL_CONTENT=1", "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT=5000", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT=4096"), 5000, ""},
		{"none of the user's", append(slices.Clone(on), "NEMO_GYM_OTEL_CONTENT=1", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT=-1"), 64 << 10, ""},
		{"no room", append(slices.Clone(on), "NEMO_GYM_OTEL_CONTENT=1", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT=100"), 0, "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT=100 leaves no room"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, err := start(t, Supervisor(), c.env...)
			if Content() != c.bound || (err != nil) != (c.says != "") {
				t.Errorf("%d bytes, %v", Content(), err)
			}
			if err != nil {
				contains(t, err.Error(), c.says)
			}
			if len(c.env) > 1 && !h.Exporting() {
				t.Error("telemetry is off")
			}
			if on, err := ContentFromEnv(); len(c.env) > 1 && (on != (c.bound > 0) || (err != nil) != (c.says != "")) {
				t.Errorf("ContentFromEnv says %t, %v", on, err)
			}
		})
	}
	if n := testing.AllocsPerRun(100, func() { Content() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
