// Command flow passes handles on, stores them and returns them.
package main

import (
	"context"
	"net/http"

	. "github.com/lensgo/lens"
	telemetry "github.com/lensgo/lens"
	"github.com/lensgo/lens/lenshttp"
)

type handle = telemetry.Group

// What is used in one way each.
var (
	Started    = NewGroup("started")
	Done       = NewGroup("done")
	Checked    = NewGroup("checked")
	Passed     = NewGroup("passed")
	Stored     = NewGroup("stored")
	Returned   = NewGroup("returned")
	Sent       = NewGroup("sent")
	Aliased    = NewGroup("aliased")
	Kept       = NewGroup("kept")   // as a method value
	Listed     = NewGroup("listed") // and ranged over
	Boxed      = NewGroup("boxed")  // in an interface
	Expression = NewGroup("expression")
	Compared   = NewGroup("compared")
	Printed    = NewGroup("printed")
	Embedded   = gate{NewGroup("embedded")}
	Only       = NewGroup("only") // registered, and put into the list of those that are
)

// Fields are made where they are kept.
type groups struct {
	// Inner is made in a literal.
	Inner *Group
	Outer *Group // Outer is made in a statement.
}

var fields = newGroups()

func newGroups() *groups {
	g := &groups{Inner: NewGroup("inner")}
	g.Outer = NewGroup("outer")
	return g
}

var every = []*handle{
	Started, Done, Checked, Passed, Stored, Returned, Sent, Aliased, Kept, Listed, Boxed, Expression, Compared, Printed, Only,
	fields.Inner, fields.Outer, Embedded.Group,
}

func init() {
	lib := Library{Namespace: "flow"}
	lib.Groups = []*handle(every[:])
	register(lib)
}

func register(l Library) { MustRegister(l) }

// gate is a handle with more to it.
type gate struct{ *Group }

type starter interface {
	Start(ctx context.Context, name string) (context.Context, Span)
}

type server struct{ group *Group }

func (s *server) serve(ctx context.Context) {
	_, span := s.group.Start(ctx, "serve")
	defer span.End()
}

func choose() *Group { return Returned }

func helper(ctx context.Context, g *Group) {
	_, span := g.Start(ctx, "helper")
	span.End()
}

func main() {
	ctx, span := Started.StartWith(context.Background(), "flow.main", StartConfig{Root: true})
	defer span.End()
	_ = Done.Do(ctx, "flow.do", func(context.Context) error { return nil })
	if Checked.Enabled() {
		helper(ctx, Passed)
	}
	_ = http.Client{Transport: lenshttp.Transport(Passed, nil)}
	(&server{group: Stored}).serve(ctx)
	choose().Start(ctx, "chosen") //nolint:all // the span does not matter here
	c := make(chan *Group, 1)
	c <- Sent
	alias := Aliased
	defer func() { helper(ctx, alias) }()
	begin := Kept.Start
	begin(ctx, "kept")
	for _, g := range []*Group{Listed} {
		g.StartKind(ctx, "listed", Client)
	}
	var s starter = Boxed
	s.Start(ctx, "boxed")
	(*Group).Start(Expression, ctx, "expression")
	if Compared != nil && len(every) > 0 {
		println(Printed.Name())
	}
	Embedded.Start(ctx, "embedded")
	fields.Inner.Start(ctx, "inner")
	fields.Outer.Start(ctx, "outer")
}
