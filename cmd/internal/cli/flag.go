package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError makes a usage error of what is wrong with a flag, and says what would be right.
func flagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if near := nearFlag(cmd, unknown.GetSpecifiedName()); near != "" {
			err = fmt.Errorf("%w; did you mean --%s?", err, near)
		}
	}
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if want := wanted[bad.GetFlag().Value.Type()]; want != "" {
			err = fmt.Errorf("--%s is %q; it must be %s", bad.GetFlag().Name, bad.GetValue(), want)
		}
	}
	return Usage(cmd, err)
}

// wanted are the types whose values pflag reads with packages that tell of themselves.
var wanted = map[string]string{
	"bool": "true or false", "float64": "a number", "int": "a whole number", "int64": "a whole number", "uint64": "a whole number from 0",
	"duration": "a number with a unit, for example 90s, 10m or 1h30m",
}

// nearFlag is the flag that was perhaps meant, as cobra finds verbs; "" for none.
func nearFlag(cmd *cobra.Command, name string) string {
	names := cobra.Command{SuggestionsMinimumDistance: 2}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
		}
	})
	if near := names.SuggestionsFor(strings.ReplaceAll(name, "_", "-")); len(near) > 0 {
		return near[0]
	}
	return ""
}
