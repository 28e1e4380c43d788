package config

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

// misfit says where below a value the one stands that a type does not take, and what would be right. The value's name begins the path;
// below an instance, whose settings have none, the instance does. It does not say what stands there, which may be a secret.
func misfit(n *node, owner, name string, err error) Problem {
	text := err.Error()
	if bad, ok := errors.AsType[*json.SemanticError](err); ok {
		for part := range bad.JSONPointer.Tokens() {
			name = strings.TrimPrefix(name+"."+part, ".")
			if n != nil {
				n = n.child(part)
			}
		}
		text = unfit(n, bad)
	}
	if name != "" {
		text = name + " " + text
	}
	if owner != "" {
		text = owner + ": " + text
	}
	p := Problem{Text: text, Err: err}
	if n != nil {
		p.File, p.Line, p.Column = n.at.file, n.at.line, n.at.column
	}
	return p
}

// unfit says what would be right. A type that reads itself knows that best.
func unfit(n *node, bad *json.SemanticError) string {
	if errors.Is(bad.Err, json.ErrUnknownName) {
		return "means nothing here"
	}
	if bad.Err != nil && !errors.Is(bad.Err, strconv.ErrSyntax) && !errors.Is(bad.Err, strconv.ErrRange) {
		return "does not fit: " + bad.Err.Error()
	}
	want := wanted(bad.GoType)
	return fmt.Sprintf("must be %s, and is %s", want, kindName(n, want))
}

const (
	aMapping = "a mapping"
	aNumber  = "a number"
	anInt    = "a whole number"
)

// wanted names what fits a Go type.
func wanted(t reflect.Type) string {
	if t == nil {
		return aMapping
	}
	switch t.Kind() {
	case reflect.Pointer:
		return wanted(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return anInt
	case reflect.Float32, reflect.Float64:
		return aNumber
	case reflect.String:
		return "a text"
	case reflect.Slice:
		return "a list"
	}
	return aMapping
}

// kindName names what a value is, where another kind was wanted.
func kindName(n *node, want string) string {
	if n == nil {
		return "something else"
	}
	switch n.kind {
	case '"':
		return "a text"
	case '0':
		if want == anInt || want == aNumber {
			return "another number"
		}
		return aNumber
	case '{':
		return aMapping
	case '[':
		return "a list"
	case 'n':
		return "null"
	}
	return "true or false"
}
