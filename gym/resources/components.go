package resources

import (
	"context"
	"fmt"
	"reflect"
)

// VerifyComponents is [Verify] for an environment that scores several things at once. Parts is a struct of float64 members,
// one for each: so every rollout has the same ones, as trainers that weigh them need it. They stand in the reply as
// reward_components, and once more beside the reward, because metrics do not look into objects. reward is what whoever
// knows only one reward goes by; see [Sum].
func VerifyComponents[Row, Parts, More any](s *Server,
	fn func(ctx context.Context, v Verification[Row]) (reward float64, parts Parts, more More, err error)) {
	s.fail(checkParts(reflect.TypeFor[Parts](), reflect.TypeFor[More]()))
	handleVerify(s, reflect.TypeFor[More](), func(ctx context.Context, v Verification[Row]) (float64, []any, error) {
		reward, parts, more, err := fn(ctx, v)
		return reward, []any{components[Parts]{parts}, parts, more}, err
	})
}

// components are the parts under their name.
type components[Parts any] struct {
	Parts Parts `json:"reward_components"`
}

// Sum adds up the members of a struct of float64.
func Sum[Parts any](parts Parts) (sum float64) {
	v := reflect.ValueOf(parts)
	for _, f := range fieldsOf(v.Type()) {
		sum += v.FieldByIndex(f.index).Float()
	}
	return sum
}

// checkParts refuses components that are no struct of numbers, that may be missing, or that something else overwrites.
func checkParts(parts, more reflect.Type) error {
	if parts.Kind() != reflect.Struct || len(fieldsOf(parts)) == 0 {
		return fmt.Errorf("VerifyComponents: its components are a %v; they must be a struct with a float64 for each", parts)
	}
	taken := map[string]bool{"reward_components": true}
	if more.Kind() == reflect.Struct {
		for _, f := range fieldsOf(more) {
			if f.name == "reward_components" {
				return fmt.Errorf("VerifyComponents: its third result has a member %q, which is the kit's to write", f.name)
			}
			taken[f.name] = true
		}
	}
	for _, f := range fieldsOf(parts) {
		switch {
		case f.kind.Kind() != reflect.Float64 || !f.required:
			return fmt.Errorf("VerifyComponents: component %q is a %v; it must be a float64 that is always written", f.name, f.kind)
		case taken[f.name] || kitMembers[f.name]:
			return fmt.Errorf("VerifyComponents: component %q has the name of another member of the reply", f.name)
		}
	}
	return nil
}
