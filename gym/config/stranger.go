package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Watched is a copy that notes which keys [Instance.DecodeSettings] is asked for. Strangers then lists the keys of the settings that
// nobody asked for and that resemble one that somebody did. Others are let be: they may be meant for another program.
func (i *Instance) Watched() (watched *Instance, strangers func() []string) {
	known := map[string]bool{}
	for _, k := range InstanceKeys() {
		known[k.Name] = true
	}
	c := *i
	c.asked = func(v any) {
		t := reflect.TypeOf(v).Elem()
		if t.Kind() != reflect.Struct {
			return
		}
		for _, f := range reflect.VisibleFields(t) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
				known[name] = true
			}
		}
	}
	return &c, func() (notes []string) {
		names := slices.Collect(maps.Keys(known))
		if i.node == nil {
			return nil
		}
		for _, e := range i.node.entries {
			if near := Near(e.name, names); !known[e.name] && len(near) > 0 {
				p := Problem{File: e.at.file, Line: e.at.line, Column: e.at.column}
				p.Text = fmt.Sprintf("%s: %s does not read %s; did you mean %s?", i.Name, i.Impl, e.name, quoteList(near, " or "))
				notes = append(notes, p.String())
			}
		}
		return notes
	}
}
