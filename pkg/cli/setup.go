package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/doctor"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/connect"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// setupQuestions has the flags that answer a question in advance, with what a yes means.
var setupQuestions = []struct{ flag, yes string }{
	{"plugin", "install the plugin into Claude Code, if it is missing"},
	{"everything", "keep rules, decisions and fixes unasked, not only what you ask to remember"},
	{"past", "import past sessions"},
	{"distill", "have a model write facts of your sessions"},
	{"codex", "connect Codex, if it is installed"},
}

// setupCommand returns the command "memory setup", with a subcommand for each step that can be done alone.
func setupCommand(e *environment) *cli.Command {
	flags := []cli.Flag{&cli.BoolFlag{
		Name:  "yes",
		Usage: "install the plugin and import past sessions, without asking",
	}}
	for _, q := range setupQuestions {
		flags = append(flags, &cli.StringFlag{
			Name: q.flag, Usage: "whether to " + q.yes + ": `yes|no`",
			DefaultText: "ask in a terminal, else change nothing",
		})
	}
	return &cli.Command{
		Name: "setup", Usage: "set the memory up, in all steps or in one",
		Description: described("The steps are: engine, plugin, what to keep, past sessions, a model, Codex. In a terminal it asks what no flag answers; elsewhere such a question changes nothing. You can run it again: it skips what is done. "+
			"--yes never lets a model read your sessions.",
			"memory setup", "memory setup --yes", "memory setup --past yes --distill no --codex no"),
		Flags: flags, Subcommands: []*cli.Command{
			linkCommand(e), codexCommand(e), engineCommand(e), uninstallCommand(e),
		},
		Action: with(e, setUpMemory),
	}
}

func setUpMemory(c *cli.Context, e *environment) error {
	e.Interactive = e.Interactive && !e.InModelsShell() // a model can open a terminal
	w := wizard{environment: e, yes: c.Bool("yes"), given: map[string]bool{}}
	for _, q := range setupQuestions {
		switch value := c.String(q.flag); value {
		case "":
		case "yes", "no":
			w.given[q.flag] = value == "yes"
		default:
			return usagef("--%s %q: say yes or no", q.flag, value)
		}
	}
	return w.run(c.Context)
}

// wizard carries out the steps of memory setup.
type wizard struct {
	*environment
	yes       bool
	given     map[string]bool // the answers on the command line, by flag
	hasPlugin bool            // whether Claude Code uses the plugin
}

// run carries out the steps. Each step prints its report before its question. If a step fails, run ends, because later steps need it.
func (w *wizard) run(ctx context.Context) error {
	status, err := w.Daemon.StartReady(ctx)
	if err != nil {
		return fmt.Errorf("%w; then run memory setup again", err)
	}
	w.say("1. The daemon is running; its engine: %s.", terminal.Printable(cmp.Or(status.Engine.Name,
		status.Engine.Kind+" engine "+status.Engine.Version)))
	for _, step := range []func(context.Context) error{w.usePlugin, w.askWhatToKeep, w.readPast, w.askForModel, w.offerCodex} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return w.summary(ctx)
}

func (w *wizard) say(format string, values ...any) {
	_, _ = fmt.Fprintf(w.Out, format+"\n", values...)
}

// decide returns the answer of the flag. Without the flag, --yes accepts what is recommended; otherwise the user is
// asked. If nobody can answer, the answer is no.
func (w *wizard) decide(flag string, isRecommended bool, question string) bool {
	given, isGiven := w.given[flag]
	switch {
	case isGiven:
		return given
	case w.yes:
		return isRecommended
	}
	if isRecommended {
		return w.Agrees(question)
	}
	return w.IsYes(question)
}

func (w *wizard) usePlugin(ctx context.Context) error {
	outcome, isUsed, err := installPlugin(ctx, w.environment, func(question string) bool { return w.decide("plugin", true, question) })
	if err == nil {
		w.say("   %s", outcome)
	}
	w.hasPlugin = isUsed
	return err
}

