package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/policy/rules"
)

func explainSettingsCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "explain", Usage: "explain the effect of the settings, in one sentence for each policy",
		Description: described("The numbers are those in force; memory config list names their settings.",
			"memory config explain"),
		Flags: []cli.Flag{jsonFlag()}, Action: action(e, onlyShared, explainSettings),
	}
}

func explainSettings(ctx context.Context, e *environment, o sharedOptions) error {
	all := settingSentences(e.Config)
	return e.Print(ctx, o.JSON, all, func(w io.Writer) {
		for _, one := range all {
			_, _ = fmt.Fprintf(w, "%s\t%s\n", e.Paint(terminal.Cyan, one.Policy), terminal.Printable(one.Text))
		}
	})
}

// settingSentences explain the settings, in the order of a session: its start, the fate of its
// memories, and the backups that are kept.
func settingSentences(c config.Config) []rules.Sentence {
	all := []rules.Sentence{
		{Policy: "start", Text: startSentence(c)},
		{Policy: "prompt", Text: promptSentence(c)},
		{Policy: "question", Text: questionSentence(c.Hooks.Stop)},
	}
	for _, one := range c.Maintenance.Rules.Sentences() {
		if cron, isJob := c.Maintenance.Crons[one.Policy]; isJob {
			one.Text += " " + dueSentence(cron)
		}
		all = append(all, one)
	}
	return append(all, rules.Sentence{
		Policy: "close",
		Text: fmt.Sprintf("A session that was silent for %s is closed and summed up. %s",
			rules.Span(c.Maintenance.CloseAfter), dueSentence(c.Maintenance.Crons["close"])),
	},
		rules.Sentence{Policy: "distill", Text: distillSentence(c.Distill)},
		rules.Sentence{Policy: "backup", Text: backupSentence(c.Backup)})
}

func startSentence(c config.Config) string {
	if c.Disabled {
		return "Every hook is silenced (disabled): nothing is captured and nothing is injected."
	}
	if c.Hooks.SessionStart.TokenBudget == 0 {
		return "Nothing is injected at the start of a session."
	}
	own := "as many as fit"
	if n := c.Hooks.SessionStart.SaidTokens; n > 0 {
		own = fmt.Sprintf("at most %d", n)
	}
	return fmt.Sprintf("At most %s are injected at the start of a session, %s of them for what you asked to keep and said, counted by %s, if the agent answers within %s (%s if it has to be started).",
		terminal.Counted(c.Hooks.SessionStart.TokenBudget, "token"), own, c.Tokens.Encoding,
		c.Hooks.Deadline, c.Hooks.SessionStart.Deadline)
}

func promptSentence(c config.Config) string {
	p := c.Hooks.UserPrompt
	if p.TokenBudget == 0 {
		return "Nothing is injected for a prompt."
	}
	most := "as many memories as fit"
	if p.MaxLines > 0 {
		most = "at most " + terminal.Counted(p.MaxLines, "memory")
	}
	return fmt.Sprintf("A prompt gets %s in %s within %s, and none unless the best fits better than chance.",
		most, terminal.Counted(p.TokenBudget, "token"), c.Hooks.Deadline)
}

func questionSentence(s config.Stop) string {
	switch s.Ask {
	case config.AskAlways:
		return "The model is asked at the end of every turn to keep its lessons."
	case config.AskAuto:
		return fmt.Sprintf("The model is asked once a session, after %d edits and commands, to keep its lessons.",
			config.AskAfter)
	}
	return "The model is never asked to keep its lessons."
}

func distillSentence(d config.Distill) string {
	if !d.Enabled {
		return "No model is asked to sum up sessions (distill.enabled)."
	}
	by := "the client " + d.Command
	if d.Runner == config.DistillEndpoint {
		by = d.URL
	}
	return fmt.Sprintf("A model (%s, by %s) writes the summary and facts of each session that has ended, with at most %d tokens a call, %d a session and %d a day by UTC, each call within %s.",
		d.Model, by, d.CallTokens, d.SessionTokens, d.DayTokens, d.TimeLimit)
}

func dueSentence(cron string) string {
	if strings.TrimSpace(cron) == "" {
		return "It is switched off."
	}
	return "It is due at " + cron + "."
}

func backupSentence(b config.Backup) string {
	kept := fmt.Sprintf("the journal of events and changes for %s", terminal.Counted(b.JournalDays, "day"))
	if b.JournalDays == 0 {
		kept = "no journal of events and changes"
	}
	if strings.TrimSpace(b.Cron) == "" {
		return "No daily backup is made; the memory keeps " + kept + "."
	}
	return fmt.Sprintf("A backup is due at %s; the memory keeps those of %s, and %s.", b.Cron,
		terminal.Counted(b.Keep, "day"), kept)
}
