package telemetry

import "runtime/debug"

const module = "github.com/lensgo/lens/gym"

// Version returns the version of the Gym module in the program that runs; "(devel)" when it was built from a checkout.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return devel
	}
	return versionOf(info)
}

const devel = "(devel)"

func versionOf(info *debug.BuildInfo) string {
	mod := &info.Main
	for _, dep := range info.Deps {
		if dep.Path == module {
			mod = dep
		}
	}
	if mod.Replace != nil {
		mod = mod.Replace // a directory has no version
	} else if mod.Path != module {
		return devel
	}
	if mod.Version == "" || mod.Version == "v0.0.0" {
		return devel
	}
	return mod.Version
}
