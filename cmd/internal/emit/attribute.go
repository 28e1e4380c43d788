package emit

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens"
)

// parseAttribute reads KEY=TEXT, or KEY:=JSON for what is no text.
func parseAttribute(text string) (lens.Attr, error) {
	key, value, found := strings.Cut(text, "=")
	typed := strings.HasSuffix(key, ":")
	key = strings.TrimSpace(strings.TrimSuffix(key, ":"))
	switch {
	case !found:
		return lens.Attr{}, fmt.Errorf("the attribute %q has no =; give KEY=TEXT, or KEY:=JSON such as n:=3", text)
	case key == "":
		return lens.Attr{}, fmt.Errorf("the attribute %q has no key", text)
	case typed:
		return attribute(key, jsontext.Value(value))
	}
	return lens.Str(key, value), nil
}

// attribute makes one of a JSON value.
func attribute(key string, value jsontext.Value) (lens.Attr, error) {
	var text string
	switch value.Kind() {
	case '"':
		if json.Unmarshal(value, &text) == nil {
			return lens.Str(key, text), nil
		}
	case 't', 'f':
		var b bool
		if json.Unmarshal(value, &b) == nil {
			return lens.Bool(key, b), nil
		}
	case '[':
		if list, ok := texts(value); ok {
			return lens.Strs(key, list), nil
		}
	case '0':
		if a, ok := number(key, value); ok {
			return a, nil
		}
	}
	return lens.Attr{}, fmt.Errorf("the attribute %s is %s; it must be a text, a boolean, a number of 64 bits or a list of texts, as JSON", key, clip(value))
}

// texts reads a list of texts, of which none is null.
func texts(value jsontext.Value) (list []string, ok bool) {
	var items []*string
	if json.Unmarshal(value, &items) != nil {
		return nil, false
	}
	for _, item := range items {
		if item == nil {
			return nil, false
		}
		list = append(list, *item)
	}
	return list, true
}

// number makes an integer of digits alone, and of the rest a float.
func number(key string, value jsontext.Value) (a lens.Attr, ok bool) {
	var n jsontext.Value
	if json.Unmarshal(value, &n) != nil {
		return a, false // more than one number
	}
	text := strings.TrimSpace(string(n))
	if !strings.ContainsAny(text, ".eE") {
		i, err := strconv.ParseInt(text, 10, 64)
		return lens.Int64(key, i), err == nil
	}
	f, err := strconv.ParseFloat(text, 64)
	return lens.Float(key, f), err == nil && !math.IsInf(f, 0)
}

// clip shortens what goes into a message.
func clip(value jsontext.Value) string {
	const most = 60
	if len(value) > most {
		return strings.ToValidUTF8(string(value[:most]), "") + "..."
	}
	return string(value)
}
