package cli

import (
	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// purgeOptions select what to delete.
type purgeOptions struct {
	daemonapi.RescanParams
	project string // key, name or directory of a project
	dry     bool
	yes     bool // do not ask
}

func purgeOptionsOf(c *cli.Context) (o purgeOptions, err error) {
	o = purgeOptions{project: c.String("project"), dry: c.Bool("dry-run"), yes: c.Bool("yes")}
	o.Session = undecorated(c.String("session"))
	if o.Memories, err = idsOf(c.Args().Slice()); err != nil {
		return o, err
	}
	if c.IsSet("words") {
		o.Words = []string{c.String("words")}
	}
	given := 0
	for _, isGiven := range []bool{c.IsSet("project"), len(o.Words) > 0, c.IsSet("session"), len(o.Memories) > 0} {
		if isGiven {
			given++
		}
	}
	switch {
	case given != 1:
		return o, usagef("purge what? give one of: IDs of memories, --words WORDS, --session ID, or --project PROJECT; memory setup uninstall --data deletes everything")
	case o.dry && !o.IsPurge():
		return o, usagef("--dry-run counts words, memories or a session; memory projects list counts a project")
	}
	return o, nil
}
