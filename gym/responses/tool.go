package responses

// Tool is one tool that the model may call: a function with its parameters as JSON Schema, or a hosted tool.
type Tool struct{ Object }

// Type returns the type: function for the ones that an agent runs.
func (t Tool) Type() string {
	s, _ := t.String("type")
	return s
}

// Name returns the name of a function.
func (t Tool) Name() string {
	s, _ := t.String("name")
	return s
}

// Description returns what the model is told about the tool.
func (t Tool) Description() string {
	s, _ := t.String("description")
	return s
}

// Parameters returns the JSON Schema of the arguments; the empty object when there is none.
func (t Tool) Parameters() Object {
	o, _ := t.Sub("parameters")
	return o
}
