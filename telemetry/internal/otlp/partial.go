package otlp

import (
	"encoding/json"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// ParseAnswer reads a response message. The three of OTLP have the same shape: a partial success in field 1, with the count
// of what was rejected and a message. What cannot be read says nothing.
func ParseAnswer(body []byte) Answer {
	partial := field(body, 1)
	if partial == nil {
		return Answer{}
	}
	var a Answer
	for len(partial) > 0 {
		num, typ, n := protowire.ConsumeTag(partial)
		if n < 0 {
			break
		}
		partial = partial[n:]
		switch {
		case num == 1 && typ == protowire.VarintType:
			v, n := protowire.ConsumeVarint(partial)
			if n < 0 {
				return a
			}
			a.Rejected, partial = int64(v), partial[n:]
		case num == 2 && typ == protowire.BytesType:
			v, n := protowire.ConsumeBytes(partial)
			if n < 0 {
				return a
			}
			a.Message, partial = Excerpt(v), partial[n:]
		default:
			n := protowire.ConsumeFieldValue(num, typ, partial)
			if n < 0 {
				return a
			}
			partial = partial[n:]
		}
	}
	return a
}

// field returns the last value of a field of bytes, nil when there is none.
func field(body []byte, want protowire.Number) (value []byte) {
	for len(body) > 0 {
		num, typ, n := protowire.ConsumeField(body)
		if n < 0 {
			return value
		}
		if num == want && typ == protowire.BytesType {
			_, _, tag := protowire.ConsumeTag(body)
			value, _ = protowire.ConsumeBytes(body[tag:])
		}
		body = body[n:]
	}
	return value
}

// parseJSONAnswer reads the same in JSON, where a count of 64 bits may be a text.
func parseJSONAnswer(body []byte) Answer {
	var r struct {
		PartialSuccess struct {
			RejectedSpans, RejectedDataPoints, RejectedLogRecords json.RawMessage

			ErrorMessage string
		}
	}
	if json.Unmarshal(body, &r) != nil {
		return Answer{}
	}
	a := Answer{Message: Excerpt([]byte(r.PartialSuccess.ErrorMessage))}
	for _, raw := range []json.RawMessage{r.PartialSuccess.RejectedSpans, r.PartialSuccess.RejectedDataPoints, r.PartialSuccess.RejectedLogRecords} {
		text := string(raw)
		if unquoted, err := strconv.Unquote(text); err == nil {
			text = unquoted
		}
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			a.Rejected = n
		}
	}
	return a
}
