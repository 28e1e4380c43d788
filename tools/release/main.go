// Command release cuts a release of all modules of this repository, and builds its archives. docs/releasing.md is its page.
//
//	release v0.1.0          commits with real versions, tags, and archives in dist/v0.1.0
//	release -again v0.1.0   the archives of a version that is tagged already, with the same bytes
//
// It works in a clone of its own, brings commits and tags over when everything was built from them, and pushes nothing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o, err := parse(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		err = run(ctx, o)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		stop()
		os.Exit(1)
	}
}

// order is what somebody asks for.
type order struct {
	repo      string // a folder of the repository
	version   string // v0.1.0
	out       string // the folder to make, with the archives; empty: dist/v0.1.0 in the repository
	platforms []platform
	again     bool      // of a version that is there
	date      time.Time // of the changelog's heading
	say       io.Writer
}

func parse(args []string, say io.Writer) (order, error) {
	o := order{date: time.Now(), platforms: allPlatforms, say: say}
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(say)
	flags.Usage = func() {
		fmt.Fprint(say, "usage: release [flags] VERSION\n\nA VERSION is v0.1.0, or v0.2.0-rc.1. Nothing is pushed.\n\n")
		flags.PrintDefaults()
	}
	flags.StringVar(&o.repo, "C", ".", "a `folder` of the repository")
	flags.StringVar(&o.out, "o", "", "the `folder` to make for the archives (default dist/VERSION in the repository)")
	flags.BoolVar(&o.again, "again", false, "build the archives of a version that is tagged already")
	flags.Func("platforms", "`list` such as linux/amd64,darwin/arm64 (default: those two systems, each for amd64 and arm64)", func(list string) (err error) {
		o.platforms, err = parsePlatforms(list)
		return err
	})
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() != 1 {
		return o, fmt.Errorf("cannot cut %d versions: name one, such as v0.1.0", flags.NArg())
	}
	o.version = flags.Arg(0)
	return o, nil
}

// run cuts, checks and builds; what it leaves behind it makes at the end, all or nothing.
func run(ctx context.Context, o order) error {
	src, err := openRepo(ctx, o.repo)
	if err != nil {
		return err
	}
	if o.out == "" {
		o.out = filepath.Join(src.dir, "dist", o.version)
	}
	if _, err := os.Stat(o.out); err == nil {
		return fmt.Errorf("cannot write archives to %s: it is there already; remove it first", o.out)
	}
	work, err := os.MkdirTemp("", "lens-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)

	c, err := o.cut(ctx, src, work)
	if err != nil {
		return err
	}
	l, err := newLab(ctx, c, work)
	if err != nil {
		return err
	}
	if !o.again {
		if err := l.check(ctx, o.say); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(o.out), 0o755); err != nil {
		return err
	}
	stage, err := os.MkdirTemp(filepath.Dir(o.out), ".release-") // on the disk where it is to be
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	if err := os.Chmod(stage, 0o755); err != nil { // a new temporary folder is private
		return err
	}
	for _, p := range o.platforms {
		fmt.Fprintf(o.say, "building for %s\n", p)
		if err := l.archive(ctx, p, stage); err != nil {
			return err
		}
	}
	if err := writeSums(stage); err != nil {
		return err
	}
	if !o.again {
		if err := c.bringOver(ctx, src); err != nil {
			return err
		}
	}
	if err := os.Rename(stage, o.out); err != nil {
		return err
	}
	o.report(c)
	return nil
}

// cut makes the release, or looks up the one that is there.
func (o order) cut(ctx context.Context, src repo, work string) (*release, error) {
	if o.again {
		fmt.Fprintf(o.say, "taking %s from its tags\n", o.version)
		return reopen(ctx, src, o.version, work)
	}
	if err := mayCut(ctx, src, o.version); err != nil {
		return nil, fmt.Errorf("cannot cut %q: %w", o.version, err)
	}
	fmt.Fprintf(o.say, "cutting %s\n", o.version)
	return cut(ctx, src, o.version, o.date, work)
}

// report says what there is now, and how to go on or back.
func (o order) report(c *release) {
	fmt.Fprintf(o.say, "\narchives of %s, commit %.12s: %s\n", c.version, c.commit, o.out)
	if o.again {
		return
	}
	tags := ""
	for _, m := range c.modules {
		tags += " " + m.tag(c.version)
	}
	fmt.Fprintf(o.say, `tags:%[1]s

Nothing is pushed. To publish, when you have looked at it:
    git push --atomic origin%[1]s
    git merge %[2]s     # on the branch it was cut from: changelog, and tags in its history
    git push origin HEAD
    git branch -d %[2]s
To take it back before that:
    git tag -d%[1]s
    git branch -D %[2]s
    rm -r %[3]s
`, tags, branch(c.version), o.out)
}
