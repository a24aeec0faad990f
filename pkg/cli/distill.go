package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

func distillCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "distill", Usage: "have a model write facts of your sessions, or switch this off", ArgsUsage: "on | off | SESSION",
		Action:      with(e, distillSessions),
		Subcommands: []*cli.Command{costsCommand(e)},
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Usage: "print the text for the model with its tokens, but send nothing"},
			&cli.IntFlag{Name: "estimate", Usage: "print what the newest `N` sessions cost at most, but send nothing"},
			&cli.BoolFlag{Name: "all", Usage: "show the cost, ask, and distil all sessions that were not distilled yet, the oldest first"},
			&cli.StringFlag{Name: "since", Usage: "with --all: only sessions of the last `TIME`, such as 30d or 12h"},
			&cli.BoolFlag{Name: "yes", Usage: "with --all: do not ask first"},
		},
		Description: described("on: from now on text of each session is sent to a model after the session's end, which costs tokens. off: nothing more is sent. "+
			"SESSION: one session is distilled now; give its id from memory sessions, or the beginning of the id. You can interrupt --all, and it stops at "+
			"distill.day_tokens; run it again to continue. memory distill spend shows the cost.",
			"memory distill --estimate 100", "memory distill --dry-run 0123abcd", "memory distill on",
			"memory distill 0123abcd", "memory distill --all --since 30d"),
	}
}

func distillSessions(c *cli.Context, e *environment) error {
	params := daemonapi.DistillParams{Session: undecorated(c.Args().First()), DryRun: c.Bool("dry-run")}
	estimate := c.Int("estimate")
	switch {
	case c.IsSet("estimate") && estimate < 1:
		return usagef("--estimate %d: give the number of sessions, at least 1", estimate)
	case (estimate > 0 || c.Bool("all")) && c.Args().Present():
		return usagef("--estimate and --all look at the newest sessions: leave out %q", params.Session)
	case c.Bool("all"):
		var since time.Time
		if c.IsSet("since") {
			span, err := timeSpan(c.String("since"))
			if err != nil {
				return err
			}
			since = e.Now().Add(-span)
		}
		return distillBacklog(c.Context, e, mostBacklog, since, c.Bool("yes"))
	case c.IsSet("since") || c.Bool("yes"):
		return usagef("--since and --yes need --all")
	case estimate > 0:
		return estimateDistillation(c.Context, e, estimate)
	case c.NArg() != 1, params.DryRun && isSwitch(params.Session):
		return usagef("distill what? Give on, off or the id of one session, or --all or --estimate N; memory distill --help describes each")
	case isSwitch(params.Session):
		return switchDistillation(e, params.Session == switchOn)
	}
	return show(c.Context, e, daemonapi.MethodDistill, params, func(w io.Writer, result daemonapi.DistillResult) {
		if params.DryRun {
			wouldAsk(w, result)
		} else {
			distilledPage(w, result)
		}
	})
}

func wouldAsk(w io.Writer, result daemonapi.DistillResult) {
	tokens, calls := 0, 0
	for i, call := range result.Calls {
		note := ""
		if call.Skipped {
			note = "; answered before, and not sent again"
		} else {
			calls++
			tokens += call.Tokens
		}
		_, _ = fmt.Fprintf(w, "call %d: %d tokens (%s), at most %d tokens of answer%s\n", i+1, call.Tokens, call.Encoding, call.Most, note)
		_, _ = fmt.Fprintf(w, "%s\n%s\n", terminal.Lines(call.System), terminal.Lines(call.Prompt))
	}
	if calls == 0 {
		_, _ = fmt.Fprintln(w, map[bool]string{true: "the session has nothing to distil, so nothing would be sent", false: "all of this was answered before, so nothing would be sent again"}[len(result.Calls) == 0])
		return
	}
	_, _ = fmt.Fprintf(w, "%s, %s of input\n", memory.Counted(calls, "call"), memory.Counted(tokens, "token"))
}

