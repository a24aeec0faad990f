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
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

func linkCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "link", Usage: "link memory into your PATH", ArgsUsage: "[DIR]",
		Description: described("The link goes into DIR, else into ~/.local/bin or ~/bin, the one that is on your PATH, else into ~/.local/bin. It still works after an update of the plugin. memory setup uninstall removes a link in these two folders; delete a link in another DIR yourself.", "memory setup link", "memory setup link /usr/local/bin"),
		Action:      with(e, installLink),
	}
}

type linkReport struct {
	Link   string `json:"link"`
	Target string `json:"target"`
	OnPath bool   `json:"on_path"`
}

func installLink(c *cli.Context, e *environment) error {
	dir, err := linkDir(e, c.Args().First())
	if err != nil {
		return err
	}
	one := linkReport{Link: filepath.Join(dir, "memory"), Target: e.Launched(), OnPath: e.isOnPath(dir)}
	if err := os.MkdirAll(dir, 0o755); err != nil { // the usual mode of a directory of programs
		return fmt.Errorf("link memory into %s: %w; name a directory that you may write to", dir, err)
	}
	if err := removeLink(one.Link, one.Target); err != nil {
		return err
	}
	if err := launcher.Install(e.Paths, paths.InstalledRoot(e.Executable)); err != nil {
		return err
	}
	if err := os.Symlink(one.Target, one.Link); err != nil {
		return fmt.Errorf("link memory into %s: %w; name a directory that you may write to", dir, err)
	}
	return e.Print(one, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "%s leads to %s\n", e.underHome(one.Link), e.underHome(one.Target))
		if !one.OnPath {
			_, _ = fmt.Fprintf(w,
				"%s is not on your PATH yet; put this into the start file of your shell:\n  export PATH=\"%s:$PATH\"\n",
				e.underHome(dir), strings.Replace(terminal.Printable(paths.Tilde(dir, e.Getenv("HOME"))), "~", "$HOME", 1))
		}
	})
}

// linkDir returns the directory for the link: the given one, else the first usual one on PATH, else the first usual one.
func linkDir(e *environment, given string) (string, error) {
	if given != "" {
		return filepath.Abs(given)
	}
	usual := launcher.LinkDirs(e.Getenv)
	if len(usual) == 0 {
		return "", usagef("HOME is not set; name the directory: memory setup link DIR")
	}
	for _, dir := range usual {
		if e.isOnPath(dir) {
			return dir, nil
		}
	}
	return usual[0], nil
}

func (e *environment) isOnPath(dir string) bool {
	return slices.Contains(filepath.SplitList(e.Getenv("PATH")), dir)
}

// removeLink removes a link to our program, if the path exists. It fails if the path is something else.
func removeLink(link, executable string) error {
	if _, err := os.Lstat(link); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if !launcher.IsLink(link, executable) {
		return fmt.Errorf("%s is there already and is not a link to this plugin: remove it, or name another directory: memory setup link DIR", link)
	}
	if err := os.Remove(link); err != nil {
		return fmt.Errorf("remove the link %s: %w", link, err)
	}
	return nil
}
