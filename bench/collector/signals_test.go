package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/lensgo/lens/telemetry"
)

var update = flag.Bool("update", false, "write the golden file")

var protocols = []string{"http/protobuf", "http/json", "grpc"}

// sending is the environment of a program that sends to an endpoint.
func sending(endpoint, protocol, compression string) []string {
	return []string{
		"NEMO_LENS_ENABLED=1", "NEMO_LENS_LOGS_ENABLED=1", "NEMO_LENS_RUN_ID=run", "OTEL_SERVICE_NAME=sender",
		"OTEL_RESOURCE_ATTRIBUTES=team=ünits,nv.dl.rank=3", "OTEL_METRIC_EXPORT_INTERVAL=3600000",
		"NEMO_LENS_DETECT_TIMEOUT=60000", // a busy machine is late, and a sender would say so
		"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL=" + protocol, "OTEL_EXPORTER_OTLP_COMPRESSION=" + compression,
	}
}

// A Collector takes one of each thing that a program can send, over each protocol, compressed and not, has nothing to say to it, and hands on
// what testdata/everything.jsonl says, the same for all.
func TestEverything(t *testing.T) {
	for _, protocol := range protocols {
		for _, compression := range []string{"none", "gzip"} {
			t.Run(protocol+" "+compression, func(t *testing.T) {
				c := collect(t, nil)
				began := time.Now()
				s := itself(t, sending(c.endpoint(protocol, "http"), protocol, compression), "everything")
				stats := counts(t, s)
				if stats.Ended != 5 || stats.Exported != 5 {
					t.Errorf("the sender counts %+v", stats)
				}
				c.end(t)
				got := received(t, c.folder)
				checkResources(t, got)
				golden(t, got.named(t, began))
			})
		}
	}
}

// counts waits for the end of a sender, which must have nothing to say, and reads its counts.
func counts(t *testing.T, s *process) (stats telemetry.Stats) {
	t.Helper()
	out := s.ends(t)
	if len(out) == 0 || json.Unmarshal([]byte(out[len(out)-1]), &stats) != nil || s.errs.String() != "" {
		t.Errorf("the sender says %q and %s", out, &s.errs)
	}
	return stats
}

// checkResources holds that all signals have the same resource, with what the environment says.
func checkResources(t *testing.T, d telemetryData) {
	t.Helper()
	var all []pcommon.Resource
	for _, td := range d.traces {
		for _, r := range td.ResourceSpans().All() {
			all = append(all, r.Resource())
		}
	}
	for _, md := range d.metrics {
		for _, r := range md.ResourceMetrics().All() {
			all = append(all, r.Resource())
		}
	}
	for _, ld := range d.logs {
		for _, r := range ld.ResourceLogs().All() {
			all = append(all, r.Resource())
		}
	}
	if len(all) < 3 {
		t.Fatalf("%d resources; not every signal has arrived", len(all))
	}
	for _, r := range all {
		if fmt.Sprint(r.Attributes().AsRaw()) != fmt.Sprint(all[0].Attributes().AsRaw()) {
			t.Errorf("two resources: %v and %v", r.Attributes().AsRaw(), all[0].Attributes().AsRaw())
		}
	}
	got := all[0].Attributes().AsRaw()
	for key, want := range map[string]any{
		"service.name": "sender", "team": "ünits", "nv.dl.rank": int64(3), "nemo.run.id": "run", "service.instance.id": "run-rank3", "os.type": "linux",
	} {
		if got[key] != want {
			t.Errorf("the resource has %s = %v, want %v", key, got[key], want)
		}
	}
}

var (
	quotedID = regexp.MustCompile(`"(?:[0-9a-f]{32}|[0-9a-f]{16})"`)
	anyTime  = regexp.MustCompile(`([tT]imeUnixNano":)"(\d+)"`)
)

// named gives the items of our scopes with names for ids, and "now" for times between began and now. What lens says of itself is left
// out: it differs from run to run.
func (d telemetryData) named(t *testing.T, began time.Time) (all []string) {
	t.Helper()
	names := map[string]string{}
	for _, td := range d.traces {
		for _, one := range spans(td, false) {
			s := one.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
			names[s.SpanID().String()] = "span " + s.Name()
			if s.ParentSpanID().IsEmpty() {
				names[s.TraceID().String()] = "trace " + s.Name()
			}
		}
	}
	own := 0
	for _, item := range d.items(t, false) {
		if strings.Contains(item, `"name":"otel.sdk.`) || strings.Contains(item, `"name":"nemo.lens.`) {
			own++
			continue
		}
		item = quotedID.ReplaceAllStringFunc(item, func(id string) string {
			if name, ok := names[strings.Trim(id, `"`)]; ok {
				return strconv.Quote(name)
			}
			return id
		})
		item = anyTime.ReplaceAllStringFunc(item, func(found string) string {
			parts := anyTime.FindStringSubmatch(found)
			ns, err := strconv.ParseInt(parts[2], 10, 64)
			if err != nil || ns < began.UnixNano() || ns > time.Now().UnixNano() {
				return found
			}
			return parts[1] + `"now"`
		})
		all = append(all, item)
	}
	if own == 0 {
		t.Error("no metric of lens itself has arrived")
	}
	slices.Sort(all)
	return all
}

func golden(t *testing.T, items []string) {
	t.Helper()
	path := filepath.Join("testdata", "everything.jsonl")
	got := []byte(strings.Join(items, "\n") + "\n")
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("arrived is\n%s\nwant (or run the test with -update)\n%s", got, want)
	}
}
