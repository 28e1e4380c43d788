package model

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
)

// paramKind is the type of a tool's one parameter, or of an array's items.
type paramKind uint8

const (
	otherParam paramKind = iota // objects, booleans, several parameters: the policy leaves such a tool alone
	noParam
	integerParam
	numberParam
	stringParam
	arrayParam
	anyParam // array items of no stated type
)

// takes reports whether a slot fits a scalar parameter.
func (k paramKind) takes(s slot) bool {
	switch s.kind {
	case integerSlot:
		return k == integerParam || k == numberParam
	case wordSlot:
		return k == stringParam
	}
	return false
}

// holds reports whether a scalar fits an array with items of this kind.
func (k paramKind) holds(v jsontext.Value) bool {
	switch v.Kind() {
	case '0':
		return k == anyParam || k == numberParam || k == integerParam && isInteger(v)
	case '"':
		return k == anyParam || k == stringParam
	}
	return false
}

// isInteger reports whether a JSON number is written without fraction and exponent.
func isInteger(v jsontext.Value) bool {
	return !slices.ContainsFunc(v, func(b byte) bool { return b == '.' || b == 'e' || b == 'E' })
}

// policyTool is a tool as the policy sees it: its name and the one parameter that a call needs.
type policyTool struct {
	name  string
	param string
	kind  paramKind
	items paramKind // of an array
}

// newPolicyTool reads a tool's parameters. With one property, that is the parameter; with more, the required ones count.
func newPolicyTool(t responses.Tool) policyTool {
	parameters := t.Parameters()
	tool := policyTool{name: t.Name(), kind: noParam}
	needed := neededParams(parameters)
	if len(needed) > 1 {
		tool.kind = otherParam
	}
	if len(needed) == 1 {
		properties, _ := parameters.Sub("properties")
		param, _ := properties.Sub(needed[0])
		tool.param, tool.kind, tool.items = needed[0], kindOf(param), itemsOf(param)
	}
	return tool
}

// neededParams names the parameters that a call has to give.
func neededParams(parameters responses.Object) []string {
	properties, _ := parameters.Sub("properties")
	names := properties.Names()
	if len(names) < 2 {
		return names
	}
	required := stringsOf(parameters, "required")
	return slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(required, name) })
}

// kindOf reads the type of a schema; of a list of types, the first that is not null.
func kindOf(schema responses.Object) paramKind {
	name, ok := schema.String("type")
	if !ok {
		names := slices.DeleteFunc(stringsOf(schema, "type"), func(n string) bool { return n == "null" })
		name = strings.Join(names[:min(1, len(names))], "")
	}
	switch name {
	case "integer":
		return integerParam
	case "number":
		return numberParam
	case "string":
		return stringParam
	case "array":
		return arrayParam
	}
	return otherParam
}

func itemsOf(schema responses.Object) paramKind {
	items, _ := schema.Sub("items")
	if !items.Has("type") {
		return anyParam
	}
	return kindOf(items)
}

// stringsOf lists the strings of a member that is an array.
func stringsOf(o responses.Object, member string) []string {
	var out []string
	list, _ := o.Array(member)
	for _, v := range list {
		if b, err := jsontext.AppendUnquote(nil, v); err == nil {
			out = append(out, string(b))
		}
	}
	return out
}
