//go:build lens_off

package lens

import "context"

func (g *Group) emit(context.Context, string, EmitConfig, []Attr) Ref { return Ref{} }
