package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/doctor"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func (p *program) purgeCommand() *cli.Command {
	return &cli.Command{
		Name: "purge", Usage: "delete everything of a project, or everything, for good",
		Description: described("It asks once. Backups that were copied elsewhere and exports are not found by it.",
			"memory purge --project ~/src/old", "memory purge --all"),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "project", Usage: "everything of `PROJECT`: its directory, key or name"},
			&cli.BoolFlag{Name: "all", Usage: "everything of everybody's projects, the settings and the engine included; ends the agent"},
			&cli.BoolFlag{Name: "local", Usage: "with --all: leave the rows of a remote store"},
			&cli.BoolFlag{Name: "yes", Usage: "do not ask"}, jsonFlag(),
		},
		Action: p.purge,
	}
}

func (p *program) purge(c *cli.Context) error {
	switch {
	case c.Args().Present():
		return usagef("purge takes no arguments: give --project PROJECT or --all")
	case c.Bool("all") == c.IsSet("project"):
		return usagef("purge what? give either --project PROJECT or --all")
	case c.Bool("all"):
		return p.purgeAll(c)
	}
	return p.purgeProject(c)
}

func (p *program) purgeProject(c *cli.Context) error {
	one, err := p.stored(c.Context, c.String("project"))
	if err != nil {
		return err
	}
	keys, err := p.withMerged(c.Context, one.Key)
	if err != nil {
		return err
	}
	question := fmt.Sprintf("Everything of %s is deleted for good: %s. Go on?", one.Key, held(one.Holding))
	if err := p.confirm(c, question); err != nil {
		return err
	}
	var result agentapi.PurgeResult
	if err := p.callWithin(c.Context, longTime, agentapi.MethodPurge, agentapi.PurgeParams{Key: one.Key}, &result); err != nil {
		return err
	}
	if err := p.forgetImports(keys); err != nil {
		return err
	}
	answer := purgedProject{PurgeResult: result, Backups: p.copies()}
	return p.print(c, answer, func(w io.Writer) {
		h := result.Holding
		_, _ = fmt.Fprintf(w, "deleted of %s: %s, %s, %s that waited\n",
			printable(one.Key), held(h), counted(h.Files, "file"), counted(result.Spooled, "event"))
		if n := len(answer.Backups); n > 0 {
			_, _ = fmt.Fprintf(w, "%s may still hold it; delete what you do not need:\n", map[bool]string{true: "1 earlier copy", false: fmt.Sprintf("%d earlier copies", n)}[n == 1])
		}
		for _, file := range answer.Backups {
			_, _ = fmt.Fprintf(w, "  %s\n", printable(file))
		}
	})
}

// withMerged is the key of a project and those of what was merged into it.
func (p *program) withMerged(ctx context.Context, key string) ([]string, error) {
	all, err := p.allProjects(ctx)
	if err != nil {
		return nil, err
	}
	keys := []string{key}
	for _, one := range all {
		if one.MergedInto == key {
			keys = append(keys, one.Key)
		}
	}
	return keys, nil
}

// forgetImports has the next import read the transcripts of a project again.
func (p *program) forgetImports(keys []string) error {
	if _, err := os.Stat(p.paths.Imports()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	state, err := p.importState()
	if err != nil {
		return err
	}
	where := p.projectOfDir()
	for _, key := range keys {
		state.Forget(key, func(dir string) string {
			one, _ := where(dir)
			return one.Key
		})
	}
	return state.Save()
}

// copies are the backups, and what a restore has put aside.
func (p *program) copies() []string {
	copies := append(filesIn(p.paths.Backups()), besides(p.paths.Journal())...)
	for _, file := range besides(p.paths.Data()) {
		if !strings.HasSuffix(file, ".secret") {
			copies = append(copies, file)
		}
	}
	return copies
}

// purgedProject is what a purge of a project has removed, and where it still is.
type purgedProject struct {
	agentapi.PurgeResult
	Backups []string `json:"backups"`
}

// filesIn names the files of a folder.
func filesIn(dir string) []string {
	files := []string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return files // there is none, as a rule
	}
	for _, entry := range entries {
		files = append(files, filepath.Join(dir, entry.Name()))
	}
	return files
}

// purged is what a purge of everything has removed.
type purged struct {
	Rows    *memory.Holding `json:"rows,omitempty"` // of a remote store
	Ended   []int           `json:"ended"`          // process ids
	Removed []removed       `json:"removed"`
	Left    []string        `json:"left"` // what lies in the home and is not ours
}

type removed struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

