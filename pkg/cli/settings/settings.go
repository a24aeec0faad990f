// Package settings has the commands that show and change settings.
package settings

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/command"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
)

// Config makes memory config.
func Config(e *command.Env) *cli.Command {
	return &cli.Command{
		Name: "config", Usage: "show and change settings",
		Description: "docs/configuration.md says what each means. The agent reads them when it starts, hooks each time.",
		Subcommands: []*cli.Command{
			{
				Name: "list", Usage: "list every setting with its value and where that is from",
				Description: command.Described("", "memory config list --changed"),
				Flags:       []cli.Flag{&cli.BoolFlag{Name: "changed", Usage: "only those that are not at their default"}, command.JSONFlag()}, Action: command.Action(e, listOptionsOf, list),
			},
			explainCommand(e),
			settingCommand(e, "get", "print the value of a setting", "KEY", "memory config get store.url", keyOptionsOf("get which? memory config get KEY; memory config list shows the keys"), get),
			settingCommand(e, "set", "write a setting into the settings file", "KEY VALUE", "memory config set hooks.session_start.token_budget 1500", setOptionsOf, set),
			settingCommand(e, "unset", "remove a setting from the settings file", "KEY", "memory config unset store.url", keyOptionsOf("unset which? memory config unset KEY; memory config list --changed shows what is set"), unset),
		},
	}
}

// settingCommand makes a command about one setting.
func settingCommand(
	e *command.Env, name, usage, arguments, example string,
	read func(*cli.Context) (keyOptions, error), run func(context.Context, *command.Env, keyOptions) error,
) *cli.Command {
	return &cli.Command{
		Name: name, Usage: usage, ArgsUsage: arguments, Description: command.Described("", example), Flags: []cli.Flag{command.JSONFlag()}, Action: command.Action(e, read, run),
		BashComplete: e.Complete(keysAndValues(e), nil),
	}
}

// hidden stands for a password or token in a list.
const hidden = "(set)"

// listOptions say which settings to list.
type listOptions struct {
	command.Shared
	changed bool // only those that are not at their default
}

func listOptionsOf(c *cli.Context) (listOptions, error) {
	return listOptions{command.SharedOf(c), c.Bool("changed")}, nil
}

func list(ctx context.Context, e *command.Env, o listOptions) error {
	all, _ := config.List(e.Paths.ConfigFile(), e.Getenv) // run has reported the problems
	shown := []config.Setting{}
	for _, s := range all {
		if o.changed && s.Origin == "" {
			continue
		}
		if s.Secret && s.Value != "" {
			s.Value = hidden
		}
		shown = append(shown, s)
	}
	return e.Print(ctx, o.JSON, shown, func(w io.Writer) {
		for _, s := range shown {
			origin := s.Origin
			if origin == "" {
				origin = "default"
			}
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", e.Paint(terminal.Cyan, s.Key), terminal.Printable(s.Value), terminal.Printable(origin))
		}
	})
}

// setting finds one by its key.
func setting(e *command.Env, key string) (config.Setting, error) {
	all, _ := config.List(e.Paths.ConfigFile(), e.Getenv)
	for _, s := range all {
		if s.Key == key {
			return s, nil
		}
	}
	return config.Setting{}, fmt.Errorf("%q: %w", key, config.ErrNoSetting)
}

// keyOptions name a setting and its new value.
type keyOptions struct {
	command.Shared
	key, value string
}

// keyOptionsOf reads one key, and refuses anything else with these words.
func keyOptionsOf(otherwise string) func(*cli.Context) (keyOptions, error) {
	return func(c *cli.Context) (keyOptions, error) {
		if c.Args().Len() != 1 {
			return keyOptions{}, command.UsageError{Err: errors.New(otherwise)}
		}
		return keyOptions{Shared: command.SharedOf(c), key: c.Args().First()}, nil
	}
}

func setOptionsOf(c *cli.Context) (keyOptions, error) {
	if c.Args().Len() != 2 {
		return keyOptions{}, command.Usagef("set what? memory config set KEY VALUE; memory config list shows the keys")
	}
	return keyOptions{command.SharedOf(c), c.Args().Get(0), c.Args().Get(1)}, nil
}

