package command

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// JSONFlag is --json.
func JSONFlag() cli.Flag { return &cli.BoolFlag{Name: "json", Usage: "print JSON"} }

// ProjectFlag is --project.
func ProjectFlag() cli.Flag {
	return &cli.StringFlag{Name: "project", Usage: "`DIR` of the project", DefaultText: "this directory"}
}

// DefaultLimit is how many rows a list has unless somebody asks for more.
const DefaultLimit = 20

// LimitFlag is --limit.
func LimitFlag() cli.Flag {
	return &cli.IntFlag{Name: "limit", Usage: "at most `N` rows", Value: DefaultLimit}
}

// ReasonFlag is --reason.
func ReasonFlag(usage string) cli.Flag { return &cli.StringFlag{Name: "reason", Usage: usage} }

// KindsFlag is --kind.
func KindsFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "kind", Usage: "only this `KIND`; may be given again"}
}

// Kinds are those that can be asked for.
var Kinds = slices.Concat(memory.SearchableKinds(), memory.RecordKinds())

// KindsOf reads --kind; none means all kinds.
func KindsOf(c *cli.Context) ([]memory.Kind, error) {
	var wanted []memory.Kind
	for _, name := range c.StringSlice("kind") {
		if !slices.Contains(Kinds, memory.Kind(name)) {
			return nil, Usagef("there is no kind %q; there are %s", name, Joined(Kinds, ", "))
		}
		wanted = append(wanted, memory.Kind(name))
	}
	return wanted, nil
}

// Joined puts a separator between names.
func Joined[T ~string](names []T, separator string) string {
	all := make([]string, 0, len(names))
	for _, name := range names {
		all = append(all, string(name))
	}
	return strings.Join(all, separator)
}

// LimitOf reads --limit.
func LimitOf(c *cli.Context) (int, error) {
	if limit := c.Int("limit"); limit >= 1 {
		return limit, nil
	}
	return 0, Usagef("limit %d: at least 1 row is listed", c.Int("limit"))
}

// EveryRow is more rows than any list has: one message of the agent, 16 MB, holds about
// 20,000 memories.
const EveryRow = 20_000
