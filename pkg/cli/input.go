package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

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
