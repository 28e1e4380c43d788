// Package singletoolcall is the environment example_single_tool_call: one tool, and a reward that is always 1.
//
// The model may call get_weather(city) and reads that the weather there is cold. There is nothing to get wrong, which
// makes this the environment for trying a set-up out: a rollout that is not rewarded 1.0 did not end.
//
// A row needs nothing beside responses_create_params. Sessions have no state, and a rollout may be verified again at any
// time.
package singletoolcall

import (
	"context"
	"log/slog"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/resources"
	"github.com/lensgo/lens/gym/wire"
)

type weatherInput struct {
	City string `json:"city"`
}

type weather struct {
	City        string `json:"city"`
	Description string `json:"weather_description"`
}

// Build returns the server of an example_single_tool_call instance. It makes no calls, so client may be nil.
func Build(in *config.Instance, _ *wire.Client, logger *slog.Logger) (*wire.Server, error) {
	s := resources.New(in, logger)
	s.Reverify(resources.ReverifyStateless)
	resources.Tool(s, "get_weather", getWeather)
	resources.Verify(s, verify)
	return s.Build()
}

func getWeather(_ context.Context, _ resources.Call, in weatherInput) (weather, error) {
	return weather{City: in.City, Description: "It is freezing cold in " + in.City + " today."}, nil
}

func verify(context.Context, resources.Verification[struct{}]) (float64, struct{}, error) {
	return 1, struct{}{}, nil
}
