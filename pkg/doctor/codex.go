package doctor

import (
	"context"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client/connect"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// codex looks at Codex if it is connected, or was.
func (d *Doctor) codex(context.Context) {
	const check = "client.codex"
	s := connect.NewCodex(connect.Env{Paths: d.Paths, Getenv: d.Getenv, Plugin: paths.InstalledRoot(d.Executable)}).State()
	switch {
	case !s.Connected && !s.Partly:
	case len(s.Problems) > 0:
		d.bad(check, Warning, s.Remedy, "Codex: %s", strings.Join(s.Problems, "; "))
	default:
		d.good(check, "Codex is connected")
	}
}
