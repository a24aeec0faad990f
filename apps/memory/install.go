package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

func (p *program) installCommand() *cli.Command {
	return &cli.Command{
		Name: "install-cli", Usage: "link memory into your PATH", ArgsUsage: "[DIR]",
		Description: described("The link goes into ~/.local/bin or ~/bin, the one that is on your PATH, or into DIR. It leads to this installation of the plugin: "+
			"run the command again if the plugin moves.", "memory install-cli", "memory install-cli /usr/local/bin", "memory install-cli --remove"),
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "remove", Usage: "take the link away"}, jsonFlag()},
		Action: p.install,
	}
}

// installed is where the link is, or was.
type installed struct {
	Link    string `json:"link"`
	Target  string `json:"target"`
	OnPath  bool   `json:"on_path"`
	Removed bool   `json:"removed"`
}

func (p *program) install(c *cli.Context) error {
	if c.Args().Len() > 1 {
		return usagef("give one directory, or none")
	}
	dir, err := p.linkDir(c.Args().First(), c.Bool("remove"))
	if err != nil {
		return err
	}
	one := installed{Link: filepath.Join(dir, "memory"), Target: p.executable, OnPath: slices.Contains(p.searched(), dir)}
	if err := removeLink(one.Link, p.executable); err != nil {
		return err
	}
	if c.Bool("remove") {
		one.Removed = true
		return p.print(c, one, func(w io.Writer) { _, _ = fmt.Fprintf(w, "%s is gone\n", printable(one.Link)) })
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // a directory of programs, as every tool makes it
		return fmt.Errorf("link memory into %s: %w", dir, err)
	}
	if err := os.Symlink(one.Target, one.Link); err != nil {
		return fmt.Errorf("link memory into %s: %w; name a directory that you may write to", dir, err)
	}
	return p.print(c, one, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "%s leads to %s\n", printable(one.Link), printable(one.Target))
		if !one.OnPath {
			_, _ = fmt.Fprintf(w, "%s is not on your PATH yet; put this into the start file of your shell:\n  export PATH=\"%s:$PATH\"\n", printable(dir), printable(dir))
		}
	})
}

// searched are the directories of PATH.
func (p *program) searched() []string { return filepath.SplitList(p.getenv("PATH")) }

// usualDirs are where the link may be, the first choice first.
func (p *program) usualDirs() []string {
	home := p.getenv("HOME")
	if home == "" {
		return nil
	}
	return []string{filepath.Join(home, ".local", "bin"), filepath.Join(home, "bin")}
}

// linkDir is where the link goes: as given, or the usual directory that is on
// PATH. One that is to be removed is looked for.
func (p *program) linkDir(given string, isRemoved bool) (string, error) {
	if given != "" {
		return filepath.Abs(given)
	}
	usual := p.usualDirs()
	if len(usual) == 0 {
		return "", usagef("HOME is not set; name the directory: memory install-cli DIR")
	}
	for _, dir := range usual {
		if isRemoved && leadsTo(filepath.Join(dir, "memory"), p.executable) || !isRemoved && slices.Contains(p.searched(), dir) {
			return dir, nil
		}
	}
	return usual[0], nil
}

// leadsTo says whether a link is one of ours: to this program, or to the one of
// another version of the plugin, which may be gone.
func leadsTo(link, executable string) bool {
	target, err := os.Readlink(link)
	if err != nil {
		return false
	}
	ours := filepath.Join("bin", filepath.Base(executable))
	return target == executable ||
		strings.HasSuffix(target, string(filepath.Separator)+ours) && strings.Contains(target, "surrealdb-memory")
}

// removeLink removes a link of ours and refuses to remove anything else.
func removeLink(link, executable string) error {
	if _, err := os.Lstat(link); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if !leadsTo(link, executable) {
		return fmt.Errorf("%s is there already and is not a link to this plugin: remove it, or name another directory: memory install-cli DIR", link)
	}
	if err := os.Remove(link); err != nil {
		return fmt.Errorf("remove the link %s: %w", link, err)
	}
	return nil
}

func (p *program) manCommand() *cli.Command {
	return &cli.Command{
		Name: "man", Usage: "show the manual page",
		Description: described("On a terminal man shows it; otherwise its source is printed.",
			"memory man", "memory man > ~/.local/share/man/man1/memory.1"),
		Action: p.man,
	}
}

// man shows the manual page that the library makes of the commands.
func (p *program) man(c *cli.Context) error {
	app := p.app()
	app.Description = c.App.Description
	for _, command := range app.Commands {
		withManual(command, "memory")
	}
	page, err := app.ToManWithSection(1)
	if err != nil {
		return fmt.Errorf("write the manual page: %w", err)
	}
	viewer, err := exec.LookPath("man")
	if p.width == 0 || err != nil {
		_, err = io.WriteString(p.out, page)
		return err
	}
	dir, err := os.MkdirTemp("", "memory-man-")
	if err != nil {
		return fmt.Errorf("write the manual page: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "memory.1")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		return fmt.Errorf("write the manual page: %w", err)
	}
	cmd := exec.CommandContext(c.Context, viewer, file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.in, p.out, p.err
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("man cannot show the page: %w; memory man > FILE writes its source", err)
	}
	return nil
}

// withManual puts the synopsis, description and examples of a command where the
// library takes them from for a manual page.
func withManual(command *cli.Command, parent string) {
	full := parent + " " + command.Name
	text := full
	if len(command.Flags) > 0 {
		text += " [OPTIONS]"
	}
	text = strings.TrimRight(text+" "+command.ArgsUsage, " ")
	if command.Description != "" {
		text += "\n\n" + command.Description
	}
	command.UsageText = text
	for _, flag := range command.Flags {
		withoutQuotes(flag)
	}
	for _, sub := range command.Subcommands {
		withManual(sub, full)
	}
}

// withoutQuotes takes the quotes of the placeholder out of a flag's usage.
func withoutQuotes(flag cli.Flag) {
	switch f := flag.(type) {
	case *cli.BoolFlag:
		f.Usage = strings.ReplaceAll(f.Usage, "`", "")
	case *cli.StringFlag:
		f.Usage = strings.ReplaceAll(f.Usage, "`", "")
	case *cli.StringSliceFlag:
		f.Usage = strings.ReplaceAll(f.Usage, "`", "")
	case *cli.IntFlag:
		f.Usage = strings.ReplaceAll(f.Usage, "`", "")
	case *cli.Float64Flag:
		f.Usage = strings.ReplaceAll(f.Usage, "`", "")
	}
}
