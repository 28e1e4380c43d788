package resources

import (
	"context"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lensgo/lens/gym/wire"
)

// tool is one function that the model can call.
type tool struct {
	name        string
	description string
	schema      *jsonschema.Schema
	constrain   func(*jsonschema.Schema)
	serve       wire.HandlerFunc
}

// ToolOption says more about a tool.
type ToolOption interface{ apply(*tool) }

type toolOption func(*tool)

func (o toolOption) apply(t *tool) { o(t) }

// Describe says what a tool does, to the models that find it over MCP. Of two the last one counts.
func Describe(text string) ToolOption { return toolOption(func(t *tool) { t.description = text }) }

// Constrain lets fn narrow the JSON Schema that was derived from the tool's input: an enum, a minimum, a pattern. Arguments
// that do not meet it are answered with 422, like those that do not fit the struct. Of two the last one counts; nil is none.
func Constrain(fn func(s *jsonschema.Schema)) ToolOption {
	return toolOption(func(t *tool) { t.constrain = fn })
}

// Tool adds a tool. The model calls it by name; its arguments are read into In, and Out goes back as JSON. A tool
// without parameters takes struct{}. An Out of *[wire.Reply] is sent as it is, for answers that are not JSON.
func Tool[In, Out any](s *Server, name string, fn func(ctx context.Context, c Call, in In) (Out, error), options ...ToolOption) {
	if err := checkToolName(name); err != nil {
		s.fail(err)
		return
	}
	t := &tool{name: name}
	for _, o := range options {
		o.apply(t)
	}
	decode := decoderOf[In](s, "tool "+name)
	check, err := t.compileSchema(reflect.TypeFor[In]())
	if err != nil {
		s.fail(fmt.Errorf("tool %s: %w", name, err))
		return
	}
	t.serve = func(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
		var in In
		if err := decodeBody(decode, r.Body, &in); err != nil {
			return nil, err
		}
		if err := check(&in); err != nil {
			return nil, err
		}
		out, err := fn(ctx, Call{Session: r.Session, Wire: r}, in)
		if err != nil {
			return nil, statusOf(err)
		}
		if reply, ok := any(out).(*wire.Reply); ok {
			return reply, nil
		}
		return wire.JSON(out)
	}
	s.tools = append(s.tools, t)
	s.handle("POST /"+name, t.serve)
}

// reserved are names that no tool can have: they are routes of every server.
var reserved = map[string]bool{
	"seed_session": true, "verify": true, "close_session": true, "aggregate_metrics": true, "reverify_mode": true,
	"mcp": true, "ng-rollout": true,
}

// checkToolName refuses what is no function name or would hide a route of the kit.
func checkToolName(name string) error {
	if reserved[name] {
		return fmt.Errorf("tool %q: the name is a route of every resources server", name)
	}
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
		default:
			return fmt.Errorf("tool %q: a name is made of letters, digits, _ and -", name)
		}
	}
	if name == "" || len(name) > 64 {
		return fmt.Errorf("tool %q: a name has 1 to 64 characters", name)
	}
	return nil
}
