// Package snapshot is the door through which package lenstest sets a registry back to what it was before a test. A plain
// reset would not do: what init functions have registered cannot be registered again.
//
// It imports nothing, so that it is there in a build that leaves telemetry out, and it does not import the root package:
// that one hangs its side of the door in with [Install] when it is initialised. Registries and groups are passed as any
// and are always *lens.Registry and *lens.Group.
package snapshot

// Hooks is the root package's side of the door.
type Hooks struct {
	Take func(reg any) (restore func())
	Home func(group any) (reg any)
}

var hooks Hooks // written once, by the init of the root package

// Install hangs in the root package's side. Only that package calls it, from an init function.
func Install(h Hooks) { hooks = h }

// Take remembers what reg holds: libraries, spec or pin, provider and logger. The function that it returns puts all of it
// back and tells every gate. Handles that were made meanwhile stay, since somebody may have kept them; a restore counts as
// a switch, so that the generation never goes back.
func Take(reg any) (restore func()) { return hooks.Take(reg) }

// Home returns the registry that made the group, nil for a zero Group.
func Home(group any) (reg any) { return hooks.Home(group) }
