package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/launcher"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

func uninstallCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "uninstall", Usage: "end the daemon, and remove the link and the engine",
		Description: described("The memories stay, unless --data is given. End your sessions first: an open one starts the daemon again. Remove the plugin itself with: "+pluginRemoval+".",
			"memory setup uninstall", "memory setup uninstall --data"),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "data", Usage: "also delete all memories for good, with settings and backups"},
			yesFlag(),
		},
		Action: with(e, uninstall),
	}
}

const pluginRemoval = "claude plugin uninstall surrealdb-memory@surrealdb-memory"

// uninstalled lists what was removed, ended or left.
type uninstalled struct {
	Rows    *memory.Holding `json:"rows,omitempty"` // rows deleted from a remote store
	Codex   bool            `json:"codex"`          // Codex was connected
	Ended   bool            `json:"ended"`          // a daemon ran
	Removed []string        `json:"removed"`
	Left    []string        `json:"left"` // files in the home that are not ours
	Kept    string          `json:"kept"` // path of the data that stays; empty if it was deleted
}

func uninstall(c *cli.Context, e *environment) error {
	ctx, isData := c.Context, c.Bool("data")
	question, remote := "This ends the daemon, and removes the engine and the link; the memories stay in "+e.Paths.Home+". Go on?", e.Config.Store.URL
	if isData {
		question = "This deletes for good everything that is remembered, with settings, logs and backups in " + e.Paths.Home
		if remote != "" {
			question += ", and every row of the database " + e.Config.Store.Namespace + "/" + e.Config.Store.Database + " of the remote store"
		}
		question += ", and the engine. Go on?"
	}
	if err := e.Confirm(c.Bool("yes"), question); err != nil {
		return err
	}
	done := uninstalled{Removed: []string{}, Left: []string{}}
	if isData && remote != "" {
		result, err := daemonapi.MethodPurgeProject.Ask(ctx, e.Daemon.CallLong, daemonapi.PurgeParams{All: true})
		if err != nil {
			return fmt.Errorf("the remote store could not be emptied: %w; try again, or run memory config unset store.url first: then only what is on this machine is deleted", err)
		}
		done.Rows = &result.Holding
	}
	var err error
	if done.Codex, err = codexOf(e).Disconnect(); err != nil {
		return err
	}
	if done.Ended, err = e.Daemon.Stop(ctx); err != nil {
		return err
	}
	all := append(linksToProgram(e), e.Paths.Engine(), e.Paths.Run(), e.Paths.Socket(), e.Paths.Clients(), e.Paths.Bin(),
		filepath.Join(paths.InstalledRoot(e.Executable), "programs"))
	if isData {
		files, err := allFiles(e)
		if err != nil {
			return err
		}
		all = append(all, files...)
	}
	if err := removeAll(all, &done); err != nil {
		return err
	}
	if !isData && isThere(e.Paths.Data()) {
		done.Kept = e.Paths.Home
	}
	if isData {
		if done.Left, err = filesIn(e.Paths.Home); err != nil {
			return err
		}
		if len(done.Left) == 0 {
			_ = os.Remove(e.Paths.Home) // if this fails, an empty folder remains
		}
	}
	return e.Print(done, func(w io.Writer) { uninstalledPage(w, done) })
}

func uninstalledPage(w io.Writer, done uninstalled) {
	if done.Rows != nil {
		_, _ = fmt.Fprintf(w, "deleted in the remote store\t%s\n", heldCounts(*done.Rows))
	}
	if done.Codex {
		_, _ = fmt.Fprint(w, "disconnected\tCodex\n")
	}
	if done.Ended {
		_, _ = fmt.Fprint(w, "ended\tthe daemon\n")
	}
	for _, one := range done.Removed {
		_, _ = fmt.Fprintf(w, "deleted\t%s\n", terminal.Printable(one))
	}
	for _, path := range done.Left {
		_, _ = fmt.Fprintf(w, "left, because surrealdb-memory did not make it\t%s\n", terminal.Printable(path))
	}
	if len(done.Removed) == 0 && !done.Ended && !done.Codex {
		_, _ = fmt.Fprintln(w, "there was nothing to delete")
	}
	if done.Kept != "" {
		_, _ = fmt.Fprintf(w, "kept\t%s; memory setup uninstall --data deletes it\n", terminal.Printable(done.Kept))
	}
	_, _ = fmt.Fprintln(w, "to remove the plugin itself\t"+pluginRemoval)
}

// removeAll removes the paths that exist, and records each in done.
func removeAll(all []string, done *uninstalled) error {
	for _, path := range all {
		if !isThere(path) {
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("delete %s: %w", path, err)
		}
		done.Removed = append(done.Removed, path)
	}
	return nil
}

// setAside returns the data that a restore set aside, and the local store that a move to a server left behind.
func setAside(e *environment) ([]string, error) {
	all, errJournals := filesBesides(e.Paths.Journal())
	stores, errStores := filesBesides(e.Paths.Data())
	if e.Config.Store.URL != "" && isThere(e.Paths.Data()) {
		all = append(all, e.Paths.Data())
	}
	for _, file := range stores {
		if !strings.HasSuffix(file, ".engine.json") { // it holds no user data
			all = append(all, file)
		}
	}
	return all, errors.Join(errJournals, errStores)
}

// filesIn returns the paths of a folder's entries, none if the folder does not exist.
func filesIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return []string{}, fmt.Errorf("list what lies in %s: %w", dir, err)
	}
	return memory.Each(entries, func(entry fs.DirEntry) string { return filepath.Join(dir, entry.Name()) }), nil
}

// allFiles returns the paths of everything that surrealdb-memory keeps in its home. Other files there are not included.
func allFiles(e *environment) ([]string, error) {
	all := e.Paths.AllPaths()
	for _, path := range []string{e.Paths.Data(), e.Paths.Journal()} {
		more, err := filesBesides(path)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	unfinished, err := atomicfile.Unfinished(e.Paths.Home)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the temporary files of interrupted writes in %s: %w", e.Paths.Home, err)
	}
	return append(all, unfinished...), nil
}

// filesBesides returns the files next to the data or the journal whose names begin with its name and a dot: the
// password, and copies that a restore set aside.
func filesBesides(path string) ([]string, error) {
	files, err := filesIn(filepath.Dir(path))
	return slices.DeleteFunc(files, func(file string) bool { return !strings.HasPrefix(filepath.Base(file), filepath.Base(path)+".") }), err
}

// linksToProgram returns the links that memory setup link has made.
func linksToProgram(e *environment) []string {
	return memory.EachIf(launcher.LinkDirs(e.Getenv), func(dir string) (string, bool) {
		link := filepath.Join(dir, "memory")
		return link, launcher.IsLink(link, e.Launched())
	})
}
