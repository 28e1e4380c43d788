//go:build !lens_off

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/telemetry/export"
)

// recoverSpool sends what is left and says what became of it.
func recoverSpool(cmd *cobra.Command, dir string, anywhere bool, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), limit)
	defer cancel()
	dir = cmp.Or(dir, strings.TrimSpace(os.Getenv("NEMO_LENS_SPOOL_DIR")))
	all, err := export.Recover(ctx, export.OTLPConfig{
		Logger:   slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil)),
		SpoolDir: dir,
	}, anywhere)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		fmt.Fprintln(cmd.OutOrStdout(), nothingLeft(dir))
		return nil
	}
	table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, r := range all {
		fmt.Fprintf(table, "%s\t%s\t%s\n", r.Signal, r.URL, outcome(r, anywhere))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, r := range all {
		if r.Left+r.Lost > 0 || r.Err != nil {
			return errors.New("not everything was sent")
		}
	}
	return nil
}

// nothingLeft names a folder that is not there: its name may be the mistake.
func nothingLeft(dir string) string {
	if _, err := os.Stat(dir); dir != "" && errors.Is(err, fs.ErrNotExist) {
		return fmt.Sprintf("There is no folder %s, so nothing is left in it.", dir)
	}
	return "Nothing is left in the spool."
}

// outcome says what became of one destination.
func outcome(r export.Recovery, anywhere bool) string {
	text := plural(r.Sent, "item") + " sent"
	if r.Truncated > 0 {
		text += fmt.Sprintf(" (%s open when its process ended: marked as truncated)", plural(r.Truncated, "span"))
	}
	if r.Lost > 0 {
		text += fmt.Sprintf(", %d lost", r.Lost)
	}
	if r.Left > 0 {
		text += fmt.Sprintf(", %d left in %s", r.Left, r.Dir)
	}
	switch {
	case r.Err != nil:
		text += ": " + r.Err.Error()
	case r.Foreign && !anywhere && r.Left > 0:
		text += ": the environment names another endpoint or other headers; set them as they were, or give --anywhere"
	}
	return text
}
