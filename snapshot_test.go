//go:build !lens_off

package lens_test

import (
	"reflect"
	"testing"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/snapshot"
)

// Warnings that were held back for the first spec are held again, and come once it is set for good.
func TestSnapshot_holds_warnings_again(t *testing.T) {
	r, log := logged(t)
	register(t, r, "one", "shared")
	register(t, r, "two", "shared")
	restore := snapshot.Take(r)
	for range 2 {
		r.SetLogger(quiet)
		r.SetSpec("shared")
		restore()
		log.none(t)
	}
	r.SetSpec("shared")
	log.one(t, "shared by two libraries")
}

func TestSnapshot_restores(t *testing.T) {
	r, _ := logged(t)
	g := register(t, r, "lib", "work")[0]
	r.SetSpec("work,later")
	before := r.CurrentState()
	restore := snapshot.Take(r)

	late := register(t, r, "late", "later")[0]
	if err := r.Unregister("lib"); err != nil {
		t.Fatal(err)
	}
	r.Pin("nothing")
	meanwhile := r.CurrentState()
	restore()

	after := r.CurrentState()
	if after.Generation <= meanwhile.Generation {
		t.Errorf("the generation goes from %d to %d", meanwhile.Generation, after.Generation)
	}
	if after.Generation = before.Generation; !reflect.DeepEqual(after, before) {
		t.Errorf("got %+v, want %+v", after, before)
	}
	if r.NewGroup("later") != late || late.Enabled() {
		t.Error("the handle made meanwhile is another one, or on")
	}
	if !hasWord(g) {
		t.Error("the gate of the group is closed")
	}
	if snapshot.Home(g) != r || snapshot.Home(&lens.Group{}) != nil {
		t.Error("a group's registry is not the one that made it")
	}
}
