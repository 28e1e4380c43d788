package resources

import (
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/score"
	"github.com/lensgo/lens/gym/wire"
)

// What kits for other kinds of environment, in the folders below, share with this one.

// Reader compiles what reads a request body into an In, as bodies of tools are read. The error of the function is a
// [responses.FieldErrors].
func Reader[In any]() (func(body []byte) (In, error), error) {
	decode, err := compile(reflect.TypeFor[In]())
	if err != nil {
		return nil, err
	}
	return func(body []byte) (in In, err error) {
		err = decodeBody(decode, body, &in)
		return in, err
	}, nil
}

// Aggregator answers POST /aggregate_metrics with what hooks add to the statistics that every run has.
func Aggregator(hooks score.Hooks) wire.HandlerFunc { return aggregate(hooks) }

// ReadResponse checks the member response of a request body, which is required.
func ReadResponse(body responses.Object) (response responses.Response, err error) {
	p := problems{loc: []any{"body"}}
	member(&p, body, "response", func(v jsontext.Value) (bad responses.FieldErrors) {
		response, bad = responses.CheckResponse(v)
		return bad
	})
	if len(p.list) > 0 {
		return response, p.list
	}
	return response, nil
}
