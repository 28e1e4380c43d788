package rollout

import (
	"fmt"

	"github.com/lensgo/lens/gym/responses"
)

// addSeed puts a rollout's seed where model servers look for what a request has beyond its API: metadata.extra_body, an object that is
// written as a text. What is there already stays.
func addSeed(row *responses.Object, seed int) error {
	params, ok := row.Sub(keyParams)
	if !ok {
		return fmt.Errorf("%s is no object", keyParams)
	}
	metadata, extra, err := extraBody(params)
	if err != nil {
		return err
	}
	extra.SetInt("seed", int64(seed))
	metadata.SetString("extra_body", string(extra.AppendTo(nil)))
	params.Set("metadata", metadata.AppendTo(nil))
	row.Set(keyParams, params.AppendTo(nil))
	return nil
}

// extraBody reads metadata and, in it, extra_body; both are empty when they are not there.
func extraBody(params responses.Object) (metadata, extra responses.Object, err error) {
	if v, ok := params.Get("metadata"); ok && v.Kind() != 'n' {
		if metadata, ok = params.Sub("metadata"); !ok {
			return metadata, extra, fmt.Errorf("%s.metadata must be an object to take a seed, not %s", keyParams, kindName(v.Kind()))
		}
	}
	v, ok := metadata.Get("extra_body")
	if !ok || v.Kind() == 'n' {
		return metadata, extra, nil
	}
	text, isText := metadata.String("extra_body")
	if isText {
		extra, err = responses.ParseObject([]byte(text))
	}
	if !isText || err != nil {
		return metadata, extra, fmt.Errorf("%s.metadata.extra_body must be a JSON object written as a text to take a seed, not %s", keyParams, short(v))
	}
	return metadata, extra, nil
}
