package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/caller"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/command"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/client/connect"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// Past is the sessions in the client's transcripts that were not read yet.
type Past struct {
	Sessions int
	Projects int
	Since    time.Time // of the oldest
}

// Steps are the parts of setup that belong to other groups of commands.
type Steps struct {
	// Past counts the sessions of the past, Read imports them with a progress bar and
	// says how much was kept of them.
	Past func(e *command.Env) (Past, error)
	Read func(ctx context.Context, e *command.Env) error
	// Estimate prints the cost of a model for that many sessions, Switch decides whether
	// one is asked.
	Estimate func(ctx context.Context, e *command.Env, sessions int) error
	Switch   func(ctx context.Context, e *command.Env, on bool) error
}

// Setup makes memory setup.
func Setup(e *command.Env, steps Steps) *cli.Command {
	answer := func(name, usage string) *cli.StringFlag {
		return &cli.StringFlag{Name: name, Usage: usage, DefaultText: "ask, if somebody is there"}
	}
	return &cli.Command{
		Name: "setup", Usage: "set the memory up: engine, sessions of the past, a model, the status line, other coding agents",
		Description: command.Described("It asks on a terminal. Elsewhere it asks nothing and does what the flags say. It can be run again: what is done already is not done twice. "+
			"--yes takes the recommended answers; whether a model reads your sessions is never assumed.",
			"memory setup", "memory setup --yes", "memory setup --past yes --distill no --statusline no --clients no"),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "yes", Usage: "read the sessions of the past and show the status line, without asking"},
			answer("past", "`yes|no`: read the sessions of the past"),
			answer("distill", "`yes|no`: let a model write down the decisions of sessions"),
			answer("statusline", "`yes|no`: show the memory in Claude Code's status line"),
			answer("clients", "`yes|no`: connect the other coding agents that are here"),
		},
		Action: command.Action(e, setupOptionsOf, func(ctx context.Context, e *command.Env, o setupOptions) error { return setup(ctx, e, steps, o) }),
	}
}

// answer is the user's answer to a question, or nothing yet.
type answer int

const (
	unanswered answer = iota
	agreed
	declined
)

// setupOptions are the answers that were given with the command.
type setupOptions struct {
	yes                                bool
	past, distill, statusLine, clients answer
}

func setupOptionsOf(c *cli.Context) (o setupOptions, err error) {
	o.yes = c.Bool("yes")
	if c.Args().Present() {
		return o, command.Usagef("setup takes no arguments; see memory setup --help")
	}
	for name, at := range map[string]*answer{"past": &o.past, "distill": &o.distill, "statusline": &o.statusLine, "clients": &o.clients} {
		switch value := c.String(name); value {
		case "":
		case "yes":
			*at = agreed
		case "no":
			*at = declined
		default:
			return o, command.Usagef("--%s %q: say yes or no", name, value)
		}
	}
	return o, nil
}

// setup goes through the steps. The report of a step stands before its question; one that
// fails ends the setup, because the next ones need it.
func setup(ctx context.Context, e *command.Env, steps Steps, o setupOptions) error {
	status, err := e.Agent.Start(ctx)
	if err != nil {
		return fmt.Errorf("start the agent: %w; memory doctor says what is wrong", err)
	}
	say(e, "1. The agent is running, with %s.", engineName(status))
	all := parts{}
	for _, step := range []func(context.Context, *command.Env, Steps, setupOptions) (parts, error){readPast, askForModel, showLine, connectClients} {
		some, err := step(ctx, e, steps, o)
		if err != nil {
			return err
		}
		all = append(all, some...)
	}
	all = append(all, part{"start at login", e.Autostart().IsInstalled(ctx), "memory service install", "memory service remove"})
	return summary(ctx, e, all)
}

// part is a part of the memory that is on or off, with the commands that change that.
type part struct {
	name          string
	isOn          bool
	begin, finish string
}

type parts []part