func (p *program) purgeAll(c *cli.Context) error {
	remote := p.config.Store.URL
	what := "Everything that is remembered, with settings, logs and backups in " + p.paths.Home
	if remote != "" && !c.Bool("local") {
		what += ", and every row of the database " + p.config.Store.Namespace + "/" + p.config.Store.Database + " of the remote store"
	}
	if err := p.confirm(c, what+" is deleted for good. Go on?"); err != nil {
		return err
	}
	done := purged{Ended: []int{}, Removed: []removed{}, Left: []string{}}
	if remote != "" && !c.Bool("local") {
		rows, err := p.purgeRemote(c.Context)
		if err != nil {
			return err
		}
		done.Rows = &rows
	}
	ended, err := p.endAll(c.Context)
	if err != nil {
		return err
	}
	done.Ended = ended
	for _, path := range p.everything() {
		size := sizeOf(path)
		if size < 0 {
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("delete %s: %w", path, err)
		}
		done.Removed = append(done.Removed, removed{path, size})
	}
	done.Left = leftIn(p.paths.Home)
	return p.print(c, done, func(w io.Writer) { purgedPage(w, done) })
}

func purgedPage(w io.Writer, done purged) {
	if done.Rows != nil {
		_, _ = fmt.Fprintf(w, "deleted in the remote store\t%s\n", held(*done.Rows))
	}
	for _, pid := range done.Ended {
		_, _ = fmt.Fprintf(w, "ended\tprocess %d\n", pid)
	}
	for _, one := range done.Removed {
		_, _ = fmt.Fprintf(w, "deleted\t%s\t%s\n", printable(one.Path), counted(int(one.Bytes), "byte"))
	}
	for _, path := range done.Left {
		_, _ = fmt.Fprintf(w, "left, since it is not the memory's\t%s\n", printable(path))
	}
	if len(done.Removed)+len(done.Ended) == 0 {
		_, _ = fmt.Fprintln(w, "there was nothing to delete")
	}
}

// purgeRemote has the agent delete the rows of a remote store: only it has the
// connection.
func (p *program) purgeRemote(ctx context.Context) (memory.Holding, error) {
	var result agentapi.PurgeResult
	if _, err := p.startAgent(ctx); err != nil {
		return memory.Holding{}, fmt.Errorf("%w; --local deletes only what is on this machine", err)
	}
	if err := p.callWithin(ctx, longTime, agentapi.MethodPurge, agentapi.PurgeParams{All: true}, &result); err != nil {
		return memory.Holding{}, fmt.Errorf("the rows of the remote store were not all deleted: %w; --local deletes only what is on this machine", err)
	}
	return result.Holding, nil
}

// endAll ends every process of this home and returns which those were. The agent
// is asked first: it ends its engine.
func (p *program) endAll(ctx context.Context) ([]int, error) {
	before, err := doctor.Processes(p.paths)
	if err != nil {
		return nil, err
	}
	if _, err := p.stopAgent(ctx); err != nil {
		return nil, err
	}
	ended := []int{}
	for _, process := range before {
		if err := doctor.End(ctx, process); err != nil {
			return ended, err
		}
		ended = append(ended, process.PID)
	}
	return ended, nil
}

// everything is what the memory keeps on this machine. Only what it has made
// itself is named, in case the home is a folder with other things in it.
func (p *program) everything() []string {
	l := p.paths
	paths := []string{
		l.Data(), l.Journal(), l.Backups(), l.Spool(), l.Logs(), filepath.Join(l.Home, "off"), l.Trusted(), l.FailedMarks(),
		l.Engine(), l.Imports(), l.ConfigFile(), l.Run(), l.Socket(),
	}
	for _, dir := range l.FallbackSpools() {
		paths = append(paths, filepath.Dir(dir))
	}
	paths = append(append(paths, besides(l.Data())...), besides(l.Journal())...)
	unfinished, _ := atomicfile.Unfinished(l.Home) // of a home that cannot be read, leftIn tells
	paths = append(paths, unfinished...)
	if data := p.config.Store.DataPath; data != "" && sizeOf(data+".secret") >= 0 { // the password beside it says that the engine has made it
		paths = append(append(paths, data), besides(data)...)
	}
	for _, dir := range p.usualDirs() { // of memory install-cli
		if link := filepath.Join(dir, "memory"); leadsTo(link, p.executable) {
			paths = append(paths, link)
		}
	}
	return paths
}

// besides names what lies beside the data or the journal and has its name and
// more: the password, and what a restore has put aside.
func besides(path string) []string {
	var all []string
	for _, file := range filesIn(filepath.Dir(path)) {
		if strings.HasPrefix(filepath.Base(file), filepath.Base(path)+".") {
			all = append(all, file)
		}
	}
	return all
}

// sizeOf is the bytes of all files below a path, or -1 if it is not there.
func sizeOf(path string) int64 {
	if _, err := os.Lstat(path); err != nil {
		return -1
	}
	var size int64
	_ = filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // gone meanwhile, or not ours to read: the removal says so
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size
}

// leftIn removes an empty home, or names what is left in it.
func leftIn(home string) []string {
	left := filesIn(home)
	if len(left) == 0 {
		_ = os.Remove(home) // an empty folder harms nobody
	}
	return left
}
