package setup

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/command"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/client/connect"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// connectClients offers to connect the other coding agents on this machine. Nothing is said where there is none, and
// --yes connects none: it is another program's configuration.
func connectClients(e *command.Env, o setupOptions) error {
	for _, c := range connect.All(connect.Env{Paths: e.Paths, Getenv: e.Getenv, Plugin: paths.InstalledRoot(e.Executable)}) {
		switch s := c.State(); {
		case s.Connected:
			say(e, "5. %s shares this memory.", c.Title)
			continue
		case !s.Installed:
			continue
		}
		if o.yes || !e.IsYes("5. "+c.Title+" is here, too, and can share this memory. Connect it?") {
			say(e, "5. %s is here, too: memory clients connect %s has it share this memory.", c.Title, c.Name)
			continue
		}
		if _, err := c.Connect(); err != nil {
			return err
		}
		say(e, "5. %s shares this memory. %s.", c.Title, c.Trust())
	}
	return nil
}