// askWhatToKeep asks whether only explicit requests become memories. Without an answer the setting stays as it is.
func (w *wizard) askWhatToKeep(context.Context) error {
	_, isGiven := w.given["everything"]
	if !isGiven && (!w.Interactive || w.yes || w.Config.Capture.Keep != config.KeepEverything) {
		return nil
	}
	keep := config.KeepAsked
	if w.decide("everything", true, "   Keep each lasting statement, such as a rule or a decision? If you say no, only what you ask to remember is kept.") {
		keep = config.KeepEverything
	}
	if keep == w.Config.Capture.Keep {
		return nil
	}
	return config.Set(w.Paths.ConfigFile(), config.CaptureKeep, keep)
}

func (w *wizard) readPast(ctx context.Context) error {
	sessions, err := unreadSessions(ctx, w.environment)
	if err != nil && !errors.Is(err, memory.ErrNotFound) {
		return err
	}
	if sessions == 0 {
		w.say("2. There are no past sessions to read.")
		return nil
	}
	found := fmt.Sprintf("2. Not read yet: %s.", memory.Counted(sessions, "past session"))
	if !w.decide("past", true, found+" Read them now?") {
		w.say("%s memory import transcripts reads them.", found)
		return nil
	}
	return importTranscripts(ctx, w.environment, transcriptSource{})
}

const estimatedSessions = 100

// askForModel asks the user whether to switch distillation on, unless the user has decided before.
func (w *wizard) askForModel(ctx context.Context) error {
	given, isGiven := w.given["distill"]
	switch isDecided := w.Config.Distill.Decided || w.Config.Distill.Enabled; {
	case isGiven:
		w.say("3. A model that writes down the decisions of sessions:")
		return w.switchModel(ctx, given)
	case isDecided:
		w.say("3. %s", map[bool]string{
			true:  "A model writes down the decisions of sessions; memory distill off switches this off.",
			false: "No model reads your sessions, as you have decided; memory distill on switches this on.",
		}[w.Config.Distill.Enabled])
		return nil
	}
	w.say("3. A model can write down each session's decisions. Sessions then start with these facts;\n" +
		"   in our measurements, the fact that a prompt needed was in context several times as often as without a model.\n" +
		"   Text of ended sessions (what you typed, the last answers, names of edited files), without secrets, then goes to your own Claude Code, which runs in the background.")
	if err := estimateDistillation(ctx, w.environment, estimatedSessions); err != nil {
		return err
	}
	if !w.Interactive || w.yes {
		w.say("   You were not asked, so distillation stays off; memory distill on switches it on.")
		return nil
	}
	yes, isDecided := w.Decides(fmt.Sprintf("   Send text of ended sessions to it, of the newest %d now? If you say no, nothing is sent.", soonest))
	if !isDecided {
		w.say("   Not decided: you will be asked again when a session starts; memory distill on or memory distill off decides it now.")
		return nil
	}
	return w.switchModel(ctx, yes)
}

// soonest is the number of sessions that are distilled immediately, so that the next start has facts. The daemon distils other new sessions later.
const soonest = 5

func (w *wizard) switchModel(ctx context.Context, isOn bool) error {
	err := switchDistillation(w.environment, isOn)
	if err == nil && isOn {
		err = distillBacklog(ctx, w.environment, soonest, time.Time{}, true)
	}
	return err
}

// offerCodex offers to connect Codex, if Codex is installed. --yes does not connect it, because that changes another program's configuration.
func (w *wizard) offerCodex(context.Context) error {
	codex := codexOf(w.environment)
	s := codex.State()
	if !s.Connected && !s.Installed {
		return nil
	}
	wanted := s.Connected || w.decide("codex", false, "4. Codex is here, too. Connect it to this memory (adds hooks and an MCP server to Codex's configuration)?")
	if !wanted {
		w.say("4. Codex is here, too: memory setup codex on connects it to this memory.")
		return nil
	}
	if !s.Connected {
		if _, err := codex.Connect(); err != nil {
			return err
		}
	}
	w.say("4. Codex shares this memory.\n   %s.", connect.Trust)
	return nil
}