func say(e *command.Env, format string, values ...any) {
	_, _ = fmt.Fprintf(e.Out, format+"\n", values...)
}

// decide takes the answer of the flag, else of --yes where that is recommended, else of
// the user. Nobody there means no.
func (o setupOptions) decide(e *command.Env, given answer, isRecommended bool, question string) bool {
	switch {
	case given != unanswered:
		return given == agreed
	case o.yes:
		return isRecommended
	}
	return e.IsYes(question)
}

func engineName(status agentapi.StatusResult) string {
	return terminal.Printable(cmp.Or(status.Engine.Name, status.Engine.Kind+" engine "+status.Engine.Version))
}

func readPast(ctx context.Context, e *command.Env, steps Steps, o setupOptions) (parts, error) {
	past, err := steps.Past(e)
	if err != nil && !errors.Is(err, memory.ErrNotFound) {
		return nil, err
	}
	read := part{name: "sessions of the past", begin: "memory import transcripts"}
	if read.isOn = past.Sessions == 0; read.isOn {
		say(e, "2. There are no past sessions to read.")
		return parts{read}, nil
	}
	found := fmt.Sprintf("2. There are %s of %s since %s that were not read.", terminal.Counted(past.Sessions, "session"), terminal.Counted(past.Projects, "project"), past.Since.Format("2 January 2006"))
	if read.isOn = o.decide(e, o.past, true, found+" Read them now?"); !read.isOn {
		say(e, "%s memory import transcripts reads them.", found)
		return parts{read}, nil
	}
	if err := steps.Read(ctx, e); err != nil {
		return nil, err
	}
	return parts{read}, examples(ctx, e)
}

// mostExamples is how many memories are shown of those that were kept.
const mostExamples = 5

// examples shows the newest rules, decisions and notes that are kept.
func examples(ctx context.Context, e *command.Env) error {
	var kept []memory.Memory
	filter := memory.Filter{Kinds: []memory.Kind{memory.KindConvention, memory.KindDecision, memory.KindPreference, memory.KindNote}, Statuses: []memory.Status{memory.StatusActive}, Limit: mostExamples}
	if err := e.Agent.CallWithin(ctx, caller.LongTime, agentapi.MethodMemories.Call(filter, &kept)); err != nil {
		return err
	}
	for i, m := range kept {
		if i == 0 {
			say(e, "for example:")
		}
		say(e, "  %s: %s", m.Kind, terminal.Printable(memory.Cut(memory.OneLine(m.Content), 160)))
	}
	return nil
}

// estimatedSessions is how many sessions of the past an estimate is made of.
const estimatedSessions = 100

// askForModel has the user decide on distillation, once: who has decided is not asked again.
func askForModel(ctx context.Context, e *command.Env, steps Steps, o setupOptions) (parts, error) {
	model := part{"a model that writes down decisions", e.Config.Distill.Enabled, "memory distill on", "memory distill off"}
	switch isDecided := e.Config.Distill.Decided || e.Config.Distill.Enabled; {
	case o.distill != unanswered:
		say(e, "3. A model that writes down the decisions of sessions:")
		model.isOn = o.distill == agreed
		return parts{model}, steps.Switch(ctx, e, model.isOn)
	case isDecided:
		say(e, "3. %s", modelState(e.Config.Distill.Enabled))
		return parts{model}, nil
	}
	say(e, "3. A model can write down each session's decisions: facts take the place of the log, and several times more of what is told helps (docs/distill.md).\n"+
		"   Redacted words of ended sessions (what you typed, the last answers, names of edited files) then go to your own Claude Code, headless.")
	if err := steps.Estimate(ctx, e, estimatedSessions); err != nil {
		return nil, err
	}
	if !e.Interactive || o.yes {
		say(e, "   Nobody was asked, so it stays off: memory distill on switches it on.")
		return parts{model}, nil
	}
	model.isOn = e.IsYes("   Let a model do that?")
	return parts{model}, steps.Switch(ctx, e, model.isOn)
}

