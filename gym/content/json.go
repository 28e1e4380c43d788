package content

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// maxJSON is the longest JSON that is decoded to be redacted by its keys. What is longer is recorded as text.
const maxJSON = 256 << 10

// markRoom is what is kept free for the mark at the end.
const markRoom = 64

// lenient reads what real programs write.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

var errFull = errors.New("there is no room for more")

// jsonCopy copies a JSON value, redacted by its keys and with its texts cut, up to a bound.
type jsonCopy struct {
	*losses
	d     *jsontext.Decoder
	out   []byte
	bound int    // of out
	open  []byte // the brackets that close what is open
	first bool   // nothing stands in the innermost bracket yet
	read  int64  // how much of src is in out
}

// appendJSON appends a copy of the object or list src to dst, which may grow to bound bytes. It is not ok, and dst is as it
// was, when src is neither, is too long, or is not valid as far as it was read.
func (l *losses) appendJSON(dst, src []byte, bound int) (out []byte, ok bool) {
	src = bytes.Trim(src, " \t\r\n")
	if len(src) == 0 || len(src) > maxJSON || src[0] != '{' && src[0] != '[' || bound-len(dst) < 2*markRoom {
		return dst, false
	}
	lost := *l
	c := jsonCopy{losses: &lost, d: jsontext.NewDecoder(bytes.NewBuffer(src), lenient...), out: dst, bound: bound}
	err := c.value()
	switch {
	case errors.Is(err, errFull):
		c.close(len(src) - int(c.read))
	case err != nil:
		return dst, false
	default:
		if _, err := c.d.ReadToken(); !errors.Is(err, io.EOF) {
			return dst, false // more than one value
		}
	}
	*l = lost
	return c.out, true
}

// value copies the next value, with all that is in it.
func (c *jsonCopy) value() error {
	for {
		if err := c.next(); err != nil {
			return err
		}
		if len(c.open) == 0 {
			return nil
		}
	}
}

// next copies the next token, or the next member of an object up to its value's first token. When there is no room it takes
// back what it wrote.
func (c *jsonCopy) next() error {
	kind := c.d.PeekKind()
	if kind == '}' || kind == ']' {
		return c.leave()
	}
	before, lost := len(c.out), *c.losses
	c.read = c.d.InputOffset()
	err := c.member(kind)
	if err == nil && len(c.out)+len(c.open)+markRoom > c.bound {
		c.takeBack(before)
		*c.losses = lost
		return errFull
	}
	return err
}

func (c *jsonCopy) takeBack(to int) {
	if n := len(c.out); n > to && (c.out[n-1] == '{' || c.out[n-1] == '[') && len(c.open) > 0 {
		c.open = c.open[:len(c.open)-1]
	}
	c.first = to > 0 && (c.out[to-1] == '{' || c.out[to-1] == '[')
	c.out = c.out[:to]
}

// member copies an element, or a name and the first token of its value.
func (c *jsonCopy) member(kind jsontext.Kind) error {
	if len(c.open) > 0 && !c.first {
		c.out = append(c.out, ',')
	}
	c.first = false
	if len(c.open) > 0 && c.open[len(c.open)-1] == '}' {
		name, err := c.d.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		c.out = appendQuote(c.out, c.clean(excerptOf(key)))
		c.out = append(c.out, ':')
		kind = c.d.PeekKind()
		if isCredential(key) && kind != 'n' && kind != 't' && kind != 'f' {
			c.redacted++
			c.out = appendQuote(c.out, redacted)
			return c.d.SkipValue()
		}
	}
	return c.start(kind)
}

// start copies a scalar, or the bracket that opens something.
func (c *jsonCopy) start(kind jsontext.Kind) error {
	if kind == '{' || kind == '[' {
		if _, err := c.d.ReadToken(); err != nil {
			return err
		}
		c.out = append(c.out, byte(kind))
		c.open = append(c.open, byte(kind)+2) // } is { + 2 and ] is [ + 2
		c.first = true
		return nil
	}
	v, err := c.d.ReadValue()
	if err != nil {
		return err
	}
	if kind == '"' {
		c.out = appendQuote(c.out, c.clean(excerptOfJSON(v)))
		return nil
	}
	c.out = append(c.out, v...)
	return nil
}

func (c *jsonCopy) leave() error {
	if _, err := c.d.ReadToken(); err != nil {
		return err
	}
	c.out = append(c.out, c.open[len(c.open)-1])
	c.open = c.open[:len(c.open)-1]
	c.first = false
	return nil
}

// close ends a copy for which there was no room, with a mark that says how much is missing.
func (c *jsonCopy) close(missing int) {
	c.cut += missing
	for i, end := range slices.Backward(c.open) {
		if i == len(c.open)-1 {
			if !c.first {
				c.out = append(c.out, ',')
			}
			if end == '}' {
				c.out = append(c.out, `"…":`...)
			}
			c.out = appendQuote(c.out, markOf(missing))
		}
		c.out = append(c.out, end)
	}
}

// appendQuote appends s as a JSON string; bytes that are no UTF-8 become U+FFFD.
func appendQuote(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // the error only says that a byte was replaced
	return dst
}