// summary prints the number of memories, and the next steps.
func (w *wizard) summary(ctx context.Context) error {
	projects, err := daemonapi.MethodProjects.Ask(ctx, w.Daemon.CallLong, daemonapi.ProjectsParams{})
	if err != nil {
		return err
	}
	var held memory.Holding
	for _, one := range projects {
		held.Memories += one.Holding.Memories
		held.Sessions += one.Holding.Sessions
		held.Prompts += one.Holding.Prompts
	}
	next := map[bool]string{
		true:  "The next session of Claude Code starts with the memories of its project.",
		false: "Once Claude Code has the plugin, its sessions start with the memories of their project.",
	}[w.hasPlugin]
	w.say("\nReady: %s in %s. %s\nmemory recall shows these memories, and memory status whether everything works.",
		heldCounts(held), memory.Counted(len(projects), "project"), next)
	return nil
}

func engineCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "engine", Usage: "install the embedded database engine",
		Subcommands: []*cli.Command{{
			Name: "install", Usage: "install the embedded engine, if this machine needs it",
			Description: described("It downloads 10 MB once, and takes 25 MB on disk. Without Node.js 20 or newer it downloads that, too: 30 to 52 MB, 77 to 125 MB on disk. All versions of the plugin share the folder $MEMORY_HOME/engine, or the one that MEMORY_ENGINE_DIR names.",
				"memory setup engine install"),
			Action: func(c *cli.Context) error { return e.Daemon.Memoryd(c.Context, "--install-engine") },
		}},
	}
}

// pluginID is the plugin's name in Claude Code's commands.
const pluginID = "surrealdb-memory@surrealdb-memory"

// installPlugin installs the plugin into Claude Code, if the user agrees; without it nothing is captured or recalled.
// It returns a line about the outcome, and whether Claude Code uses the plugin now.
func installPlugin(ctx context.Context, e *environment, agrees func(question string) bool) (outcome string, isUsed bool, err error) {
	where, err := e.Project()
	if err != nil {
		return "", false, err
	}
	name, _, on, err := doctor.Enabled(e.ClientDir(), where.Root)
	marketplace := doctor.Marketplace(paths.InstalledRoot(e.Executable))
	byHand := "claude plugin marketplace add " + shell.Word(paths.Tilde(marketplace, e.Getenv("HOME"))) +
		" && claude plugin install " + pluginID
	switch {
	case err != nil:
		return "", false, fmt.Errorf("look for the plugin in Claude Code: %w; correct the file, and run memory setup again", err)
	case on:
		return "Claude Code uses the plugin.", true, nil
	case e.Client() == "Claude":
		return fmt.Sprintf("This session of Claude Code uses the plugin. To use it in all sessions: %s", byHand), true, nil
	case name != "":
		return fmt.Sprintf("The plugin is switched off in Claude Code; claude plugin enable %s switches it on.",
			terminal.Printable(name)), false, nil
	}
	client := e.ProgramPath("claude")
	if client == "" {
		return fmt.Sprintf("Claude Code is not on the PATH, so the plugin was not installed: %s installs it.", byHand), false, nil
	}
	if !agrees("   Claude Code does not have the plugin. Without it nothing is captured or recalled. Install it?") {
		return fmt.Sprintf("Claude Code does not have the plugin: %s installs it.", byHand), false, nil
	}
	for _, args := range [][]string{{"plugin", "marketplace", "add", marketplace}, {"plugin", "install", pluginID}} {
		if output, err := exec.CommandContext(ctx, client, args...).CombinedOutput(); err != nil {
			return "", false, fmt.Errorf("install the plugin: claude %s %s: %w: %s; solve this and run memory setup again, or skip this step with --plugin no",
				args[0], args[1], err, terminal.Printable(string(bytes.TrimSpace(output))))
		}
	}
	return "Claude Code uses the plugin, from the next session on.", true, nil
}
