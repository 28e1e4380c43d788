package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/internal/version"
	"github.com/lensgo/lens/viewer"
	"github.com/lensgo/lens/viewer/store"
)

// closeTime bounds how long a viewer may take to seal what it holds.
const closeTime = 10 * time.Second

func newView() *cobra.Command {
	var o viewer.Options
	var retain string
	var verbose bool
	cmd := &cobra.Command{
		Use:   "view [FILES]",
		Short: "Receive OpenTelemetry data, keep it, and serve the page",
		Long: "Takes OTLP over HTTP and gRPC on the standard ports, keeps what comes in the data folder, and serves the page.\n" +
			"FILES, in the OTLP JSON file format (also gzip or zstd), are read in first. Ctrl-C ends it; what was received\n" +
			"is there the next time.",
		Example: "  lens view\n  lens view gym-demo/*/traces.jsonl --data /tmp/lens --listen 127.0.0.1:0",
		RunE: func(cmd *cobra.Command, files []string) (err error) {
			if o.Retention, err = viewer.ParseRetention(retain); err != nil {
				return cli.Usage(cmd, err)
			}
			if o.Data, err = dataFolder(o.Data); err != nil {
				return err
			}
			o.Files, o.Version, o.Logger = files, version.Short(), logger(verbose)
			return serve(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.Listen, "listen", viewer.DefaultListen, "`address` of the page; port 0 takes a free one")
	f.StringVar(&o.OTLPHTTP, "otlp-http", viewer.DefaultOTLPHTTP, "`address` of the receiver for OTLP over HTTP; empty for none")
	f.StringVar(&o.OTLPGRPC, "otlp-grpc", viewer.DefaultOTLPGRPC, "`address` of the receiver for OTLP over gRPC; empty for none")
	f.StringVar(&o.Data, "data", "", "`folder` to keep data in (default $XDG_DATA_HOME/lens, else ~/.local/share/lens)")
	f.StringVar(&retain, "retain", viewer.DefaultRetention.String(), "how much to keep, as `size,age`: 2GB,7d; all keeps everything")
	f.StringVar(&o.Results, "results", "", "results `file` of a Gym run, to read conversations from")
	f.BoolVarP(&verbose, "verbose", "v", false, "log what senders do wrong and what the store does")
	return cmd
}

// dataFolder is the folder given, or the default one.
func dataFolder(given string) (string, error) {
	if given != "" {
		return given, nil
	}
	return viewer.DefaultData()
}

// storedFolder is that of dataFolder, and must be there.
func storedFolder(given string) (string, error) {
	dir, err := dataFolder(given)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("there is no data folder %s: 'lens view' makes it, --data names another", dir)
	}
	return dir, nil
}

// served tells whether a viewer runs over a data folder and answers.
func served(dir string) bool {
	_, err := store.Address(dir)
	return err == nil
}

func logger(verbose bool) *slog.Logger {
	level := slog.LevelWarn
	if verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
}

// serve runs a viewer until the user ends it.
func serve(ctx context.Context, o viewer.Options) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	v, err := viewer.Start(ctx, o)
	if err != nil {
		return err
	}
	fmt.Printf("Page       %s\n", v.URL())
	if http := v.OTLPEndpoint(); http != "" {
		fmt.Printf("OTLP/HTTP  %s\n", http)
	}
	if grpc := v.OTLPGRPCEndpoint(); grpc != "" {
		fmt.Printf("OTLP/gRPC  %s\n", grpc)
	}
	fmt.Printf("Data       %s\n", o.Data)
	if _, err := os.Stat(o.Results); o.Results != "" && errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(os.Stderr, "There is no results file %s yet; conversations are read from it once there is.\n", o.Results)
	}
	<-ctx.Done()
	stop() // a second Ctrl-C ends the program at once
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	return v.Shutdown(closing)
}
