package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// release is a version of all modules: one commit, in a clone where that is checked out.
type release struct {
	version string
	modules []mod // those that are released, each after those that it needs
	repo    repo
	commit  string
	when    time.Time // of the commit
	proxy   proxy     // has this version of the modules
}

// branch is where the commits of a release are, before somebody merges them.
func branch(version string) string { return "release/" + version }

// mayCut says what is in the way of a release, before anything is made.
func mayCut(ctx context.Context, src repo, version string) error {
	if semver.Canonical(version) != version {
		return errors.New("it is not a semantic version: want vMAJOR.MINOR.PATCH, such as v0.1.0, or with a pre-release behind, v0.2.0-rc.1")
	}
	changed, err := src.git(ctx, "status", "--porcelain")
	if err != nil {
		return err
	}
	if changed != "" {
		return fmt.Errorf("there are files that are not committed, and a release is made of commits: commit or remove\n%s", changed)
	}
	all, err := modules(ctx, src)
	if err != nil {
		return err
	}
	if err := tagsAreFree(ctx, src, version, all); err != nil {
		return err
	}
	if ref, err := src.git(ctx, "branch", "--list", branch(version)); err != nil || ref != "" {
		return errors.Join(err, fmt.Errorf("the branch %s is there already: git branch -D %[1]s", branch(version)))
	}
	if semver.Prerelease(version) != "" {
		return nil
	}
	text, err := src.read("CHANGELOG.md")
	if err != nil {
		return err
	}
	_, err = dateChangelog(string(text), version, time.Time{})
	return err
}

// tagsAreFree refuses a version that the module paths do not allow, that is there already, or that is not the highest of this
// branch: tags that the module proxies have seen are for ever.
func tagsAreFree(ctx context.Context, src repo, version string, all []mod) error {
	for _, m := range all {
		if !m.released {
			continue
		}
		_, major, _ := module.SplitPathVersion(m.path)
		if err := module.CheckPathMajor(version, major); err != nil {
			return fmt.Errorf("the path of module %s is not that of a %s: it has to end in /%[2]s from v2 on, and in nothing before", m.path, semver.Major(version))
		}
		if ref, err := src.git(ctx, "tag", "--list", m.tag(version)); err != nil || ref != "" {
			return errors.Join(err, fmt.Errorf("the tag %s is there already; a version that somebody may have cannot change: take the next one", m.tag(version)))
		}
		tags, err := src.git(ctx, "tag", "--merged", "HEAD", "--list", m.tag("v[0-9]*"))
		if err != nil {
			return err
		}
		for tag := range strings.FieldsSeq(tags) {
			if old := strings.TrimPrefix(tag, strings.TrimSuffix(m.tag("v"), "v")); semver.Compare(old, version) >= 0 {
				return fmt.Errorf("it is not above %s, which this branch has already", tag)
			}
		}
	}
	return nil
}

// cut makes the commits and tags of a release in a clone: one whose modules require each other at the version, which the tags
// point to, and one after it whose modules are again as they were, for the branch to go on with.
func cut(ctx context.Context, src repo, version string, date time.Time, work string) (*release, error) {
	r, err := src.clone(ctx, filepath.Join(work, "clone"), "HEAD")
	if err != nil {
		return nil, err
	}
	if err := r.signAs(ctx, src); err != nil {
		return nil, err
	}
	all, err := modules(ctx, r)
	if err != nil {
		return nil, err
	}
	c := &release{version: version, repo: r, proxy: proxy{filepath.Join(work, "proxy")}}
	for _, m := range all {
		if m.released {
			c.modules = append(c.modules, m)
		}
	}
	if err := c.commitRelease(ctx, all, date); err != nil {
		return nil, err
	}
	if err := c.commitNext(ctx); err != nil {
		return nil, err
	}
	return c, c.look(ctx)
}

// commitRelease writes the files of the release, commits and tags them.
func (c *release) commitRelease(ctx context.Context, all []mod, date time.Time) error {
	if semver.Prerelease(c.version) == "" {
		text, err := c.repo.read("CHANGELOG.md")
		if err != nil {
			return err
		}
		dated, err := dateChangelog(string(text), c.version, date)
		if err != nil {
			return err
		}
		if err := c.repo.write("CHANGELOG.md", []byte(dated)); err != nil {
			return err
		}
	}
	if err := c.pinAll(ctx, all); err != nil {
		return err
	}
	commit, err := c.repo.commit(ctx, "Release "+c.version, "The modules require each other at this version, without replaces, and the tags of the version point here.")
	if err != nil {
		return err
	}
	c.commit = commit
	for _, m := range c.modules {
		if _, err := c.repo.git(ctx, "tag", "-a", "-m", m.path+" "+c.version, m.tag(c.version), commit); err != nil {
			return err
		}
	}
	return nil
}

