package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/defuse"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
)

// The limits of one memory, the same as for the MCP tools.
const (
	maxTags = 20
	maxTag  = 40 // bytes
)

// cleanText returns a text without secrets and without <private> parts, and the number of removed parts. It fails if
// nothing is left.
func cleanText(text, what string) (string, int, error) {
	if strings.TrimSpace(text) == "" {
		return "", 0, usagef("%s is empty: give the text to remember", what)
	}
	if len(text) > memory.MaxContent {
		return "", 0, usagef("%s has %d bytes, at most %d are allowed: shorten it, or split it", what, len(text), memory.MaxContent)
	}
	clean, report := redact.Text(withoutControls(text))
	clean = strings.TrimSpace(defuse.Tags(clean))
	if report.Empty || memory.Normalise(clean) == "" {
		return "", 0, usagef("nothing is left of %s: all of it is private, a secret, or something that was recalled", what)
	}
	return clean, report.Count(), nil
}

// withoutControls returns a text with spaces for control characters other than newlines and tabs.
func withoutControls(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && defuse.SteersTerminal(r) {
			return ' '
		}
		return r
	}, text)
}

// cleanTags returns the tags, cleaned. It fails for too many tags, and for a tag that is empty or too long.
func cleanTags(tags []string) ([]string, error) {
	if len(tags) > maxTags {
		return nil, usagef("%d tags were given, at most %d are allowed", len(tags), maxTags)
	}
	var all []string
	for _, tag := range tags {
		clean, _ := redact.Text(withoutControls(tag))
		clean = strings.ToLower(memory.OneLine(defuse.Tags(clean)))
		if clean == "" || len(clean) > maxTag {
			return nil, usagef("tag %q: a tag has 1 to %d bytes", memory.Cut(tag, maxTag), maxTag)
		}
		all = append(all, clean)
	}
	return all, nil
}

// unknownID returns the error for an id without a memory in the project.
func unknownID(id, project string) error {
	return fmt.Errorf("the project %s has no memory %s: %w; memory list shows its memories, memory sessions its sessions, --project DIR names another project",
		terminal.Printable(project), id, memory.ErrNotFound)
}

// undecorated strips the brackets, quotation marks and punctuation that were copied with the id of a run or session.
func undecorated(id string) string {
	return cmp.Or(strings.Trim(id, "[](){}<>`'\"“”‘’«»#*.,:;… "), id)
}

// idsOf parses memory ids, or beginnings of ids, in the form in which our output shows them.
func idsOf(shown []string) (ids []string, err error) {
	for _, text := range shown {
		found := memory.IDsAsShown(text)
		if len(found) == 0 {
			return nil, usagef("%q is not an id: an id has 4 to 32 digits from 0 to 9 and a to f, as memory list shows them", memory.Cut(strings.TrimSpace(text), 40))
		}
		ids = append(ids, found...)
	}
	return ids, nil
}

// someIDs returns the ids in the command's arguments. It fails if there are none.
func someIDs(c *cli.Context) ([]string, error) {
	if !c.Args().Present() {
		return nil, usagef("%s which? give ids, as memory list shows them", c.Command.Name)
	}
	return idsOf(c.Args().Slice())
}
