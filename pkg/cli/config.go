package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// configCommand returns the command "memory config".
func configCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "config", Usage: "show and change settings",
		Description: "docs/configuration.md explains each setting. A change prints when it takes effect.",
		Subcommands: []*cli.Command{
			{
				Name: "list", Usage: "list every setting with its value and meaning",
				Description: described("", "memory config list --changed"),
				Flags:       []cli.Flag{&cli.BoolFlag{Name: "changed", Usage: "only those that are not at their default"}},
				Action:      action(e, func(c *cli.Context) (bool, error) { return c.Bool("changed"), nil }, listSettings),
			},
			settingCommand(e, "get", "print the value of a setting", "KEY", "memory config get store.url",
				settingOptionsOf("get which? memory config get KEY; memory config list shows the keys"), getSetting),
			settingCommand(e, "set", "write a setting into the settings file", "KEY VALUE",
				"memory config set hooks.session_start.token_budget 1500", setSettingOptionsOf, setSetting),
			settingCommand(e, "unset", "remove a setting from the settings file", "KEY",
				"memory config unset store.url",
				settingOptionsOf("unset which? memory config unset KEY; memory config list --changed shows what is set"), unsetSetting),
		},
	}
}

// settingCommand returns a command about one setting.
func settingCommand(
	e *environment, name, usage, arguments, example string,
	read func(*cli.Context) (settingOptions, error), run func(context.Context, *environment, settingOptions) error,
) *cli.Command {
	return &cli.Command{
		Name: name, Usage: usage, ArgsUsage: arguments, Description: described("", example),
		Action: action(e, read, run),
	}
}

// hiddenSetting is printed instead of a password or token.
const hiddenSetting = "(set)"

func listSettings(ctx context.Context, e *environment, onlyChanged bool) error {
	all, _ := config.List(e.Paths.ConfigFile(), e.Getenv) // run has reported problems already
	shown := []config.Setting{}
	for _, s := range all {
		if onlyChanged && s.Origin == "" {
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
			_, _ = fmt.Fprintf(w, "%s\t%s - %s\n", e.Paint(terminal.Cyan, s.Key), value, e.Paint(terminal.Dim, s.Text))
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

// settingOptions hold a setting's key and its new value.
type settingOptions struct {
	key, value string
}

// settingOptionsOf returns a parser that takes exactly one key. For other arguments it fails with the text otherwise.
func settingOptionsOf(otherwise string) func(*cli.Context) (settingOptions, error) {
	return func(c *cli.Context) (settingOptions, error) {
		if c.Args().Len() != 1 {
			return settingOptions{}, usageError{Err: errors.New(otherwise)}
		}
		return settingOptions{key: c.Args().First()}, nil
	}
}

func setSettingOptionsOf(c *cli.Context) (settingOptions, error) {
	if c.Args().Len() != 2 {
		return settingOptions{}, usagef("set what? memory config set KEY VALUE; memory config list shows the keys")
	}
	return settingOptions{c.Args().Get(0), c.Args().Get(1)}, nil
}

func getSetting(ctx context.Context, e *environment, o settingOptions) error {
	s, err := setting(e, o.key)
	if err != nil {
		return err
	}
	return e.Print(s, func(w io.Writer) { _, _ = fmt.Fprintln(w, terminal.Printable(s.Value)) })
}

func setSetting(ctx context.Context, e *environment, o settingOptions) error {
	if _, err := setting(e, o.key); err != nil {
		return err
	}
	if err := config.Set(e.Paths.ConfigFile(), o.key, o.value); err != nil {
		if _, isOfFile := errors.AsType[*fs.PathError](err); isOfFile { // the file is the problem, not the value
			return err
		}
		return usagef("%w", err)
	}
	return showChanged(ctx, e, o)
}

func unsetSetting(ctx context.Context, e *environment, o settingOptions) error {
	if err := config.Unset(e.Paths.ConfigFile(), o.key); err != nil {
		return err
	}
	return showChanged(ctx, e, o)
}

// showChanged prints the value in force and when it takes effect. The environment takes precedence over the file.
func showChanged(ctx context.Context, e *environment, o settingOptions) error {
	s, err := setting(e, o.key)
	if err != nil {
		return err
	}
	if s.Secret && s.Value != "" {
		s.Value = hiddenSetting
	}
	changed := changedSetting{s, s.Reader == config.ByDaemon && e.Daemon.Resident().Answers(ctx, aliveTime)}
	return e.Print(changed, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "%s is %s", s.Key, terminal.Printable(s.Value))
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

// changedSetting is a setting after a change. Restart is set if the running daemon keeps the old value until it is
// started again.
type changedSetting struct {
	config.Setting
	Restart bool `json:"restart"`
}
