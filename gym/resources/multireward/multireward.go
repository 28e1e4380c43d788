// Package multireward is the environment example_tool_call_multireward: one call of a tool, scored in three ways at once.
//
// The model is to call get_weather(city) once and to say nothing else. A row has the call that is right:
//
//	{"responses_create_params":{"input":[...],"tools":[...]},"expected_call":{"name":"get_weather","arguments":{"city":"Bern"}}}
//
// Each component is 1 or 0, and the reward is their sum:
//
//	correctness   one of the calls has the name and the arguments of the right one; further arguments do not matter
//	schema_valid  the first call's arguments are an object with every member that the tool requires
//	format        there is exactly one call, and no message
//
// A model that is asked again after its call says something, so an agent of this environment has max_steps: 1.
//
// The score is a function of the request, so a rollout may be verified again at any time.
package multireward

import (
	"context"
	"log/slog"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/resources"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

type weatherInput struct {
	City string `json:"city" jsonschema:"the city to look up"`
}

type weather struct {
	City        string `json:"city"`
	Description string `json:"weather_description"`
}

// row is what a task has beside responses_create_params.
type row struct {
	Expected responses.Object `json:"expected_call,omitzero"`
}

// Build returns the server of an example_tool_call_multireward instance. It makes no calls, so client may be nil.
func Build(in *config.Instance, _ *wire.Client, logger *slog.Logger) (*wire.Server, error) {
	s := resources.New(in, logger)
	s.Reverify(resources.ReverifyStateless)
	resources.Tool(s, "get_weather", func(_ context.Context, _ resources.Call, in weatherInput) (weather, error) {
		return weather{City: in.City, Description: "It rains in " + in.City + " today."}, nil
	}, resources.Describe("Tells what the weather is like in a city."))
	resources.VerifyComponents(s, verify)
	return s.Build()
}

// components are the rewards.
type components struct {
	Correctness float64 `json:"correctness"`
	SchemaValid float64 `json:"schema_valid"`
	Format      float64 `json:"format"`
}

// predicted is what /verify adds to its reply.
type predicted struct {
	Calls []call `json:"predicted_calls"`
}

func verify(_ context.Context, v resources.Verification[row]) (float64, components, predicted, error) {
	p := predicted{Calls: []call{}}
	for _, item := range v.Calls() {
		p.Calls = append(p.Calls, readCall(item))
	}
	right, err := expectedCall(v.Row.Expected)
	if err != nil {
		return 0, components{}, p, err
	}
	c := components{Format: resources.Reward(len(p.Calls) == 1 && !spoke(v.Response))}
	for _, call := range p.Calls {
		if right.matchedBy(call) {
			c.Correctness = 1
		}
	}
	if len(p.Calls) > 0 {
		c.SchemaValid = resources.Reward(p.Calls[0].complete(required(v.Params, p.Calls[0].Name)))
	}
	return resources.Sum(c), c, p, nil
}

// spoke tells whether there is a message in the trajectory.
func spoke(r responses.Response) bool {
	items, _ := r.Output() // it was checked when the request was read
	for _, item := range items {
		if item.Type() == responses.TypeMessage {
			return true
		}
	}
	return false
}

// required are the members that the tool of that name cannot do without.
func required(p responses.CreateParams, name string) (names []string) {
	tools, _ := p.Tools() // likewise
	for _, tool := range tools {
		if tool.Name() != name {
			continue
		}
		list, _ := tool.Parameters().Array("required")
		for _, v := range list {
			if member, ok := responses.Text(v); ok {
				names = append(names, member)
			}
		}
		break
	}
	return names
}
