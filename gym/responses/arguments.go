package responses

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// ParseArguments checks the arguments of a function_call and returns them as the body to post to the tool: the bytes
// that the model wrote, so that no number changes on the way. They may be any JSON value, usually an object.
func ParseArguments(arguments string) (jsontext.Value, error) {
	v := jsontext.Value(arguments)
	if err := validate(v); err != nil {
		return nil, fmt.Errorf("cannot parse tool call arguments: %w", err)
	}
	return trim(v), nil
}
