package resources

import (
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The scalar readers are as lenient as the Python servers are: "3", "3.0" and 3e0 are the integer 3, "3e0" is none, "yes"
// is true. A model that writes its numbers in quotes gets the same reward from both.

func decodeString(p *problems, raw jsontext.Value, v reflect.Value) {
	if raw.Kind() != '"' {
		p.wrongType("string", raw)
		return
	}
	v.SetString(unquote(raw))
}

func decodeBool(p *problems, raw jsontext.Value, v reflect.Value) {
	switch raw.Kind() {
	case 't', 'f':
		v.SetBool(raw.Kind() == 't')
	case '"':
		switch strings.ToLower(unquote(raw)) {
		case "true", "t", "yes", "y", "on", "1":
			v.SetBool(true)
		case "false", "f", "no", "n", "off", "0":
			v.SetBool(false)
		default:
			p.add("bool_parsing", "Input should be a valid boolean, unable to interpret input", raw)
		}
	case '0':
		switch n, _ := strconv.ParseFloat(string(raw), 64); n {
		case 0:
			v.SetBool(false)
		case 1:
			v.SetBool(true)
		default:
			p.add("bool_parsing", "Input should be a valid boolean, unable to interpret input", raw)
		}
	default:
		p.wrongType("boolean", raw)
	}
}

func decodeFloat(p *problems, raw jsontext.Value, v reflect.Value) {
	text, kind := numberText(raw)
	if kind == notNumber {
		p.wrongType("number", raw)
		return
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || v.OverflowFloat(n) {
		p.add("float_parsing", "Input should be a valid number, unable to parse string as a number", raw)
		return
	}
	v.SetFloat(n)
}

func decodeInt(p *problems, raw jsontext.Value, v reflect.Value) {
	text, kind := numberText(raw)
	if kind == notNumber {
		p.wrongType("integer", raw)
		return
	}
	n, whole, ok := integer(text)
	switch {
	case kind == quotedNumber && (!ok || !whole || strings.ContainsAny(text, "eE")):
		p.add("int_parsing", "Input should be a valid integer, unable to parse string as an integer", raw)
	case !ok:
		p.add("int_parsing_size", "Input should be a valid integer, this one is too large", raw)
	case !whole:
		p.add("int_from_float", "Input should be a valid integer, got a number with a fractional part", raw)
	default:
		setInt(p, raw, v, n)
	}
}

// setInt stores n in v, whatever integer v is.
func setInt(p *problems, raw jsontext.Value, v reflect.Value, n *big.Int) {
	switch {
	case v.CanInt() && n.IsInt64() && !v.OverflowInt(n.Int64()):
		v.SetInt(n.Int64())
	case v.CanUint() && n.IsUint64() && !v.OverflowUint(n.Uint64()):
		v.SetUint(n.Uint64())
	default:
		p.add("int_parsing_size", "Input should be a valid integer that fits "+v.Kind().String(), raw)
	}
}

// numberKind tells how a number was written.
type numberKind int

const (
	notNumber numberKind = iota
	plainNumber
	quotedNumber
)

// numberText returns the digits of raw: those of a number, of a string, or 1 and 0 for a boolean.
func numberText(raw jsontext.Value) (string, numberKind) {
	switch raw.Kind() {
	case '0':
		return string(raw), plainNumber
	case '"':
		return strings.TrimSpace(unquote(raw)), quotedNumber
	case 't':
		return "1", plainNumber
	case 'f':
		return "0", plainNumber
	}
	return "", notNumber
}

// maxExponent bounds the work that a number like 1e999999999 may ask for.
const maxExponent = 64

// integer reads text exactly, beyond 2^53 too. whole is false when it has a fraction; ok when it is a number of a size
// that any Go integer could hold.
func integer(text string) (n *big.Int, whole, ok bool) {
	if n, ok := new(big.Int).SetString(text, 10); ok && len(text) <= maxExponent {
		return n, true, true
	}
	if !strings.ContainsAny(text, ".eE") || strings.ContainsAny(text, "_xXpP/") || len(text) > 2*maxExponent {
		return nil, false, false
	}
	if _, exponent, found := strings.Cut(strings.ToLower(text), "e"); found {
		e, err := strconv.Atoi(exponent)
		if err != nil || e > maxExponent {
			return nil, false, false
		}
		if e < -maxExponent {
			return nil, false, true
		}
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, false, false
	}
	return r.Num(), r.IsInt(), true
}

// unquote returns the text of the JSON string raw.
func unquote(raw jsontext.Value) string {
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil && len(text) == 0 {
		return ""
	}
	return string(text)
}