// pinAll makes all modules require each other at the version. A module's go.sum has the hashes of the files of those that it
// needs, their go.sum among them, so these are written first.
func (c *release) pinAll(ctx context.Context, all []mod) error {
	for _, m := range all {
		if err := pin(c.repo, m, c.version); err != nil {
			return err
		}
	}
	if err := pinWorkspace(c.repo, all, c.version); err != nil {
		return err
	}
	known := map[string][]checksum{}
	for _, m := range c.modules {
		var needed []checksum
		for _, need := range m.needs {
			needed = append(needed, known[need]...)
		}
		if len(needed) > 0 {
			if err := addSums(c.repo, m, needed); err != nil {
				return err
			}
		}
		if _, err := c.repo.git(ctx, "add", "--all"); err != nil {
			return err
		}
		tree, err := c.repo.git(ctx, "write-tree")
		if err != nil {
			return err
		}
		if known[m.path], err = c.proxy.add(c.repo, m, c.version, tree, time.Time{}); err != nil {
			return err
		}
	}
	return nil
}

// commitNext puts back what the release has changed, all but the changelog, so that the branch goes on with replaces.
func (c *release) commitNext(ctx context.Context) error {
	text, err := c.repo.read("CHANGELOG.md")
	if err != nil {
		return err
	}
	if _, err := c.repo.git(ctx, "read-tree", "--reset", "-u", c.commit+"^"); err != nil {
		return err
	}
	if err := c.repo.write("CHANGELOG.md", []byte(reopenChangelog(string(text), c.version))); err != nil {
		return err
	}
	next, err := c.repo.commit(ctx, "Go on after "+c.version, "The modules of a checkout replace each other, so that a change of one is seen by all.")
	if err != nil {
		return err
	}
	if _, err := c.repo.git(ctx, "branch", branch(c.version), next); err != nil {
		return err
	}
	_, err = c.repo.git(ctx, "checkout", "-q", "--detach", c.commit)
	return err
}

// reopen takes a release from its tags.
func reopen(ctx context.Context, src repo, version, work string) (*release, error) {
	r, err := src.clone(ctx, filepath.Join(work, "clone"), "refs/tags/"+version)
	if err != nil {
		return nil, fmt.Errorf("cannot take %s from its tags: %w", version, err)
	}
	all, err := modules(ctx, r)
	if err != nil {
		return nil, err
	}
	c := &release{version: version, repo: r, proxy: proxy{filepath.Join(work, "proxy")}}
	c.modules = slices.DeleteFunc(all, func(m mod) bool { return !m.released })
	if c.commit, err = r.git(ctx, "rev-parse", "HEAD"); err != nil {
		return nil, err
	}
	return c, c.look(ctx)
}

// look reads the release from its tags, as the go command will: they all point to the commit, and the proxy has what is in it.
func (c *release) look(ctx context.Context) error {
	stamp, err := c.repo.git(ctx, "show", "-s", "--format=%cI", c.commit)
	if err != nil {
		return err
	}
	if c.when, err = time.Parse(time.RFC3339, stamp); err != nil {
		return err
	}
	for _, m := range c.modules {
		commit, err := c.repo.git(ctx, "rev-parse", "--verify", "refs/tags/"+m.tag(c.version)+"^{commit}")
		if err != nil {
			return err
		}
		if commit != c.commit {
			return fmt.Errorf("cannot take %s from its tags: %s is at %.12s, and not at %.12s as the others", c.version, m.tag(c.version), commit, c.commit)
		}
		if _, err := c.proxy.add(c.repo, m, c.version, c.commit, c.when); err != nil {
			return err
		}
	}
	return nil
}

// bringOver gives the commits, the tags and the branch to the repository that was cloned: all or nothing.
func (c *release) bringOver(ctx context.Context, to repo) error {
	args := []string{"fetch", "-q", "--atomic", "--no-tags", "--no-write-fetch-head", c.repo.dir}
	refs := []string{"refs/heads/" + branch(c.version)}
	for _, m := range c.modules {
		refs = append(refs, "refs/tags/"+m.tag(c.version))
	}
	for _, ref := range refs {
		args = append(args, ref+":"+ref)
	}
	_, err := to.git(ctx, args...)
	return err
}
