package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/lived"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

func recallSessionsCommand() *cli.Command {
	return &cli.Command{
		Name:  "recall-sessions",
		Usage: "live labelled real sessions again, and score what prompts and starts are told",
		Description: "A folder has meta.json, facts.jsonl, queries.jsonl, and transcripts or transcripts.tar.xz. Its sessions\n" +
			"are imported in the order in which they ended, maintenance runs once a day, and each query is asked as of\n" +
			"its time: in this process, through the real importer, ingest and briefing, on a store in memory.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "sessions", Usage: "the labelled sessions in `DIR`; may be given again", Required: true},
			&cli.BoolFlag{Name: "today", Usage: "ask as of today instead, as who imports old sessions does"},
			&cli.BoolFlag{Name: "curve", Usage: "measure other thresholds of silence and each rule off, too"},
			&cli.BoolFlag{Name: "ablation", Usage: "live them again without what each rule of ingest keeps, one rule at a time"},
			&cli.StringFlag{Name: "answers", Usage: "distil each session by a model's recorded answers in `FILE`, one session a line; FILE.map.json\n" +
				"says which of the labelled facts its facts carry"},
			&cli.IntFlag{Name: "show", Usage: "print the answers to the first `N` prompts, questions and starts that facts would help"},
		},
		Action: func(c *cli.Context) error {
			rules := []lived.Rule{{}}
			if c.Bool("ablation") {
				rules = append(rules, lived.Rules()...)
			}
			for _, dir := range c.StringSlice("sessions") {
				for _, rule := range rules {
					if err := liveSessions(c.Context, dir, c.Bool("today"), variantsOf(c.Bool("curve")), rule, c.String("answers"), c.Int("show"), c.App.Writer); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
}

func liveSessions(ctx context.Context, dir string, today bool, variants []lived.Variant, without lived.Rule, answered string, show int, out io.Writer) (err error) {
	work, err := os.MkdirTemp("", "recall-sessions-")
	if err != nil {
		return fmt.Errorf("live the sessions of %s: %w", dir, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	folder, err := lived.Load(dir, work)
	if err != nil {
		return err
	}
	var now func(time.Time) time.Time
	if today {
		now = func(time.Time) time.Time { return time.Now() }
	}
	result, err := lived.Measure(ctx, folder, work, variants, without, answered, now, shower(out, show))
	if err != nil {
		return err
	}
	name := folder.Name
	if without.Name != "" {
		name += " without " + without.Name
	}
	_, err = fmt.Fprintf(out, "%s, lived in %v\n", name, result.Took.Round(time.Second))
	for _, r := range result.Reports {
		err = errors.Join(err, r.Write(out))
	}
	return errors.Join(err, result.Kept.Write(out), writeDistilled(out, result.Distilled))
}

// writeDistilled prints the kept parts of a model's answers.
func writeDistilled(out io.Writer, all []agentapi.DistillResult) (err error) {
	facts := 0
	for _, one := range all {
		facts += len(one.Facts)
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
		_, e := fmt.Fprintf(out, "distilled: %d sessions, %d facts\n", len(all), facts)
		err = errors.Join(err, e)
	}
	return err
}

// variantsOf is the ranking as it is and, for the curve, by other thresholds and with one
// rule off at a time.
func variantsOf(curve bool) []lived.Variant {
	variants := []lived.Variant{lived.AsItIs()}
	if !curve {
		return variants
	}
	with := func(name string, change func(*recall.Weights)) {
		v := lived.AsItIs()
		v.Name = name
		change(&v.Weights)
		variants = append(variants, v)
	}
	for _, chance := range []float64{-2, -1, 0, 2, 4} {
		with(fmt.Sprintf("threshold %.0f", chance), func(w *recall.Weights) { w.Chance = chance })
	}
	with("without what is worked on first", func(w *recall.Weights) { w.Fresh = 0 })
	with("without the user's words first", func(w *recall.Weights) { w.UserWords = 0 })
	with("without reports behind", func(w *recall.Weights) { w.Report = 1 })
	with("without importance", func(w *recall.Weights) { w.Salience = 0 })
	with("without cards", func(w *recall.Weights) { w.Turn = 0 })
	with("without rules for the type of work", func(w *recall.Weights) { w.RuleLines = 0 })
	with("without covered questions", func(w *recall.Weights) { w.Cover = math.Inf(1) })
	with("without rare identifiers", func(w *recall.Weights) { w.Identifier = 0 })
	return variants
}

func shower(out io.Writer, most int) lived.Show {
	if most == 0 {
		return nil
	}
	return func(q lived.Query, wanted []lived.Fact, answer []string, helps []bool) {
		if len(wanted) == 0 || most == 0 {
			return
		}
		most--
		_, _ = fmt.Fprintf(out, "## %s %.160s\n   want: %s\n", q.ID, strings.ReplaceAll(q.Prompt, "\n", " "), wanted[0].Quote)
		for i, line := range answer {
			mark := " "
			if helps[i] {
				mark = "+"
			}
			_, _ = fmt.Fprintf(out, "      %s %.200s\n", mark, line)
		}
	}
}
