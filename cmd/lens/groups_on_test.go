//go:build !lens_off

package main_test

import (
	"encoding/json"
	"testing"

	golens "github.com/lensgo/lens"
	_ "github.com/lensgo/lens/gym/telemetry"
)

// Every group that Gym registers is in the list, from what the running program says.
func TestGroups_whole(t *testing.T) {
	code, out, errs := lensHere(t, "groups", "./cmd/gym", "--format", "json")
	if code != 0 {
		t.Fatal(errs)
	}
	var listed struct {
		Groups []struct {
			Name       string   `json:"name"`
			Namespaces []string `json:"namespaces"`
		} `json:"groups"`
	}
	if err := json.Unmarshal([]byte(out), &listed); err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, g := range listed.Groups {
		got[g.Name] = len(g.Namespaces) > 0
	}
	registered := golens.CurrentState().Groups // by the import of Gym's telemetry
	if len(registered) == 0 {
		t.Fatal("nothing is registered")
	}
	for _, name := range registered {
		if !got[name] {
			t.Errorf("group %s is registered and not listed: %v", name, got)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("listed and not registered: %v", got)
	}
}
