package passk_test

import (
	"fmt"

	"github.com/lensgo/lens/internal/passk"
)

func ExampleMean() {
	tasks := [][]float64{
		{1, 0, 0, 1}, // two of four attempts succeeded
		{0, 0, 0, 0},
		{1}, // one attempt says nothing about pass@2
	}
	mean, n := passk.Mean(tasks, 2)
	fmt.Printf("pass@2 is %.3f over %d tasks\n", mean, n)
	// Output: pass@2 is 0.417 over 2 tasks
}
