//go:build !lens_off

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/telemetry/export"
)

// recoverSpool sends what is left and says what became of it.
func recoverSpool(cmd *cobra.Command, dir string, anywhere bool, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), limit)
	defer cancel()
	all, err := export.Recover(ctx, export.OTLPConfig{
		Logger:   slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil)),
		SpoolDir: cmp.Or(dir, os.Getenv("NEMO_LENS_SPOOL_DIR")),
	}, anywhere)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		fmt.Fprintln(cmd.OutOrStdout(), "Nothing is left in the spool.")
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
