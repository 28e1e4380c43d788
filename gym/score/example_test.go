package score_test

import (
	"fmt"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/score"
)

func Example() {
	var rows []responses.Object
	for _, line := range []string{
		`{"_ng_task_index":0,"_ng_rollout_index":0,"reward":1.0,"response":{"usage":{"total_tokens":120}}}`,
		`{"_ng_task_index":0,"_ng_rollout_index":1,"reward":0.0,"response":{"usage":{"total_tokens":80}}}`,
	} {
		o, err := responses.ParseObject([]byte(line))
		if err != nil {
			fmt.Println(err)
			return
		}
		rows = append(rows, o)
	}
	for _, m := range score.Aggregate(rows).Key {
		fmt.Println(m.Name, m.Value)
	}
	// Output:
	// mean/reward 0.5
	// mean/total_tokens 100
}
