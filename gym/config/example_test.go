package config_test

import (
	"fmt"
	"os"

	"github.com/lensgo/lens/gym/config"
)

func Example() {
	file, _ := os.CreateTemp("", "*.yaml")
	defer os.Remove(file.Name())
	fmt.Fprint(file, `
policy_model:
  responses_api_models:
    openai_model:
      entrypoint: app.py
      openai_base_url: ${policy_base_url}
`)
	file.Close()

	g, err := config.Load([]string{file.Name()}, config.Overrides{
		Values: map[string]string{"policy_base_url": "http://127.0.0.1:8000/v1"},
	})
	if err != nil {
		fmt.Println(err) // every problem, each with file:line:column
		return
	}
	var settings struct {
		BaseURL string `json:"openai_base_url"`
	}
	if err := g.Instance("policy_model").DecodeSettings(&settings); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(settings.BaseURL)
	// Output: http://127.0.0.1:8000/v1
}
