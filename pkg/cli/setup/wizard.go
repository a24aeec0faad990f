package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
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
	Past func(ctx context.Context, e *command.Env) (Past, error)
	Read func(ctx context.Context, e *command.Env) error
	// Estimate prints the cost of a model for that many sessions, Switch decides whether
	// one is asked.
	Estimate func(ctx context.Context, e *command.Env, sessions int, json bool) error
	Switch   func(ctx context.Context, e *command.Env, on, json bool) error
}

// questions are the flags that answer a question beforehand, and what a yes to each means.
var questions = []struct{ flag, yes string }{
	{"past", "read the sessions of the past"},
	{"distill", "let a model write down the decisions of sessions"},
	{"statusline", "show the memory in Claude Code's status line"},
	{"clients", "connect the other coding agents that are here"},
}

// Setup makes memory setup, with the commands of single steps; others belong to other packages.
func Setup(e *command.Env, steps Steps, others ...*cli.Command) *cli.Command {
	flags := []cli.Flag{&cli.BoolFlag{Name: "yes", Usage: "read the sessions of the past and show the status line, without asking"}}
	for _, q := range questions {
		flags = append(flags, &cli.StringFlag{Name: q.flag, Usage: "`yes|no`: " + q.yes, DefaultText: "ask, if somebody is there"})
	}
	return &cli.Command{
		Name: "setup", Usage: "set the memory up, step after step, or one step alone",
		Description: command.Described("The steps: engine, sessions of the past, a model, the status line, other coding agents. It asks on a terminal. Elsewhere it asks nothing and does what the flags say. It can be run again: what is done already is not done twice. "+
			"--yes takes the recommended answers; whether a model reads your sessions is never assumed.",
			"memory setup", "memory setup --yes", "memory setup --past yes --distill no --statusline no --clients no"),
		Flags: flags, Subcommands: append([]*cli.Command{link(e), statusLineCommand(e)}, others...),
		Action: command.Action(e, setupOptionsOf, func(ctx context.Context, e *command.Env, o setupOptions) error {
			return (&wizard{Env: e, steps: steps, setupOptions: o}).run(ctx)
		}),
	}
}

// setupOptions are the answers that were given with the command.
type setupOptions struct {
	yes   bool
	given map[string]bool // by flag
}

func setupOptionsOf(c *cli.Context) (setupOptions, error) {
	o := setupOptions{c.Bool("yes"), map[string]bool{}}
	if c.Args().Present() {
		return o, command.Usagef("setup takes no arguments; see memory setup --help")
	}
	for _, q := range questions {
		switch value := c.String(q.flag); value {
		case "":
		case "yes", "no":
			o.given[q.flag] = value == "yes"
		default:
			return o, command.Usagef("--%s %q: say yes or no", q.flag, value)
		}
	}
	return o, nil
}

// part is a part of the memory that is on or off, with the commands that change that.
type part struct {
	name          string
	isOn          bool
	begin, finish string
}

// wizard goes through the steps, and remembers how each part is.
type wizard struct {
	*command.Env
	steps Steps
	setupOptions
	parts []*part
}

// run goes through the steps. The report of a step stands before its question; one that
// fails ends the setup, because the next ones need it.
func (w *wizard) run(ctx context.Context) error {
	status, err := w.Agent.Start(ctx)
	if err != nil {
		return fmt.Errorf("start the agent: %w; memory doctor says what is wrong", err)
	}
	w.say("1. The agent is running, with %s.", terminal.Printable(cmp.Or(status.Engine.Name, status.Engine.Kind+" engine "+status.Engine.Version)))
	for _, step := range []func(context.Context) error{w.readPast, w.askForModel, w.showLine, w.connectClients} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	w.part("start at login", w.Autostart().IsInstalled(ctx), "memory setup service install", "memory setup service remove")
	return w.summary(ctx)
}

func (w *wizard) part(name string, isOn bool, begin, finish string) *part {
	one := &part{name, isOn, begin, finish}
	w.parts = append(w.parts, one)
	return one
}

func (w *wizard) say(format string, values ...any) {
	_, _ = fmt.Fprintf(w.Out, format+"\n", values...)
}

// decide takes the answer of the flag, else of --yes where that is recommended, else of
// the user. Nobody there means no.
func (w *wizard) decide(flag string, isRecommended bool, question string) bool {
	given, isGiven := w.given[flag]
	switch {
	case isGiven:
		return given
	case w.yes:
		return isRecommended
	}
	return w.IsYes(question)
}

func (w *wizard) readPast(ctx context.Context) error {
	past, err := w.steps.Past(ctx, w.Env)
	if err != nil && !errors.Is(err, memory.ErrNotFound) {
		return err
	}
	read := w.part("sessions of the past", past.Sessions == 0, "memory import transcripts", "")
	if read.isOn {
		w.say("2. There are no past sessions to read.")
		return nil
	}
	found := fmt.Sprintf("2. There are %s of %s since %s that were not read.", terminal.Counted(past.Sessions, "session"), terminal.Counted(past.Projects, "project"), past.Since.Format("2 January 2006"))
	if read.isOn = w.decide("past", true, found+" Read them now?"); !read.isOn {
		w.say("%s memory import transcripts reads them.", found)
		return nil
	}
	if err := w.steps.Read(ctx, w.Env); err != nil {
		return err
	}
	return w.examples(ctx)
}

// mostExamples is how many memories are shown of those that were kept.
const mostExamples = 5

