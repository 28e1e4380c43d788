package chat

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/splice"
)

// isText reports whether a part of the type has its text in the member text.
func isText(kind string) bool { return kind == "input_text" || kind == "output_text" || kind == "text" }

// appendPart converts a part of an input message. Parts that have the shape of this dialect already are copied.
func appendPart(t *splice.Text, v jsontext.Value, loc ...any) error {
	part, ok := responses.View(v)
	if !ok {
		return responses.FieldErrors{responses.WrongType("object", v, loc...)}
	}
	kind, _ := part.String("type")
	switch kind {
	case "text", "image_url", "video_url", "audio_url", "input_audio":
		t.Raw(v)
		return nil
	case "input_text", "output_text":
		text, ok := part.Get("text")
		if !ok || text.Kind() != '"' {
			return responses.FieldErrors{responses.Missing(v, append(loc, "text")...)}
		}
		t.Open('{')
		t.Literal(`"type":"text"`)
		t.Member("text", text)
	case "input_image":
		if err := appendImage(t, part, loc); err != nil {
			return err
		}
	case "input_video":
		if err := appendVideo(t, part, loc); err != nil {
			return err
		}
	default:
		return unsupported(fmt.Sprintf("a part of type %.64q", kind), loc...)
	}
	for name, v := range part.All() {
		switch name {
		case "type", "text", "image_url", "detail", "file_id", "video_url", "video", "annotations", "logprobs":
		default:
			t.Member(name, v)
		}
	}
	t.Close('}')
	return nil
}

func appendImage(t *splice.Text, part responses.Object, loc []any) error {
	v, ok := part.Get("image_url")
	if id, _ := part.Get("file_id"); !ok && !responses.IsNull(id) {
		return unsupported("an image named by file_id", loc...)
	}
	url, err := address(v, part, append(loc, "image_url"))
	if err != nil {
		return err
	}
	detail, _ := part.Get("detail")
	if responses.IsNull(detail) {
		detail = jsontext.Value(`"auto"`)
	}
	t.Open('{')
	t.Literal(`"type":"image_url","image_url":{`)
	t.Member("url", url)
	t.Member("detail", detail)
	t.Close('}')
	return nil
}

func appendVideo(t *splice.Text, part responses.Object, loc []any) error {
	name := "video"
	if part.Has("video_url") {
		name = "video_url"
	}
	v, _ := part.Get(name)
	url, err := address(v, part, append(loc, name))
	if err != nil {
		return err
	}
	t.Open('{')
	t.Literal(`"type":"video_url","video_url":{`)
	t.Member("url", url)
	t.Close('}')
	return nil
}

// address returns a URL that stands as a string or in an object; it must not be empty.
func address(v jsontext.Value, part responses.Object, loc []any) (jsontext.Value, error) {
	if o, ok := responses.View(v); ok {
		v, _ = o.Get("url")
	}
	if s, _ := responses.Text(v); s == "" {
		return nil, responses.FieldErrors{{Type: "value_error", Loc: loc, Msg: "Value error, the URL must not be empty",
			Input: part.AppendTo(nil)}}
	}
	return v, nil
}

// inputPart converts a part of a message of this dialect.
func inputPart(t *splice.Text, v jsontext.Value, textType string, loc ...any) error {
	part, ok := responses.View(v)
	if !ok {
		return responses.FieldErrors{responses.WrongType("object", v, loc...)}
	}
	kind, _ := part.String("type")
	switch kind {
	case "text":
		text, _ := part.Get("text")
		if text.Kind() != '"' {
			return responses.FieldErrors{responses.Missing(v, append(loc, "text")...)}
		}
		t.Open('{')
		t.StringMember("type", textType)
		t.Member("text", text)
		if textType == "output_text" {
			t.Literal(`"annotations":[]`)
		}
	case "image_url":
		if err := inputImage(t, part, loc); err != nil {
			return err
		}
	case "video_url":
		o, _ := part.Get("video_url")
		url, err := address(o, part, append(loc, "video_url", "url"))
		if err != nil {
			return err
		}
		t.Open('{')
		t.Literal(`"type":"input_video"`)
		t.Member("video_url", url)
	case "refusal":
		t.Raw(v)
		return nil
	default:
		return toResponses(fmt.Sprintf("a part of type %.64q", kind), loc...)
	}
	for name, v := range part.All() {
		switch name {
		case "type", "text", "image_url", "video_url", "annotations", "detail", "file_id", "video", "logprobs":
		default:
			t.Member(name, v)
		}
	}
	t.Close('}')
	return nil
}

func inputImage(t *splice.Text, part responses.Object, loc []any) error {
	image, _ := part.Get("image_url")
	url, err := address(image, part, append(loc, "image_url", "url"))
	if err != nil {
		return err
	}
	t.Open('{')
	t.Literal(`"type":"input_image"`)
	t.Member("image_url", url)
	o, _ := part.Sub("image_url")
	detail, _ := o.Get("detail")
	if responses.IsNull(detail) {
		detail = jsontext.Value(`"auto"`)
	}
	t.Member("detail", detail)
	return nil
}
