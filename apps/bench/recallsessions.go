package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/lived"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/facts"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func recallSessionsCommand() *cli.Command {
	return &cli.Command{
		Name:  "recall-sessions",
		Usage: "live labelled real sessions again, and score what starts and prompts bring into context",
		Description: "A folder has meta.json, facts.jsonl, queries.jsonl, and transcripts or transcripts.tar.xz. Its sessions\n" +
			"are imported in the order in which they ended, maintenance runs once a day, and each query is asked as of\n" +
			"its time: in this process, through the real importer, ingest and briefing, on a store in memory.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "sessions", Usage: "the labelled sessions in `DIR`; may be given again", Required: true},
			&cli.BoolFlag{Name: "today", Usage: "ask as of today instead, as who imports old sessions does"},
			&cli.BoolFlag{Name: "curve", Usage: "measure other numbers of the gate of prompts, too"},
			&cli.BoolFlag{Name: "ablation", Usage: "live them again without what each rule of ingest keeps, one rule at a time"},
			&cli.StringSliceFlag{Name: "answers", Usage: "distil each session by a model's recorded answers in `FILE`, one session a line; FILE.map.json\n" +
				"says which of the labelled facts its facts carry; give one for each --sessions, in their order"},
			&cli.IntFlag{Name: "start-tokens", Usage: "the token budget of a start, `N`", DefaultText: "as shipped"},
			&cli.IntFlag{Name: "prompt-tokens", Usage: "the token budget of a prompt, `N`", DefaultText: "as shipped"},
			&cli.StringFlag{Name: "dump", Usage: "write each query, and the start and the prompt's text of its session, to `FILE`, one a line"},
			&cli.IntFlag{Name: "show", Usage: "print the answers to the first `N` prompts, questions and starts that facts would help"},
		},
		Action: recallSessions,
	}
}

func recallSessions(c *cli.Context) (err error) {
	dirs, answered := c.StringSlice("sessions"), c.StringSlice("answers")
	if len(answered) > 0 && len(answered) != len(dirs) {
		return fmt.Errorf("%d folders of sessions have %d files of answers: give --answers once for each --sessions, in their order", len(dirs), len(answered))
	}
	rules := []lived.Rule{{}}
	if c.Bool("ablation") {
		rules = append(rules, lived.Rules()...)
	}
	s := lived.Settings{Variants: variantsOf(c.Bool("curve")), StartTokens: c.Int("start-tokens"), PromptTokens: c.Int("prompt-tokens")}
	if c.Bool("today") {
		s.Now = func(time.Time) time.Time { return time.Now() }
	}
	dump := io.Discard
	if file := c.String("dump"); file != "" {
		made, e := os.Create(file)
		if e != nil {
			return fmt.Errorf("dump the answers: %w", e)
		}
		defer func() { err = errors.Join(err, made.Close()) }()
		dump = made
	}
	var reports []lived.Report
	for i, dir := range dirs {
		if len(answered) > 0 {
			s.Answers = answered[i]
		}
		for _, s.Without = range rules {
			s.Asked = asked(c.App.Writer, c.Int("show"), dump)
			some, err := liveSessions(c.Context, dir, s, c.App.Writer)
			if err != nil {
				return err
			}
			reports = append(reports, some...)
		}
	}
	return lived.WriteBegun(c.App.Writer, reports)
}

