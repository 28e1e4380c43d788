package resources_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lensgo/lens/gym/resources"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

type trip struct {
	City   string            `json:"city" jsonschema:"where to"`
	Days   int               `json:"days,omitzero"`
	Stops  []stop            `json:"stops,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Extra  *responses.Object `json:"extra,omitempty"`
}

type stop struct {
	Name string  `json:"name"`
	Km   float64 `json:"km"`
}

// travel is a server with one tool, whose schema is narrowed.
func travel(t *testing.T) *wire.Server {
	t.Helper()
	s := resources.New(instance(), nil)
	resources.Tool(s, "plan", func(_ context.Context, _ resources.Call, in trip) (string, error) {
		return fmt.Sprintf("%s for %d days", in.City, in.Days), nil
	}, resources.Constrain(func(s *jsonschema.Schema) {
		s.Properties["city"].Enum = []any{"Bern", "Rome"}
		s.Properties["days"].Maximum = new(float64)
		*s.Properties["days"].Maximum = 9
		s.Properties["stops"].Items.Properties["name"].Pattern = "^[A-Z]"
		s.Properties["labels"].AdditionalProperties.MinLength = new(int)
		*s.Properties["labels"].AdditionalProperties.MinLength = 1
	}))
	resources.Verify(s, func(context.Context, resources.Verification[struct{}]) (float64, struct{}, error) {
		return 1, struct{}{}, nil
	})
	server, err := s.Build()
	if err != nil {
		t.Fatal(err)
	}
	return server
}

func TestConstrain(t *testing.T) {
	server := travel(t)
	tests := map[string]struct {
		body string
		want []string // of the answer; none for 200
	}{
		"fits":           {`{"city":"Bern","days":"3","stops":[{"name":"Thun","km":1e1}],"labels":{"a":"b"},"extra":{"n":12345678901234567890}}`, nil},
		"unknown_member": {`{"city":"Rome","mood":"good"}`, nil},
		"enum":           {`{"city":"Oslo"}`, []string{`{"type":"json_schema","loc":["body","city"],"msg":"Input should fit the tool's parameters: enum: `, `"input":"Oslo"}`}},
		"in_a_list": {`{"city":"Rome","days":11,"stops":[{"name":"Pisa","km":1},{"name":"pisa","km":1}]}`,
			[]string{`"loc":["body","days"],"msg":"Input should fit the tool's parameters: maximum: `, `"loc":["body","stops",1,"name"],"msg":"Input should fit the tool's parameters: pattern: `}},
		"in_a_map":      {`{"city":"Rome","labels":{"x":""}}`, []string{`"loc":["body","labels","x"]`}},
		"type_is_first": {`{"city":4,"days":11}`, []string{`{"detail":[{"type":"string_type","loc":["body","city"],"msg":"Input should be a valid string","input":4}]}`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := post(t, server, "/plan", test.body)
			if want := 200 + 222*min(len(test.want), 1); w.Code != want {
				t.Errorf("got %d %s, want %d", w.Code, w.Body, want)
			}
			for _, want := range test.want {
				if !strings.Contains(w.Body.String(), want) {
					t.Errorf("got %s\nwant it to have %s", w.Body, want)
				}
			}
		})
	}
}

func TestConstrainToNonsense(t *testing.T) {
	s := resources.New(instance(), nil)
	resources.Tool(s, "plan", func(context.Context, resources.Call, trip) (string, error) { return "", nil },
		resources.Constrain(func(s *jsonschema.Schema) { s.Properties["city"].Pattern = "(" }))
	resources.Verify(s, func(context.Context, resources.Verification[struct{}]) (float64, struct{}, error) {
		return 1, struct{}{}, nil
	})
	if _, err := s.Build(); err == nil || !strings.Contains(err.Error(), "tool plan: the schema that Constrain left is not valid") {
		t.Errorf("got %v", err)
	}
}
