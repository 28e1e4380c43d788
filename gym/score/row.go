package score

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
)

// Members of a result row with a meaning of their own.
const (
	taskIndex    = "_ng_task_index"
	rolloutIndex = "_ng_rollout_index"
	reward       = "reward"
	response     = "response"
)

// row is what counts of one result.
type row struct {
	task, rollout int64
	numbers       []number
	info          responses.Object
	source        responses.Object
}

type number struct {
	name  string
	value float64
}

// sortedRows reads the rows and puts them in the order of task and rollout; rows that share both, which a resumed run can
// leave, are put in the order of their text, so that the order of arrival never shows.
func sortedRows(results []responses.Object) []row {
	rows := make([]row, len(results))
	for i, o := range results {
		rows[i] = readRow(o)
	}
	sortRows(rows)
	return rows
}

func sortRows(rows []row) {
	slices.SortStableFunc(rows, func(a, b row) int {
		if c := cmp.Or(cmp.Compare(a.task, b.task), cmp.Compare(a.rollout, b.rollout)); c != 0 {
			return c
		}
		return bytes.Compare(a.source.AppendTo(nil), b.source.AppendTo(nil))
	})
}

func readRow(o responses.Object) row {
	r := row{source: o}
	r.task, _ = o.Int(taskIndex)
	r.rollout, _ = o.Int(rolloutIndex)
	reply, _ := o.Sub(response)
	usage, _ := reply.Sub("usage")

	info := &r.info
	info.SetString("rollout_id", fmt.Sprintf("%d:%d", r.task, r.rollout))
	info.SetInt(taskIndex, r.task)
	info.SetInt(rolloutIndex, r.rollout)
	if v, ok := o.Get(reward); ok {
		info.Set(reward, v)
	}
	for name, v := range usage.All() {
		if n, ok := responses.NumberOf(v); ok {
			r.numbers = append(r.numbers, number{name, n})
			info.Set(name, bit(v))
		}
	}
	for name, v := range o.All() {
		if name == taskIndex || name == rolloutIndex || name == response {
			continue
		}
		n, ok := responses.NumberOf(v)
		if !ok {
			continue
		}
		if !usage.Has(name) { // the usage wins, even when it says null
			r.numbers = append(r.numbers, number{name, n})
		}
		if name != reward {
			info.Set(name, bit(v))
		}
	}
	return r
}

// bit writes a boolean as 0 or 1 and leaves a number as it came.
func bit(v jsontext.Value) jsontext.Value {
	switch v.Kind() {
	case 't':
		return jsontext.Value("1")
	case 'f':
		return jsontext.Value("0")
	}
	return v
}
