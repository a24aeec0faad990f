package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

func configCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "config", Usage: "show and change settings",
		Description: "memory config list says what each setting does. A change prints when it takes effect.",
		Subcommands: []*cli.Command{
			command("list", "list every setting with its value and meaning", "", "memory config list --changed", with(e, listSettings),
				&cli.BoolFlag{Name: "changed", Usage: "only the settings that the file or the environment sets"}),
			command("get", "print the value of a setting", "KEY", "memory config get store.url", with(e, getSetting)),
			command("set", "write a setting into the settings file", "KEY VALUE",
				"memory config set hooks.session_start.token_budget 1500", with(e, setSetting)),
			command("unset", "remove a setting from the settings file", "KEY",
				"memory config unset store.url", with(e, unsetSetting)),
		},
	}
}

// hiddenSetting is printed instead of a password.
const hiddenSetting = "(set)"

func listSettings(c *cli.Context, e *environment) error {
	all, _ := config.List(e.Paths.ConfigFile(), e.Getenv) // run has reported problems already
	shown := []config.Setting{}
	for _, s := range all {
		if c.Bool("changed") && s.Origin == "" {
			continue
		}
		if s.Secret && s.Value != "" {
			s.Value = hiddenSetting
		}
		shown = append(shown, s)
	}
	return e.Print(shown, func(w io.Writer) {
		for _, s := range shown {
			value := terminal.Printable(cmp.Or(s.Value, "empty"))
			if s.Origin != "" {
				value += ", from " + terminal.Printable(paths.Tilde(s.Origin, e.Getenv("HOME")))
			}
			_, _ = fmt.Fprintf(w, "%s\t%s - %s\n", s.Key, value, s.Text)
		}
	})
}

// setting returns the setting with the key. It fails with config.ErrNoSetting if there is none.
func setting(e *environment, key string) (config.Setting, error) {
	all, _ := config.List(e.Paths.ConfigFile(), e.Getenv)
	for _, s := range all {
		if s.Key == key {
			return s, nil
		}
	}
	return config.Setting{}, fmt.Errorf("%q: %w", key, config.ErrNoSetting)
}

func getSetting(c *cli.Context, e *environment) error {
	s, err := setting(e, c.Args().First())
	if err != nil {
		return err
	}
	return e.Print(s, func(w io.Writer) { _, _ = fmt.Fprintln(w, terminal.Printable(s.Value)) })
}

func setSetting(c *cli.Context, e *environment) error {
	err := config.Set(e.Paths.ConfigFile(), c.Args().First(), c.Args().Get(1))
	if _, isOfFile := errors.AsType[*fs.PathError](err); err != nil && !isOfFile { // the value is the problem
		err = usagef("%w", err)
	}
	return showChanged(c, e, err)
}

func unsetSetting(c *cli.Context, e *environment) error {
	return showChanged(c, e, config.Unset(e.Paths.ConfigFile(), c.Args().First()))
}

// showChanged prints the value in force and when it takes effect, or returns the error of the change. The environment takes
// precedence over the file.
func showChanged(c *cli.Context, e *environment, failed error) error {
	if isUnread := func(p config.Problem) bool { return p.Key == config.WholeFile }; failed != nil && slices.ContainsFunc(e.Problems, isUnread) {
		return errors.New("nothing was changed: correct the settings' file by hand first") // run has printed what is wrong with it
	}
	s, err := setting(e, c.Args().First())
	if err := cmp.Or(failed, err); err != nil {
		return err
	}
	if s.Secret && s.Value != "" {
		s.Value = hiddenSetting
	}
	changed := changedSetting{s, s.Reader == config.ByDaemon && e.Daemon.Resident.Answers(c.Context, aliveTime)}
	return e.Print(changed, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "%s is %s", s.Key, cmp.Or(terminal.Printable(s.Value), "empty"))
		switch s.Origin {
		case "":
			_, _ = fmt.Fprintln(w, ", its default")
		case e.Paths.ConfigFile():
			_, _ = fmt.Fprintln(w)
		default:
			_, _ = fmt.Fprintf(w, ", from the environment (%s), which takes precedence over the file\n", s.Origin)
		}
		switch {
		case changed.Restart:
			_, _ = fmt.Fprintln(w,
				"the daemon that is running keeps the old value until it starts again;\nmemory daemon stop ends it, and the next hook or command starts it")
		case s.Reader == config.ByCall:
			_, _ = fmt.Fprintln(w, "it takes effect with the next call of a model")
		case s.Reader == config.ByDaemon:
			_, _ = fmt.Fprintln(w, "it takes effect when the daemon starts")
		default:
			_, _ = fmt.Fprintln(w, "it takes effect with the next hook")
		}
	})
}

// changedSetting is a setting after a change. Restart is set if the running daemon keeps the old value until it is started again.
type changedSetting struct {
	config.Setting
	Restart bool `json:"restart"`
}
