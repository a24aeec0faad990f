package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
)

func (p *program) configCommand() *cli.Command {
	return &cli.Command{
		Name: "config", Usage: "show and change settings",
		Description: "docs/configuration.md says what each means. The agent reads them when it starts, hooks each time.",
		Subcommands: []*cli.Command{
			{
				Name: "list", Usage: "list every setting with its value and where that is from",
				Description: described("", "memory config list --changed"),
				Flags:       []cli.Flag{&cli.BoolFlag{Name: "changed", Usage: "only those that are not at their default"}, jsonFlag()}, Action: p.listSettings,
			},
			p.settingCommand("get", "print the value of a setting", "KEY", "memory config get store.url", p.getSetting),
			p.settingCommand("set", "write a setting into the settings file", "KEY VALUE", "memory config set hooks.session_start.token_budget 1500", p.setSetting),
			p.settingCommand("unset", "take a setting out of the settings file", "KEY", "memory config unset store.url", p.unsetSetting),
		},
	}
}

// settingCommand makes a command about one setting.
func (p *program) settingCommand(name, usage, arguments, example string, action cli.ActionFunc) *cli.Command {
	return &cli.Command{
		Name: name, Usage: usage, ArgsUsage: arguments, Description: described("", example), Flags: []cli.Flag{jsonFlag()}, Action: action,
		BashComplete: p.completeWith(p.settingNames),
	}
}

// hidden stands for a password or token in a list.
const hidden = "(set)"

func (p *program) listSettings(c *cli.Context) error {
	all, _ := config.List(p.paths.ConfigFile(), p.getenv) // run has reported the problems
	shown := []config.Setting{}
	for _, s := range all {
		if c.Bool("changed") && s.Origin == "" {
			continue
		}
		if s.Secret && s.Value != "" {
			s.Value = hidden
		}
		shown = append(shown, s)
	}
	return p.print(c, shown, func(w io.Writer) {
		for _, s := range shown {
			origin := s.Origin
			if origin == "" {
				origin = "default"
			}
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", p.paint(cyan, s.Key), printable(s.Value), printable(origin))
		}
	})
}

// setting finds one by its key.
func (p *program) setting(key string) (config.Setting, error) {
	all, _ := config.List(p.paths.ConfigFile(), p.getenv)
	for _, s := range all {
		if s.Key == key {
			return s, nil
		}
	}
	return config.Setting{}, fmt.Errorf("%q: %w", key, config.ErrNoSetting)
}

func (p *program) getSetting(c *cli.Context) error {
	if c.Args().Len() != 1 {
		return usagef("get which? memory config get KEY; memory config list shows the keys")
	}
	s, err := p.setting(c.Args().First())
	if err != nil {
		return err
	}
	return p.print(c, s, func(w io.Writer) { _, _ = fmt.Fprintln(w, printable(s.Value)) })
}

func (p *program) setSetting(c *cli.Context) error {
	if c.Args().Len() != 2 {
		return usagef("set what? memory config set KEY VALUE; memory config list shows the keys")
	}
	key, value := c.Args().Get(0), c.Args().Get(1)
	if _, err := p.setting(key); err != nil {
		return err
	}
	if err := config.Set(p.paths.ConfigFile(), key, value); err != nil {
		return usageError{err}
	}
	return p.sayChanged(c, key)
}

func (p *program) unsetSetting(c *cli.Context) error {
	if c.Args().Len() != 1 {
		return usagef("unset which? memory config unset KEY; memory config list --changed shows what is set")
	}
	if err := config.Unset(p.paths.ConfigFile(), c.Args().First()); err != nil {
		return err
	}
	return p.sayChanged(c, c.Args().First())
}

// sayChanged says what is in force now, and when: the environment may go before
// the file.
func (p *program) sayChanged(c *cli.Context, key string) error {
	s, err := p.setting(key)
	if err != nil {
		return err
	}
	if s.Secret && s.Value != "" {
		s.Value = hidden
	}
	changed := changedSetting{s, isAgents(key) && p.isAgentRunning(c.Context)}
	return p.print(c, changed, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "%s is %s", s.Key, printable(s.Value))
		switch s.Origin {
		case "":
			_, _ = fmt.Fprintln(w, ", its default")
		case p.paths.ConfigFile():
			_, _ = fmt.Fprintln(w)
		default:
			_, _ = fmt.Fprintf(w, ", from the environment (%s), which goes before the file\n", s.Origin)
		}
		switch {
		case changed.Restart:
			_, _ = fmt.Fprintln(w, "the agent that is running keeps the old value until it starts anew;\nmemory agent stop ends it, and the next hook or command starts it")
		case isAgents(key):
			_, _ = fmt.Fprintln(w, "it holds when the agent starts")
		default:
			_, _ = fmt.Fprintln(w, "it holds from the next hook on")
		}
	})
}

// changedSetting is a setting as it is now, and whether the agent has to be
// started anew for it.
type changedSetting struct {
	config.Setting
	Restart bool `json:"restart"`
}

// isAgents says whether the agent goes by a setting; the others are the hooks',
// which read them each time.
func isAgents(key string) bool {
	switch key {
	case "hooks.stop.ask_after", "hooks.teammate_idle.interval":
		return true
	}
	return !strings.HasPrefix(key, "hooks.")
}

func (p *program) isAgentRunning(ctx context.Context) bool {
	client, err := agentapi.Dial(ctx, p.paths.Socket())
	if err != nil {
		return false
	}
	return client.Close() == nil
}
