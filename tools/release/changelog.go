package main

import (
	"errors"
	"strings"
	"time"
)

// unreleased is the heading of the changelog under which changes wait for a release.
const unreleased = "## Unreleased\n"

// dateChangelog makes what is unreleased the section of a version.
func dateChangelog(text, version string, date time.Time) (string, error) {
	before, after, found := strings.Cut("\n"+text, "\n"+unreleased)
	if !found {
		return "", errors.New(`CHANGELOG.md has no section "## Unreleased" to make the version's`)
	}
	section, _, _ := strings.Cut(after, "\n## ")
	if !strings.Contains(section, "- ") {
		return "", errors.New(`CHANGELOG.md says nothing under "## Unreleased": there is nothing to release`)
	}
	heading := "## " + version + " (" + date.Format(time.DateOnly) + ")\n"
	return strings.TrimPrefix(before+"\n"+heading+after, "\n"), nil
}

// reopenChangelog puts an empty section for what comes next before the one of a version.
func reopenChangelog(text, version string) string {
	return strings.Replace(text, "## "+version+" (", unreleased+"\n## "+version+" (", 1)
}