func get(ctx context.Context, e *command.Env, o keyOptions) error {
	s, err := setting(e, o.key)
	if err != nil {
		return err
	}
	return e.Print(ctx, o.JSON, s, func(w io.Writer) { _, _ = fmt.Fprintln(w, terminal.Printable(s.Value)) })
}

func set(ctx context.Context, e *command.Env, o keyOptions) error {
	if _, err := setting(e, o.key); err != nil {
		return err
	}
	if err := config.Set(e.Paths.ConfigFile(), o.key, o.value); err != nil {
		if _, isOfFile := errors.AsType[*fs.PathError](err); isOfFile { // the value is not wrong
			return err
		}
		return command.Usagef("%w", err)
	}
	return sayChanged(ctx, e, o)
}

func unset(ctx context.Context, e *command.Env, o keyOptions) error {
	if err := config.Unset(e.Paths.ConfigFile(), o.key); err != nil {
		return err
	}
	return sayChanged(ctx, e, o)
}

// sayChanged says which value is in force and from when: the environment takes
// precedence over the file.
func sayChanged(ctx context.Context, e *command.Env, o keyOptions) error {
	s, err := setting(e, o.key)
	if err != nil {
		return err
	}
	if s.Secret && s.Value != "" {
		s.Value = hidden
	}
	changed := changedSetting{s, isAgents(o.key) && !isOfEachCall(o.key) && e.Agent.IsRunning(ctx)}
	return e.Print(ctx, o.JSON, changed, func(w io.Writer) {
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
			_, _ = fmt.Fprintln(w, "the agent that is running keeps the old value until it starts again;\nmemory agent stop ends it, and the next hook or command starts it")
		case isOfEachCall(o.key):
			_, _ = fmt.Fprintln(w, "it takes effect with the next call of a model")
		case isAgents(o.key):
			_, _ = fmt.Fprintln(w, "it takes effect when the agent starts")
		default:
			_, _ = fmt.Fprintln(w, "it takes effect with the next hook")
		}
	})
}

// changedSetting is a setting as it is now, and whether the agent has to be restarted
// for it.
type changedSetting struct {
	config.Setting
	Restart bool `json:"restart"`
}

// isAgents says whether the agent reads a setting; the others are read by hooks, each
// time.
func isAgents(key string) bool {
	return key == "hooks.teammate_idle.interval" || !strings.HasPrefix(key, "hooks.")
}

// isOfEachCall says whether the agent reads a setting before each call of a model.
func isOfEachCall(key string) bool {
	return strings.HasPrefix(key, "distill.") && key != "distill.cron"
}

// keysAndValues completes the key, and of memory config set the value as well.
func keysAndValues(e *command.Env) command.Values {
	return func(_ context.Context, c *cli.Context) []command.Candidate {
		all, _ := config.List(e.Paths.ConfigFile(), e.Getenv)
		if c.Args().Present() {
			return valuesOf(all, c)
		}
		found := make([]command.Candidate, 0, len(all))
		for _, s := range all {
			found = append(found, command.Candidate{Word: s.Key, Meaning: "default: " + s.Default})
		}
		return found
	}
}

// valuesOf are the values that a setting can have: all of them if they can be listed, or
// else its present value and the default.
func valuesOf(all []config.Setting, c *cli.Context) []command.Candidate {
	at := slices.IndexFunc(all, func(s config.Setting) bool { return s.Key == c.Args().First() })
	if at < 0 || c.Args().Len() > 1 || c.Command.Name != "set" || all[at].Secret {
		return nil
	}
	s := all[at]
	found := command.OneOf(s.Values...)(c.Context, c)
	if len(found) == 0 && s.Value != "" {
		found = append(found, command.Candidate{Word: s.Value, Meaning: "as it is now"})
	}
	if len(found) < 2 && s.Default != "" && s.Default != s.Value {
		found = append(found, command.Candidate{Word: s.Default, Meaning: "the default"})
	}
	return found
}
