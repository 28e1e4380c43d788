package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// repo is a git repository with its files checked out.
type repo struct {
	dir string
	env []string // beside that of this process
}

// openRepo finds the repository that a folder is in.
func openRepo(ctx context.Context, dir string) (repo, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return repo{}, err
	}
	top, err := repo{dir: dir}.git(ctx, "rev-parse", "--show-toplevel")
	return repo{dir: filepath.FromSlash(top)}, err
}

// git runs git and returns what it prints, without the last line end.
func (r repo) git(ctx context.Context, args ...string) (string, error) {
	out, err := command(ctx, r.dir, r.env, "git", args...)
	return strings.TrimSuffix(out, "\n"), err
}

// clone makes another repository of it, whose files are those of a revision. It commits as r does.
func (r repo) clone(ctx context.Context, dir, revision string) (repo, error) {
	commit, err := r.git(ctx, "rev-parse", "--verify", revision+"^{commit}")
	if err != nil {
		return repo{}, err
	}
	if _, err := r.git(ctx, "clone", "-q", "--no-checkout", r.dir, dir); err != nil {
		return repo{}, err
	}
	c := repo{dir: dir}
	_, err = c.git(ctx, "-c", "advice.detachedHead=false", "checkout", "-q", "--detach", commit)
	return c, err
}

// signAs makes r commit under the name that other commits under, which may stand in that one's own settings.
func (r *repo) signAs(ctx context.Context, other repo) error {
	for _, role := range []string{"AUTHOR", "COMMITTER"} {
		who, err := other.git(ctx, "var", "GIT_"+role+"_IDENT")
		if err != nil {
			return err
		}
		name, rest, _ := strings.Cut(who, " <")
		email, _, _ := strings.Cut(rest, ">")
		r.env = append(r.env, "GIT_"+role+"_NAME="+name, "GIT_"+role+"_EMAIL="+email)
	}
	return nil
}

// commit commits all files as they are.
func (r repo) commit(ctx context.Context, subject, body string) (string, error) {
	if _, err := r.git(ctx, "add", "--all"); err != nil {
		return "", err
	}
	if _, err := r.git(ctx, "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", subject, "-m", body); err != nil {
		return "", err
	}
	return r.git(ctx, "rev-parse", "HEAD")
}

func (r repo) read(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(name)))
}

func (r repo) write(name string, text []byte) error {
	return os.WriteFile(filepath.Join(r.dir, filepath.FromSlash(name)), text, 0o644)
}

// command runs a program and returns its standard output. Its error has what the program said.
func command(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		said := strings.TrimSpace(errs.String() + "\n" + out.String())
		return "", errors.Join(fmt.Errorf("cannot run %s %s: %w", name, strings.Join(args, " "), err), errors.New(said))
	}
	return out.String(), nil
}
