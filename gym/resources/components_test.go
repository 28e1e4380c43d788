package resources_test

import (
	"context"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/resources"
)

type parts struct {
	Right float64 `json:"right"`
	Tidy  float64 `json:"tidy"`
}

func TestVerifyComponents(t *testing.T) {
	s := resources.New(instance(), nil)
	resources.VerifyComponents(s, func(_ context.Context, v resources.Verification[taskRow]) (float64, parts, extras, error) {
		p := parts{Right: float64(v.Row.Want), Tidy: 0.5}
		return resources.Sum(p), p, extras{Near: true}, nil
	})
	server, err := s.Build()
	if err != nil {
		t.Fatal(err)
	}
	w := post(t, server, "/verify", strings.Replace(rollout, `{`, `{"want":2,`, 1))
	if want := `"reward":2.5,"reward_components":{"right":2,"tidy":0.5},"right":2,"tidy":0.5,"near":true,"missing":[]}`; !strings.HasSuffix(w.Body.String(), want) {
		t.Errorf("got %s\nwant it to end with %s", w.Body, want)
	}
}

// refusal is what Build says about a verification with these components and further members.
func refusal[Parts, More any](t *testing.T) string {
	t.Helper()
	s := resources.New(instance(), nil)
	resources.VerifyComponents(s, func(context.Context, resources.Verification[struct{}]) (r float64, p Parts, m More, err error) {
		return r, p, m, nil
	})
	if _, err := s.Build(); err != nil {
		return err.Error()
	}
	return ""
}

func TestComponentsThatCannotBe(t *testing.T) {
	type optional struct {
		A float64 `json:"a,omitzero"`
	}
	type text struct {
		A string `json:"a"`
	}
	type reward struct {
		Reward float64 `json:"reward"`
	}
	type same struct {
		Tidy bool `json:"tidy"`
	}
	type own struct {
		C int `json:"reward_components"`
	}
	for got, want := range map[string]string{
		refusal[map[string]float64, struct{}](t): "must be a struct with a float64 for each",
		refusal[struct{}, struct{}](t):           "must be a struct with a float64 for each",
		refusal[optional, struct{}](t):           `component "a" is a float64; it must be a float64 that is always written`,
		refusal[text, struct{}](t):               `component "a" is a string`,
		refusal[reward, struct{}](t):             `component "reward" has the name of another member`,
		refusal[parts, same](t):                  `component "tidy" has the name of another member`,
		refusal[parts, own](t):                   `a member "reward_components", which is the kit's`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want it to say %s", got, want)
		}
	}
}