func distilledPage(w io.Writer, result daemonapi.DistillResult) {
	_, _ = fmt.Fprintf(w, "%s: %s\n", terminal.Printable(result.Session),
		strings.TrimSuffix(result.State+": "+terminal.Printable(result.Reason), ": "))
	for _, field := range result.Digest.Fields() {
		_, _ = fmt.Fprintf(w, "  %s: %s\n", field[0], terminal.Printable(field[1]))
	}
	for _, f := range result.Facts {
		_, _ = fmt.Fprintf(w, "  %s\t%s\t%s\n", memory.ShortID(f.ID), f.Kind, terminal.Printable(f.Text))
	}
	for _, dropped := range result.Dropped {
		_, _ = fmt.Fprintf(w, "  dropped %s\n", terminal.Printable(dropped))
	}
	for _, t := range result.Spent {
		_, _ = fmt.Fprintf(w, "  spent on %s: %s, %d tokens in total%s\n", t.Day, memory.Counted(t.Calls, "call"), t.Tokens(), dollars(t.USD))
	}
}

func costsCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "spend", Usage: "show the cost of distillation, by day",
		Action: with(e, showSpend),
		Description: described("It shows the last 30 days (UTC), today included, with the tokens that the runner reports, cached ones included. A call without a report, such as one that was killed, counts with the most that it may have cost.",
			"memory distill spend"),
	}
}

// spendDays is the number of days that are listed, as on the dashboard.
const spendDays = 30

func showSpend(c *cli.Context, e *environment) error {
	return show(c.Context, e, daemonapi.MethodSpend, spendDays, func(w io.Writer, result daemonapi.SpendResult) {
		if len(result.Totals) == 0 {
			_, _ = fmt.Fprintf(w, "nothing was spent in %s\n", memory.Counted(spendDays, "day"))
		} else {
			_, _ = io.WriteString(w, "DAY\tCALLS\tFAILED\tINPUT\tOUTPUT\tCOST\n")
		}
		for _, t := range result.Totals {
			note := ""
			if t.Estimated > 0 {
				note = fmt.Sprintf(" (%d not reported)", t.Estimated)
			}
			_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%s%s\n", t.Day, t.Calls,
				t.Failed, t.Input, t.Output, strings.TrimPrefix(dollars(t.USD), ", "), note)
		}
		_, _ = fmt.Fprintln(w, distillationState(result.Status))
	})
}

// dollars returns the cost as text, or "" if it is unknown.
func dollars(usd float64) string {
	if usd == 0 {
		return ""
	}
	return fmt.Sprintf(", $%.4f", usd)
}

// The arguments of "memory distill" (instead of a session's id) and "memory setup codex".
const (
	switchOn  = "on"
	switchOff = "off"
)

func isSwitch(word string) bool { return word == switchOn || word == switchOff }

// switchState is the JSON output: whether distillation is on.
type switchState struct {
	On       bool   `json:"on"`
	Receiver string `json:"receiver,omitempty"` // who gets the words of sessions; empty if it is off
}

// switchDistillation saves whether models may be asked. The daemon reads it before each call.
func switchDistillation(e *environment, on bool) error {
	if err := config.Set(e.Paths.ConfigFile(), config.DistillEnabled, strconv.FormatBool(on)); err != nil {
		return err
	}
	cfg, _ := config.Load(e.Paths.ConfigFile(), e.Getenv)
	result := switchState{On: on}
	if on {
		result.Receiver = cfg.Distill.Receiver()
	}
	return e.Print(result, func(w io.Writer) {
		if !on {
			_, _ = fmt.Fprintln(w,
				"distillation is off: no session is sent to a model, and you are not asked again. Facts that a model wrote before stay.")
			return
		}
		_, _ = fmt.Fprintf(w, "distillation is on: when a session has ended, its text, with secrets removed, goes to %s;\nat most %d tokens a session and %d a day; memory distill spend shows the cost\n",
			terminal.Printable(result.Receiver), cfg.Distill.SessionTokens, cfg.Distill.DayTokens)
		if d := cfg.Distill; d.Runner != config.DistillEndpoint && e.ProgramPath(d.Command) == "" {
			_, _ = fmt.Fprintf(w, "there is no program %s, so nothing is distilled until you install Claude Code, or set distill.command to its path\n", terminal.Printable(d.Command))
		}
		_, _ = fmt.Fprintln(w, "memory distill --dry-run SESSION prints what is sent, memory distill --all distils past sessions,\nmemory distill off switches it off")
	})
}