// examples shows the newest rules, decisions and notes that are kept.
func (w *wizard) examples(ctx context.Context) error {
	var kept []memory.Memory
	filter := memory.Filter{Kinds: []memory.Kind{memory.KindConvention, memory.KindDecision, memory.KindPreference, memory.KindNote}, Statuses: []memory.Status{memory.StatusActive}, Limit: mostExamples}
	if err := w.Agent.CallLong(ctx, agentapi.MethodMemories.Call(filter, &kept)); err != nil {
		return err
	}
	for i, m := range kept {
		if i == 0 {
			w.say("for example:")
		}
		w.say("  %s: %s", m.Kind, terminal.Printable(memory.Cut(memory.OneLine(m.Content), 160)))
	}
	return nil
}

// estimatedSessions is how many sessions of the past an estimate is made of.
const estimatedSessions = 100

// askForModel has the user decide on distillation, once: who has decided is not asked again.
func (w *wizard) askForModel(ctx context.Context) error {
	given, isGiven := w.given["distill"]
	model := w.part("a model that writes down decisions", w.Config.Distill.Enabled, "memory distill on", "memory distill off")
	switch isDecided := w.Config.Distill.Decided || w.Config.Distill.Enabled; {
	case isGiven:
		w.say("3. A model that writes down the decisions of sessions:")
		model.isOn = given
		return w.steps.Switch(ctx, w.Env, model.isOn, false)
	case isDecided:
		w.say("3. %s", modelState(w.Config.Distill.Enabled))
		return nil
	}
	w.say("3. A model can write down each session's decisions: facts take the place of the log, and several times more of what is told helps (docs/distill.md).\n" +
		"   Redacted words of ended sessions (what you typed, the last answers, names of edited files) then go to your own Claude Code, headless.")
	if err := w.steps.Estimate(ctx, w.Env, estimatedSessions, false); err != nil {
		return err
	}
	if !w.Interactive || w.yes {
		w.say("   Nobody was asked, so it stays off: memory distill on switches it on.")
		return nil
	}
	model.isOn = w.IsYes("   Let a model do that?")
	return w.steps.Switch(ctx, w.Env, model.isOn, false)
}

func modelState(on bool) string {
	if on {
		return "A model writes down the decisions of sessions; memory distill off ends that."
	}
	return "No model reads your sessions, as you have decided; memory distill on changes that."
}

func (w *wizard) showLine(context.Context) error {
	setting := statusLineOf(w.Env)
	line := w.part("the status line", false, "memory setup --statusline yes", "memory setup --statusline no")
	given, isGiven := w.given["statusline"]
	state, err := stateOf(w.Env, setting)
	if err != nil {
		return err
	}
	switch {
	case state == lineOfAnother:
		w.say("4. Claude Code's status line shows something else, which stays; memory setup statusline prints the setting for ours.")
		line.begin = "memory setup statusline prints the setting"
		return nil
	case state == lineIsOurs && isGiven && !given:
		w.say("4. The status line is gone from %s.", terminal.Printable(setting.Path))
		return setLine(w.Env, setting, false)
	case state == lineIsOurs:
		w.say("4. Claude Code's status line shows the memory.")
		line.isOn = true
		return nil
	}
	if line.isOn = w.decide("statusline", true, "4. Claude Code's status line can show what a session was told last. Show it?"); !line.isOn {
		w.say("4. The status line stays as it is; memory setup statusline prints the setting for it.")
		return nil
	}
	if err := setLine(w.Env, setting, true); err != nil {
		return err
	}
	w.say("4. Claude Code's status line shows the memory, from the next session on (%s).", terminal.Printable(setting.Path))
	return nil
}

// connectClients offers to connect the other coding agents on this machine. Nothing is said where there is none, and
// --yes connects none: it is another program's configuration.
func (w *wizard) connectClients(context.Context) error {
	for _, c := range connect.All(connect.Env{Paths: w.Paths, Getenv: w.Getenv, Plugin: paths.InstalledRoot(w.Executable)}) {
		s := c.State()
		if !s.Connected && !s.Installed {
			continue
		}
		wanted := s.Connected || w.decide("clients", false, "5. "+c.Title+" is here, too, and can share this memory. Connect it?")
		w.part(c.Title, wanted, "memory setup clients connect "+c.Name, "memory setup clients disconnect "+c.Name)
		switch {
		case !wanted:
			w.say("5. %s is here, too: memory setup clients connect %s has it share this memory.", c.Title, c.Name)
			continue
		case !s.Connected:
			if _, err := c.Connect(); err != nil {
				return err
			}
		}
		w.say("5. %s shares this memory.%s", c.Title, trust(c))
	}
	return nil
}

// trust is the step that is left to the client's user, if there is one.
func trust(c connect.Client) string {
	if c.Trust() == "" {
		return ""
	}
	return " " + c.Trust() + "."
}

// summary counts the memories, lists the switches, and names the next steps.
func (w *wizard) summary(ctx context.Context) error {
	var projects []memory.ProjectHolding
	if err := w.Agent.CallLong(ctx, agentapi.MethodProjects.Call(agentapi.ProjectsParams{}, &projects)); err != nil {
		return err
	}
	var held memory.Holding
	for _, one := range projects {
		held.Memories += one.Holding.Memories
		held.Sessions += one.Holding.Sessions
		held.Prompts += one.Holding.Prompts
	}
	w.say("\nReady: %s in %s. The next session of Claude Code is told what matters of its project;\nmemory context shows that, memory status how the memory is.",
		command.Held(held), terminal.Counted(len(projects), "project"))
	for _, one := range w.parts {
		switch {
		case !one.isOn:
			w.say("  off  %s: %s", one.name, one.begin)
		case one.finish != "":
			w.say("  on   %s: %s ends that", one.name, one.finish)
		default:
			w.say("  on   %s", one.name)
		}
	}
	return nil
}
