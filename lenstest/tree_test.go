//go:build !lens_off

package lenstest_test

import (
	"errors"
	"testing"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lenstest"
)

// forest makes two traces with a bit of everything.
func forest(t testing.TB) *lenstest.Recorder {
	rec, g := fixture(t)
	ctx, root := g.StartKind(t.Context(), "POST /run", lens.Server)
	for _, name := range []string{"b", "a"} {
		_, span := g.Start(ctx, name)
		span.Str("city", "New York").Int("n", 1).Str("none", "").Str("plain", "x").Strs("list", []string{"1", "2"})
		span.Err(errors.New("no " + name))
		span.End()
	}
	_, open := g.StartKind(ctx, "model", lens.Client)
	open.Ok()
	root.End()
	far, _ := lens.ParseRef("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "")
	_, remote := g.Start(lens.WithParent(t.Context(), far), "line\nbreak")
	remote.End()
	return rec
}

func TestTree(t *testing.T) {
	want := `POST /run (server)
  b city="New York" n=1 none="" plain=x list=[1 2] Error "no b"
  a city="New York" n=1 none="" plain=x list=[1 2] Error "no a"
  model (client) Ok (open)
"line\nbreak"
`
	rec := forest(t)
	if got := rec.Tree("city", "n", "none", "plain", "list", "missing"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAssertTree(t *testing.T) {
	rec := forest(t)
	for name, c := range map[string]struct {
		want  string
		exact bool // as it is
		order bool // in any order
	}{
		"as it is": {"POST /run (server)\n  b Error \"no b\"\n  a Error \"no a\"\n  model (client) Ok (open)\n\"line\\nbreak\"\n", true, true},
		"indented": {`
			POST /run (server)
			  b Error "no b"
			  a Error "no a"

			  model (client) Ok (open)
			"line\nbreak"
		`, true, true},
		"with tabs": {`
			POST /run (server)
				b Error "no b"
				a Error "no a"
				model (client) Ok (open)
			"line\nbreak"`, true, true},
		"in another order": {`
			"line\nbreak"
			POST /run (server)
			  a Error "no a"
			  model (client) Ok (open)
			  b Error "no b"
		`, false, true},
		"one below another": {`
			POST /run (server)
			  b Error "no b"
			    a Error "no a"
			  model (client) Ok (open)
			"line\nbreak"
		`, false, false},
		"one is missing": {`
			POST /run (server)
			  b Error "no b"
			  a Error "no a"
			"line\nbreak"
		`, false, false},
		"nothing": {"", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, test := range []struct {
				passes bool
				run    func(t testing.TB)
			}{
				{c.exact, func(t testing.TB) { rec.AssertTree(t, c.want) }},
				{c.order, func(t testing.TB) { rec.AssertTreeAnyOrder(t, c.want) }},
			} {
				if test.passes {
					passes(t, test.run)
				} else {
					fails(t, test.run, "-want +got", "there are:\n", "POST /run (server)")
				}
			}
		})
	}
	passes(t, func(t testing.TB) { lenstest.New(t).AssertTree(t, "\n\t\n") })
}

// What stands in a tree can be pasted into a test: reading it back gives the same tree.
func FuzzTree(f *testing.F) {
	for _, s := range []string{"a", "", " a", "a\nb", "\t", "\u00a0x", "\x00", "a (open)", "\u2028", "\"", "\xff"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, name, value string) {
		rec, g := fixture(t)
		ctx, root := g.Start(t.Context(), name)
		_, below := g.Start(ctx, name)
		below.Str("k", value).Err(errors.New(value)).End()
		root.End()
		passes(t, func(t testing.TB) { rec.AssertTree(t, rec.Tree("k"), "k") })
	})
}
