package reference

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestCommands(t *testing.T) {
	run := func(*cobra.Command, []string) {}
	root := &cobra.Command{Use: "tool", Run: run}
	verb := &cobra.Command{
		Use: "mend THING", Short: "Mend a thing with --glue", Example: "  tool mend cup", Run: run,
		Long: "Mends what is broken, with --glue. Kinds:\n  wood   dries long\n  china  breaks again\n\nSee A_B, and (--all).",
	}
	verb.Flags().StringP("glue", "g", "bone", "the `kind` of glue: wood|china, default of $GLUE")
	verb.Flags().Bool("all", false, "all things")
	hidden := &cobra.Command{Use: "secret", Hidden: true, Run: run}
	group := &cobra.Command{Use: "list", Short: "Lists"}
	group.AddCommand(&cobra.Command{Use: "cups", Short: "List cups", Run: run})
	root.AddCommand(verb, hidden, group)

	want := "### `tool list cups`\n\nList cups.\n\n```sh\ntool list cups\n```\n\n" +
		"### `tool mend`\n\nMend a thing with `--glue`.\n\n```sh\ntool mend THING [flags]\n```\n\n" +
		"Mends what is broken, with `--glue`. Kinds:\n\n```\nwood   dries long\nchina  breaks again\n```\n\n" +
		"See `A_B`, and (`--all`).\n\nFor example:\n\n```sh\ntool mend cup\n```\n\n" +
		"| flag | default | |\n|---|---|---|\n" +
		"| `--all` | off | all things |\n" +
		"| `--glue`, `-g` kind | `bone` | the kind of glue: wood\\|china, default of `$GLUE` |\n\n"
	if got := Commands(root); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestReplace(t *testing.T) {
	const page = "# A\n<!-- generated: a -->\nold\n<!-- end: a -->\nrest\n"
	text, stale, err := replace(page, "a", "new")
	if err != nil || !stale || text != "# A\n<!-- generated: a -->\n\nnew\n\n<!-- end: a -->\nrest\n" {
		t.Errorf("%q, %v, %v", text, stale, err)
	}
	if again, stale, err := replace(text, "a", "new\n"); again != text || stale || err != nil {
		t.Errorf("%q, %v, %v", again, stale, err)
	}
	if _, _, err := replace(page, "b", "new"); err == nil || !strings.Contains(err.Error(), "<!-- generated: b -->") {
		t.Errorf("%v", err)
	}
}
