package rollout_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/lensgo/lens/gym/rollout"
	"github.com/lensgo/lens/gym/wire"
)

func Example() {
	// A stand-in for an agent server: every rollout is worth 1.
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"reward":1.0}`)
	}))
	defer agent.Close()
	client := wire.NewClient(wire.ClientOptions{Servers: map[string]string{"weather_agent": agent.URL}})
	defer client.Close()

	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	tasks := filepath.Join(dir, "tasks.jsonl")
	_ = os.WriteFile(tasks, []byte(`{"responses_create_params":{"input":"Is it cold in Oslo?"}}`+"\n"), 0o600)

	plan, err := rollout.Prepare(rollout.Options{
		Input: tasks, Output: filepath.Join(dir, "rollouts.jsonl"), Repeats: 3, Agent: "weather_agent",
	})
	if err != nil {
		fmt.Println(err) // every bad row, with file and line
		return
	}
	summary, err := plan.Run(context.Background(), client)
	if err != nil {
		fmt.Println(err) // cut short; what was finished is on disk
	}
	fmt.Printf("%d of %d, mean reward %v\n", summary.Scored, summary.Expected, summary.Agents[0].MeanReward)
	// Output: 3 of 3, mean reward 1
}