func modelState(on bool) string {
	if on {
		return "A model writes down the decisions of sessions; memory distill off ends that."
	}
	return "No model reads your sessions, as you have decided; memory distill on changes that."
}

func showLine(_ context.Context, e *command.Env, _ Steps, o setupOptions) (parts, error) {
	setting := statusLineOf(e)
	line := part{name: "the status line", begin: "memory setup --statusline yes", finish: "memory setup --statusline no"}
	state, err := stateOf(e, setting)
	if err != nil {
		return nil, err
	}
	switch {
	case state == lineOfAnother:
		say(e, "4. Claude Code's status line shows something else, which stays; memory statusline prints the setting for ours.")
		line.begin = "memory statusline prints the setting"
		return parts{line}, nil
	case state == lineIsOurs && o.statusLine == declined:
		say(e, "4. The status line is gone from %s.", terminal.Printable(setting.Path))
		return parts{line}, setLine(e, setting, false)
	case state == lineIsOurs:
		say(e, "4. Claude Code's status line shows the memory.")
		line.isOn = true
		return parts{line}, nil
	}
	if line.isOn = o.decide(e, o.statusLine, true, "4. Claude Code's status line can show what a session was told last. Show it?"); !line.isOn {
		say(e, "4. The status line stays as it is; memory statusline prints the setting for it.")
		return parts{line}, nil
	}
	if err := setLine(e, setting, true); err != nil {
		return nil, err
	}
	say(e, "4. Claude Code's status line shows the memory, from the next session on (%s).", terminal.Printable(setting.Path))
	return parts{line}, nil
}

// connectClients offers to connect the other coding agents on this machine. Nothing is said where there is none, and
// --yes connects none: it is another program's configuration.
func connectClients(_ context.Context, e *command.Env, _ Steps, o setupOptions) (all parts, err error) {
	for _, c := range connect.All(connect.Env{Paths: e.Paths, Getenv: e.Getenv, Plugin: paths.InstalledRoot(e.Executable)}) {
		s := c.State()
		if !s.Connected && !s.Installed {
			continue
		}
		wanted := s.Connected || o.decide(e, o.clients, false, "5. "+c.Title+" is here, too, and can share this memory. Connect it?")
		all = append(all, part{c.Title, wanted, "memory clients connect " + c.Name, "memory clients disconnect " + c.Name})
		switch {
		case !wanted:
			say(e, "5. %s is here, too: memory clients connect %s has it share this memory.", c.Title, c.Name)
			continue
		case !s.Connected:
			if _, err := c.Connect(); err != nil {
				return nil, err
			}
		}
		say(e, "5. %s shares this memory.%s", c.Title, trust(c))
	}
	return all, nil
}

// trust is the step that is left to the client's user, if there is one.
func trust(c connect.Client) string {
	if c.Trust() == "" {
		return ""
	}
	return " " + c.Trust() + "."
}

// summary counts the memories, lists the switches, and names the next steps.
func summary(ctx context.Context, e *command.Env, all parts) error {
	var projects []memory.ProjectHolding
	if err := e.Agent.CallWithin(ctx, caller.LongTime, agentapi.MethodProjects.Call(agentapi.ProjectsParams{}, &projects)); err != nil {
		return err
	}
	var held memory.Holding
	for _, one := range projects {
		held.Memories += one.Holding.Memories
		held.Sessions += one.Holding.Sessions
		held.Prompts += one.Holding.Prompts
	}
	say(e, "\nReady: %s in %s. The next session of Claude Code is told what matters of its project;\nmemory context shows that, memory status how the memory is.",
		command.Held(held), terminal.Counted(len(projects), "project"))
	for _, one := range all {
		switch {
		case !one.isOn:
			say(e, "  off  %s: %s", one.name, one.begin)
		case one.finish != "":
			say(e, "  on   %s: %s ends that", one.name, one.finish)
		default:
			say(e, "  on   %s", one.name)
		}
	}
	return nil
}
