package doctor

import (
	"context"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/connect"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// codex adds findings for the problems of the connection to Codex, if Codex is connected.
func (d *Doctor) codex(context.Context) {
	s := connect.NewCodex(connect.Env{Paths: d.Paths, Getenv: d.Getenv, Plugin: paths.InstalledRoot(d.Executable)}).State()
	if (s.Connected || s.Partly) && len(s.Problems) > 0 {
		d.bad("codex", Warning, s.Remedy, "Codex: %s", strings.Join(s.Problems, "; "))
	}
}
