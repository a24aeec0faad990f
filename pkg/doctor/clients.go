package doctor

import (
	"context"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client/connect"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// clients looks at other clients that are connected, or were.
func (d *Doctor) clients(context.Context) {
	for _, c := range connect.All(connect.Env{Paths: d.Paths, Getenv: d.Getenv, Plugin: paths.InstalledRoot(d.Executable)}) {
		s := c.State()
		switch check := "client." + c.Name; {
		case !s.Connected && !s.Partly:
			continue
		case len(s.Problems) > 0:
			d.bad(check, Warning, s.Remedy, "%s: %s", c.Title, strings.Join(s.Problems, "; "))
		default:
			d.good(check, "%s is connected", c.Title)
		}
	}
}
