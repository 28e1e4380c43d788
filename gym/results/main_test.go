package results_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares with testdata/<name>.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		put(t, path, got)
	}
	if diff := cmp.Diff(read(t, path), got); diff != "" {
		t.Errorf("%s (-want +got; or run the test with -update):\n%s", name, diff)
	}
}

func put(t testing.TB, path string, lines ...string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// result is a row of a results file.
func result(task, rollout int, reward string) string {
	return fmt.Sprintf(`{"responses_create_params":{"input":"q%d"},"response":{"output":[],"usage":{"total_tokens":%d}},"reward":%s,`+
		`"_ng_task_index":%d,"_ng_rollout_index":%d,"agent_ref":{"name":"simple"}}`+"\n", task, 10*task+rollout, reward, task, rollout)
}

func input(task, rollout int) string {
	return fmt.Sprintf(`{"responses_create_params":{"input":"q%d"},"agent_ref":{"name":"simple"},"n":%d,"_ng_task_index":%d,"_ng_rollout_index":%d}`+"\n", task, task, task, rollout)
}

func failure(task, rollout int, class string) string {
	return fmt.Sprintf(`{"_ng_task_index":%d,"_ng_rollout_index":%d,"agent_ref":{"name":"simple"},"_ng_failure_class":%q,"_ng_failure_error":"boom-%d"}`+"\n", task, rollout, class, task)
}
