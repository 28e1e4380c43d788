package agent_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/lensgo/lens/gym/agent"
	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/model"
	"github.com/lensgo/lens/gym/resources/singletoolcall"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

// ExampleBuild has three servers make one rollout: a model that knows one sentence, an environment, and the agent.
func ExampleBuild() {
	parrot := model.ResponderFunc(func(context.Context, *model.Request) (*wire.Reply, error) {
		return &wire.Reply{Body: []byte(`{"id":"r","created_at":1,"model":"parrot","object":"response","parallel_tool_calls":true,"tool_choice":"auto","tools":[],
			"output":[{"type":"message","id":"m","role":"assistant","status":"completed","content":[{"type":"output_text","text":"hello","annotations":[]}]}]}`)}, nil
	})
	policy, err := model.NewServer(&config.Instance{Name: "policy"}, parrot, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	weather, err := singletoolcall.Build(&config.Instance{Name: "weather"}, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	policyURL, weatherURL := httptest.NewServer(policy), httptest.NewServer(weather)
	defer policyURL.Close()
	defer weatherURL.Close()

	client := wire.NewClient(wire.ClientOptions{Servers: map[string]string{"policy": policyURL.URL, "weather": weatherURL.URL}})
	defer client.Close()
	simple, err := agent.Build(&config.Instance{Name: "simple",
		Settings: []byte(`{"resources_server":{"name":"weather"},"model_server":{"name":"policy"}}`)}, client, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	simpleURL := httptest.NewServer(simple)
	defer simpleURL.Close()

	driver := wire.NewClient(wire.ClientOptions{Servers: map[string]string{"simple": simpleURL.URL}})
	defer driver.Close()
	res, err := driver.Do(context.Background(), wire.Call{Server: "simple", Path: "/run", Body: []byte(`{"responses_create_params":{"input":"hi"}}`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	reply, err := responses.ParseObject(res.Body)
	reward, _ := reply.Float("reward")
	fmt.Println(res.Status, reward, err)
	// Output: 200 1 <nil>
}
