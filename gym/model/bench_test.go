package model_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/model"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/lenstest"
)

// tokened are a request and an answer with n token ids each, as training has them.
func tokened(n int) (request, answer string) {
	ids := "[" + strings.TrimSuffix(strings.Repeat("123456,", n), ",") + "]"
	bundle := `"prompt_token_ids":` + ids + `,"generation_token_ids":[1],"generation_log_probs":[-0.5]`
	request = `{"input":[{"role":"user","content":"q"},{"type":"message","role":"assistant","content":"a",` + bundle + `},{"role":"user","content":"and?"}]}`
	return request, strings.Replace(said, `"type":"message","id"`, `"type":"message",`+bundle+`,"id"`, 1)
}

func passThrough(tb testing.TB, n int) (m *model.OpenAI, r *model.Request) {
	tb.Helper()
	body, answer := tokened(n)
	m, err := model.NewOpenAI(model.OpenAISettings{BaseURL: "http://h/v1", Model: "m"}, callerFunc(func(context.Context, wire.Call) (*wire.Result, error) {
		return &wire.Result{Status: 200, Body: []byte(answer)}, nil
	}))
	if err != nil {
		tb.Fatal(err)
	}
	p, err := responses.ParseCreateParams([]byte(body))
	if err != nil {
		tb.Fatal(err)
	}
	return m, &model.Request{Params: p}
}

func BenchmarkServer(b *testing.B) {
	for _, state := range []string{"Off", "On"} {
		for _, n := range []int{10, 10_000} {
			b.Run(fmt.Sprint(state, "/tokens_", n), func(b *testing.B) {
				lenstest.Default(b)
				if state == "On" {
					lens.SetSpec("model_call")
				}
				body, _ := tokened(n)
				m, _ := passThrough(b, n)
				s := serverOf(b, m)
				b.SetBytes(int64(len(body)))
				for b.Loop() {
					if w := ask(s, body); w.Code != 200 {
						b.Fatal(w.Code, w.Body)
					}
				}
			})
		}
	}
}
