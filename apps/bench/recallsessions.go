package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/lived"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

func recallSessionsCommand() *cli.Command {
	return &cli.Command{
		Name:  "recall-sessions",
		Usage: "replay labelled real sessions, and score what starts and prompts inject",
		Description: "A folder has meta.json, facts.jsonl, queries.jsonl, and transcripts or transcripts.tar.xz. Its sessions\n" +
			"are imported in the order in which they ended, maintenance runs once a day, and each query is asked as of\n" +
			"its time: in this process, through the real importer, ingest and briefing, on an empty store.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "sessions", Usage: "labelled sessions in `DIR` (repeatable)", Required: true},
			&cli.BoolFlag{Name: "today", Usage: "ask as of today instead, as after an import of old sessions"},
			&cli.StringSliceFlag{Name: "answers", Usage: "distil each session with a model's recorded answers in `FILE`, one session per line; FILE.map.json\n" +
				"lists which labelled facts its facts carry; give one for each --sessions, in the same order"},
			&cli.StringSliceFlag{Name: "beside", Usage: "put the facts of other people's recorded answers, `DIR`/answers.jsonl, into the same project (repeatable)"},
		},
		Action: recallSessions,
	}
}

func recallSessions(c *cli.Context) error {
	dirs, answered := c.StringSlice("sessions"), c.StringSlice("answers")
	if len(answered) > 0 && len(answered) != len(dirs) {
		return fmt.Errorf("%d folders of sessions and %d files of answers: give --answers once for each --sessions, in the same order", len(dirs), len(answered))
	}
	s := lived.Settings{Beside: c.StringSlice("beside")}
	if c.Bool("today") {
		s.Now = func(time.Time) time.Time { return time.Now() }
	}
	var reports []lived.Report
	for i, dir := range dirs {
		if len(answered) > 0 {
			s.Answers = answered[i]
		}
		report, err := liveSessions(c.Context, dir, s, c.App.Writer)
		if err != nil {
			return err
		}
		reports = append(reports, report)
	}
	return lived.WriteBegun(c.App.Writer, reports)
}

// liveSessions replays the sessions of one folder, prints the figures and returns the report.
func liveSessions(ctx context.Context, dir string, s lived.Settings, out io.Writer) (report lived.Report, err error) {
	work, err := os.MkdirTemp("", "recall-sessions-")
	if err != nil {
		return report, fmt.Errorf("replay the sessions of %s: %w", dir, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	folder, err := lived.Load(dir, work)
	if err != nil {
		return report, err
	}
	result, err := lived.Measure(ctx, folder, work, s)
	if err != nil {
		return report, err
	}
	_, err = fmt.Fprintf(out, "%s, lived in %v\n", folder.Name, result.Took.Round(time.Second))
	return result.Report, errors.Join(err, result.Report.Write(out), writeDistilled(out, result.Distilled))
}

// writeDistilled prints what was kept of a model's answers and what was dropped.
func writeDistilled(out io.Writer, all []daemonapi.DistillResult) (err error) {
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
		_, e := fmt.Fprintf(out, "distilled: %d sessions, %d facts, %d calls of %d input tokens on average (a runner adds up to %d of its own)\n",
			len(all), facts, calls, input/max(1, calls), distill.Overhead)
		err = errors.Join(err, e)
	}
	return err
}
