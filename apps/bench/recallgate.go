package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/lived"
	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/recallset"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

func recallGateCommand() *cli.Command {
	return &cli.Command{
		Name:  "recall-gate",
		Usage: "compare recall with plain BM25 on each set, and fail if it is worse",
		Description: "Plain BM25 (k1 1.2, b 0.75) is measured twice: with our terms, and with lower-case words between\n" +
			"spaces. --sessions names a folder of labelled real sessions (facts.jsonl, queries.jsonl), whose facts are\n" +
			"ranked as if exactly these had been kept. Their figures are printed, but do not fail the gate, because they\n" +
			"depend on what is kept. --pairs asks each other set's memories the queries of each set, as if a person had\n" +
			"asked to keep them: at most 5 % may get a memory.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "dataset", Usage: "measure on the set or sets in `DIR` (repeatable)", Required: true},
			&cli.StringSliceFlag{Name: "sessions", Usage: "measure on the labelled real sessions in `DIR` too (repeatable)"},
			&cli.BoolFlag{Name: "pairs", Usage: "measure silence on all pairs of sets"},
		},
		Action: func(c *cli.Context) error {
			return gate(c.StringSlice("dataset"), c.StringSlice("sessions"), c.Bool("pairs"), c.App.Writer)
		},
	}
}

// named are sets that are measured as one.
type named struct {
	name  string
	sets  []recallset.Set
	gates bool // the gate fails if recall is below plain BM25
}

func gate(datasets, sessions []string, withPairs bool, out io.Writer) error {
	var groups []named
	for _, dir := range datasets {
		sets, err := recallset.Load(dir)
		if err != nil {
			return err
		}
		groups = append(groups, named{filepath.Base(filepath.Clean(dir)), sets, true})
	}
	for _, dir := range sessions {
		set, err := lived.LoadSet(filepath.Clean(dir))
		if err != nil {
			return err
		}
		groups = append(groups, named{set.Name + " (facts)", []recallset.Set{set}, false})
	}
	below, err := writeBeside(out, groups)
	var loud []string
	if err == nil && withPairs {
		loud, err = writePairs(out, groups)
	}
	if err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	return errors.Join(failed(below, "recall is below plain BM25", "find the rule that costs it and turn it off"),
		failed(loud, "prompts of one set get memories of another", "see docs/lab/facts.md, The gate"))
}

// failed returns an error if what is not empty.
func failed(what []string, says, remedy string) error {
	if len(what) == 0 {
		return nil
	}
	return fmt.Errorf("%s: %s; %s", says, strings.Join(what, ", "), remedy)
}

// columns are the figures that the gate compares.
var columns = []struct {
	name  string
	value func(recallset.Report) float64
}{
	{"recall@1", func(r recallset.Report) float64 { return r.Memory.Recall1 }},
	{"recall@5", func(r recallset.Report) float64 { return r.Memory.Recall5 }},
	{"recall@10", func(r recallset.Report) float64 { return r.Memory.Recall10 }},
	{"hit@5", func(r recallset.Report) float64 { return r.Memory.Hit5 }},
	{"MRR", func(r recallset.Report) float64 { return r.Memory.MRR }},
	{"session hit@5", func(r recallset.Report) float64 { return r.Session.Hit5 }},
}

// writeBeside prints recall beside plain BM25, and returns the figures in which recall is worse.
func writeBeside(out io.Writer, groups []named) (below []string, err error) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := []string{"per cent"}
	for _, c := range columns {
		head = append(head, c.name)
	}
	_, _ = fmt.Fprintln(table, strings.Join(append(head, "injected of found", "unrelated injected"), "\t")+"\t")
	for _, g := range groups {
		ours := recallset.MeasureAll(g.sets, recall.DefaultWeights())
		plain := recallset.MeasurePlain(g.sets, recallset.Terms)
		whitespace := recallset.MeasurePlain(g.sets, recallset.Blanks)
		for _, row := range []struct {
			name   string
			report recallset.Report
		}{{g.name, ours}, {"plain BM25", plain}, {"BM25, words between blanks", whitespace}} {
			_, _ = fmt.Fprint(table, row.name, "\t")
			for _, c := range columns {
				_, _ = fmt.Fprintf(table, "%.1f\t", 100*c.value(row.report))
			}
			if row.name == g.name {
				_, _ = fmt.Fprintf(table, "%d of %d\t%d of %d\t", ours.Injected, ours.Found, ours.Answered, ours.Unrelated)
			}
			_, _ = fmt.Fprintln(table)
		}
		for _, c := range columns {
			if least := max(c.value(plain), c.value(whitespace)); g.gates && c.value(ours) < least {
				below = append(below, fmt.Sprintf("%s %s %.1f instead of %.1f", g.name, c.name, 100*c.value(ours), 100*least))
			}
		}
	}
	return below, table.Flush()
}

// mostAnswered is the maximum share of another set's prompts that may get a memory.
const mostAnswered = 0.05

// writePairs prints how often prompts of one set get memories of another, and returns the pairs above the limit.
func writePairs(out io.Writer, groups []named) (loud []string, err error) {
	var sets []recallset.Set
	for _, g := range groups {
		sets = append(sets, g.sets...)
	}
	pairs, answered, asked := recallset.Pairs(sets), 0, 0
	for _, p := range pairs {
		answered, asked = answered+p.Answered, asked+p.Asked
	}
	_, _ = fmt.Fprintf(out, "\nprompts asked against the memories of another set, %d pairs: %.1f %% got a memory\n", len(pairs), 100*float64(answered)/float64(max(asked, 1)))
	return writeEachPair(out, pairs)
}

// writeEachPair prints all pairs by their share, the largest first, and returns the pairs above the limit.
func writeEachPair(out io.Writer, pairs []recallset.Pair) (loud []string, err error) {
	share := func(p recallset.Pair) float64 { return float64(p.Answered) / float64(p.Asked) }
	slices.SortStableFunc(pairs, func(a, b recallset.Pair) int { return cmp.Compare(share(b), share(a)) })
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(table, "\nprompts of\tto memories of\tgiven\t")
	for _, p := range pairs {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%d of %d\t\n", p.Prompts, p.Memories, p.Answered, p.Asked)
		if share(p) > mostAnswered {
			loud = append(loud, fmt.Sprintf("%s to %s %.1f %%", p.Prompts, p.Memories, 100*share(p)))
		}
	}
	return loud, table.Flush()
}