// liveSessions measures one folder, prints its figures, and returns its reports by the name
// of the folder.
func liveSessions(ctx context.Context, dir string, s lived.Settings, out io.Writer) (reports []lived.Report, err error) {
	work, err := os.MkdirTemp("", "recall-sessions-")
	if err != nil {
		return nil, fmt.Errorf("live the sessions of %s: %w", dir, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	folder, err := lived.Load(dir, work)
	if err != nil {
		return nil, err
	}
	result, err := lived.Measure(ctx, folder, work, s)
	if err != nil {
		return nil, err
	}
	name := folder.Name
	if s.Without.Name != "" {
		name += " without " + s.Without.Name
	}
	_, err = fmt.Fprintf(out, "%s, lived in %v\n", name, result.Took.Round(time.Second))
	for _, r := range result.Reports {
		err = errors.Join(err, r.Write(out))
		r.Name = name + ", " + r.Name
		reports = append(reports, r)
	}
	return reports, errors.Join(err, result.Kept.Write(out), writeDistilled(out, result.Distilled))
}

// writeDistilled prints the kept parts of a model's answers.
func writeDistilled(out io.Writer, all []agentapi.DistillResult) (err error) {
	facts, calls, input := 0, 0, 0
	for _, one := range all {
		facts += len(one.Facts)
		for _, spent := range one.Spent {
			calls, input = calls+spent.Calls, input+spent.Input
		}
		for _, dropped := range one.Dropped {
			_, e := fmt.Fprintf(out, "%s: dropped %s\n", memory.ShortID(one.Session), dropped)
			err = errors.Join(err, e)
		}
		if one.Reason != "" {
			_, e := fmt.Fprintf(out, "%s: %s\n", memory.ShortID(one.Session), one.Reason)
			err = errors.Join(err, e)
		}
	}
	if len(all) > 0 {
		_, e := fmt.Fprintf(out, "distilled: %d sessions, %d facts, %d calls of %d tokens of input, %d of which a runner may add to each\n",
			len(all), facts, calls, input/max(1, calls), distill.Overhead)
		err = errors.Join(err, e)
	}
	return err
}

// variantsOf is the gate as it is and, for the curve, with other numbers.
func variantsOf(curve bool) []lived.Variant {
	variants := []lived.Variant{lived.AsItIs()}
	if !curve {
		return variants
	}
	with := func(name string, change func(*facts.Weights)) {
		v := lived.AsItIs()
		v.Name = name
		change(&v.Gate)
		variants = append(variants, v)
	}
	for _, work := range []float64{7.5, 9.5, 10.5, 11.5} {
		with(fmt.Sprintf("work %.1f", work), func(w *facts.Weights) { w.Work = work })
	}
	for _, overlap := range []float64{1, 1.3, 1.5} {
		with(fmt.Sprintf("overlap %.2f", overlap), func(w *facts.Weights) { w.Overlap = overlap })
	}
	for _, question := range []float64{2, 4, 5} {
		with(fmt.Sprintf("question %.1f", question), func(w *facts.Weights) { w.Question = question })
	}
	with("no facts for the type of work", func(w *facts.Weights) { w.Rules = 0 })
	return variants
}

// dumped is a query in the form of score.py's --dump.
type dumped struct {
	ID     string   `json:"id"`
	Kind   string   `json:"kind"`
	Prompt string   `json:"prompt"`
	Gold   []string `json:"gold"`
	Silent bool     `json:"silent"`
	Start  string   `json:"start"`
	Told   string   `json:"told"`
}

// asked dumps each answer, and prints the first most of those that facts would help.
func asked(out io.Writer, most int, dump io.Writer) func(lived.Answer) error {
	lines := json.NewEncoder(dump)
	lines.SetEscapeHTML(false)
	return func(a lived.Answer) error {
		d := dumped{ID: a.ID, Kind: a.Kind, Prompt: a.Prompt, Gold: []string{}, Silent: a.Silent, Start: a.Start, Told: a.AtPrompt}
		for _, fact := range a.Wanted {
			d.Gold = append(d.Gold, fact.Fact)
		}
		if len(a.Wanted) > 0 && most > 0 {
			most--
			show(out, a)
		}
		return lines.Encode(d)
	}
}

func show(out io.Writer, a lived.Answer) {
	_, _ = fmt.Fprintf(out, "## %s %.160s\n   want: %s\n", a.ID, strings.ReplaceAll(a.Prompt, "\n", " "), a.Wanted[0].Quote)
	for i, line := range a.Lines {
		mark := " "
		if a.Helps[i] {
			mark = "+"
		}
		_, _ = fmt.Fprintf(out, "      %s %.200s\n", mark, line)
	}
}
