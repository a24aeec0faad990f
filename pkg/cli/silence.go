package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
)

// wordless lists the commands, by their first words, that show nothing of what was said or learned. In a client's
// shell only these commands run where memory is off. So a new command does not run there until it is listed here.
var wordless = []string{
	"status", "doctor", "projects", "config", "setup", "backup", "import", "remember", // remember itself checks whether memory is off, also in a terminal
	"daemon start", "daemon stop", "daemon logs", "daemon ingest",
}

// wide lists the commands about all projects. Commands with the flag --all, and distill --dry-run, which takes any session, count as such too.
var wide = []string{"daemon runs", "daemon consolidate"}

func isAmong(commands []string, path []string) bool {
	command := strings.Join(path, " ") + " "
	return slices.ContainsFunc(commands, func(one string) bool { return strings.HasPrefix(command, one+" ") })
}

// Silenced fails, with the reason, if a client runs a command that may show words, and memory is off in the project of the working directory
// or of --project. A command about all projects fails if memory is off in any project. In a person's own terminal no command fails.
func (e *environment) Silenced(c *cli.Context, path []string) error {
	if e.Client() == "" || isAmong(wordless, path) {
		return nil
	}
	var places []project.Project
	for _, dir := range []string{e.here(), cmp.Or(e.Dir, e.here())} {
		if where, err := e.projectAt(dir); err == nil { // the command reports the error
			places = append(places, where)
		}
	}
	if err := e.off(places); err != nil {
		return err
	}
	if e.isAnySwitched() { // the daemon may know that memory is off in this folder's project, and then writes the folder's marker file
		if _, err := e.Daemon.Start(c.Context); err != nil {
			return err
		}
		for _, where := range places {
			e.placeOf(c.Context, where)
		}
		if err := e.off(places); err != nil {
			return err
		}
	}
	isWide := c.Bool("all") || isAmong(wide, path) || isAmong([]string{"distill"}, path) && c.Bool("dry-run")
	if !isWide {
		return nil
	}
	all, err := e.AllProjects(c.Context)
	for _, one := range all {
		if why := e.silence(project.Project{Key: one.Key, Name: one.Name, Root: one.Root}); why != "" {
			return fmt.Errorf("this may show words of any project, and %s. Run it for one project, or in a terminal of your own", why)
		}
	}
	return err
}

// off fails with the reason if memory is off in one of some projects.
func (e *environment) off(places []project.Project) error {
	for _, where := range places {
		if why := e.silence(where); why != "" {
			return errors.New(why)
		}
	}
	return nil
}

// isAnySwitched reports whether memory was ever switched off, or on, for a single project.
func (e *environment) isAnySwitched() bool {
	entries, _ := os.ReadDir(e.Paths.OffMarkers())
	return len(entries) > 0 || isThere(filepath.Dir(project.OnlyMarker(e.Paths.OffMarker(""))))
}
