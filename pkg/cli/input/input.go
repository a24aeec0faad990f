// Package input cleans and checks typed input: texts, tags and ids.
package input

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/command"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/defuse"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact"
)

// The limits of one memory, the same as for a model.
const (
	maxTags = 20
	maxTag  = 40 // bytes
)

// Clean is a text as it may be kept, and how much of it was left out.
func Clean(text, what string) (string, int, error) {
	if strings.TrimSpace(text) == "" {
		return "", 0, command.Usagef("%s is empty: give the text to remember", what)
	}
	if len(text) > memory.MaxContent {
		return "", 0, command.Usagef("%s has %d bytes, the most is %d: shorten it, or split it", what, len(text), memory.MaxContent)
	}
	clean, report := redact.Text(WithoutControls(text))
	clean = strings.TrimSpace(defuse.Tags(clean))
	if report.Empty || memory.Normalise(clean) == "" {
		return "", 0, command.Usagef("nothing is left of %s: all of it is private, a secret, or something that was recalled", what)
	}
	return clean, report.Count(), nil
}

// WithoutControls removes all control characters but newlines and tabs.
func WithoutControls(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && defuse.Steers(r) {
			return ' '
		}
		return r
	}, text)
}

// Tags cleans and checks tags.
func Tags(tags []string) ([]string, error) {
	if len(tags) > maxTags {
		return nil, command.Usagef("%d tags, the most is %d", len(tags), maxTags)
	}
	var all []string
	for _, tag := range tags {
		clean, _ := redact.Text(WithoutControls(tag))
		clean = strings.ToLower(memory.OneLine(defuse.Tags(clean)))
		if clean == "" || len(clean) > maxTag {
			return nil, command.Usagef("tag %q: a tag has 1 to %d bytes", memory.Cut(tag, maxTag), maxTag)
		}
		all = append(all, clean)
	}
	return all, nil
}

// CheckID returns an error for a text that cannot be the beginning of an id.
func CheckID(id string) error {
	if !memory.IsIDBeginning(id) {
		return command.Usagef("%q is no id: an id has 4 to 32 digits from 0 to 9 and a to f, as memory list shows them", memory.Cut(id, 40))
	}
	return nil
}

// CheckIDs is CheckID of each of some ids.
func CheckIDs(ids []string) error {
	for _, id := range ids {
		if err := CheckID(id); err != nil {
			return err
		}
	}
	return nil
}

// Unknown says that a project has no such memory.
func Unknown(id, project string) error {
	return fmt.Errorf("the project %s has no memory %s: %w; memory list shows them, --project DIR names another project",
		terminal.Printable(project), id, memory.ErrNotFound)
}

// OnlyID is the one argument of a command.
func OnlyID(c *cli.Context) (string, error) {
	if c.Args().Len() != 1 {
		return "", command.Usagef("%s which? give one id, as memory list shows them", c.Command.Name)
	}
	return c.Args().First(), CheckID(c.Args().First())
}
