package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/recallset"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// recallOptions are the user's options for a measurement of recall.
type recallOptions struct {
	datasets     []string
	half         string
	throughAgent bool
	ablate       bool
	report       string // file for the JSON
	plot         string // file for the PNG
	latency      bool
	project      int // memories of the large project that latency is measured in
	store        int // memories of the whole store
	embeddings   embeddingsOptions
}

func recallCommand() *cli.Command {
	return &cli.Command{
		Name:  "recall",
		Usage: "measure whether recall finds the right memory, and stays silent otherwise",
		Description: "A dataset is a folder with memories.jsonl ({id, session, created_at, content}) and queries.jsonl\n" +
			"({id, query, evidence: [ids], category?}), or a folder of such folders, each a project of its own. A\n" +
			"query without evidence must get no answer. What is measured is the ranking itself; and where the\n" +
			"programs are built, the whole product: written through the spool, asked over the agent's socket.\n" +
			"With --embeddings-url both are measured once more with what that endpoint's vectors find, which is\n" +
			"sent the dataset. Vectors are waited for; how long they took is told.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "dataset", Usage: "measure on the set or sets in `DIR`; may be given again"},
			&cli.StringFlag{Name: "half", Usage: "only the queries of this `HALF`: tune, check"},
			&cli.BoolFlag{Name: "through-agent", Usage: "measure the whole product too", DefaultText: "where it is built"},
			&cli.BoolFlag{Name: "ablate", Usage: "measure the ranking with each idea off"},
			&cli.BoolFlag{Name: "latency", Usage: "measure the time of one recall inside the agent, on a real engine (two minutes)"},
			&cli.IntFlag{Name: "memories", Usage: "memories of the large project, for --latency", Value: 10_000},
			&cli.IntFlag{Name: "store", Usage: "memories of the whole store, for --latency", Value: 100_000},
			&cli.StringFlag{Name: "embeddings-url", Usage: "measure with an OpenAI-compatible endpoint too, such as `http://localhost:11434/v1`; it needs no key"},
			&cli.StringFlag{Name: "embeddings-model", Usage: "its `MODEL`", Value: "all-minilm"},
			&cli.IntFlag{Name: "embeddings-dimension", Usage: "of the model's vectors", Value: config.Default().Embeddings.Dimension},
			&cli.Float64Flag{Name: "embeddings-similarity", Usage: "the least cosine that is near", Value: config.Default().Embeddings.Similarity},
			&cli.StringFlag{Name: "json", Usage: "write the report to `FILE`"},
			&cli.StringFlag{Name: "plot", Usage: "draw the ablation into `FILE` (PNG)"},
		},
		Action: func(c *cli.Context) error {
			o := recallOptions{
				datasets: c.StringSlice("dataset"), half: c.String("half"), throughAgent: c.Bool("through-agent"),
				ablate: c.Bool("ablate") || c.String("plot") != "", report: c.String("json"), plot: c.String("plot"),
				latency: c.Bool("latency"), project: c.Int("memories"), store: c.Int("store"),
				embeddings: embeddingsOptions{
					url: c.String("embeddings-url"), model: c.String("embeddings-model"),
					dimension: c.Int("embeddings-dimension"), similarity: c.Float64("embeddings-similarity"),
				},
			}
			if !c.IsSet("through-agent") {
				o.throughAgent = isBuilt()
			}
			if len(o.datasets) == 0 && !o.latency {
				return errors.New("nothing to measure: give --dataset, --latency or both")
			}
			return measureRecall(c.Context, o, c.App.Writer, c.App.ErrWriter)
		},
	}
}

// isBuilt says whether there is an agent to measure.
func isBuilt() bool {
	checkout, err := findCheckout()
	if err != nil {
		return false
	}
	_, err = os.Stat(filepath.Join(checkout, "plugin", "libexec", "memoryd"))
	return err == nil
}

// recallReport is the JSON of bench recall.
type recallReport struct {
	MeasuredAt time.Time       `json:"measured_at"`
	Datasets   []datasetReport `json:"datasets"`
	Latency    []latencyRow    `json:"latency,omitempty"`
}

type datasetReport struct {
	Name         string                      `json:"name"`
	Half         string                      `json:"half,omitempty"`
	Sets         map[string]recallset.Report `json:"sets"`
	All          recallset.Report            `json:"all"`
	ThroughAgent *recallset.Report           `json:"through_agent,omitempty"`
	Ablation     []ablationRow               `json:"ablation,omitempty"`
	// Embeddings is absent where no endpoint was named.
	Embeddings *embeddingsReport `json:"embeddings,omitempty"`
}

type ablationRow struct {
	Name   string           `json:"name"`
	Report recallset.Report `json:"report"`
}

func measureRecall(ctx context.Context, o recallOptions, out, progress io.Writer) error {
	report := recallReport{MeasuredAt: time.Now().UTC()}
	for _, dir := range o.datasets {
		one, err := measureDataset(ctx, dir, o, progress)
		if err != nil {
			return err
		}
		report.Datasets = append(report.Datasets, one)
		if err := one.write(out); err != nil {
			return fmt.Errorf("print the report: %w", err)
		}
	}
	var err error
	if o.latency {
		if report.Latency, err = recallLatency(ctx, o.project, o.store, progress); err != nil {
			return err
		}
		if err := writeLatency(out, report.Latency); err != nil {
			return fmt.Errorf("print the report: %w", err)
		}
	}
	if o.report != "" {
		err = writeRecallJSON(o.report, report)
	}
	if o.plot != "" {
		err = errors.Join(err, plotAblation(o.plot, report))
	}
	return err
}

func measureDataset(ctx context.Context, dir string, o recallOptions, progress io.Writer) (datasetReport, error) {
	report := datasetReport{Name: filepath.Base(filepath.Clean(dir)), Half: o.half, Sets: map[string]recallset.Report{}}
	sets, err := recallset.Load(dir)
	if err != nil {
		return report, err
	}
	for i := range sets {
		if o.half != "" {
			sets[i] = sets[i].Half(o.half)
		}
		report.Sets[sets[i].Name] = recallset.MeasureAll(sets[i:i+1], recall.DefaultWeights())
	}
	report.All = recallset.MeasureAll(sets, recall.DefaultWeights())
	if o.ablate {
		for _, v := range recallset.Ablation() {
			_, _ = fmt.Fprintf(progress, "%s: %s\n", report.Name, v.Name)
			report.Ablation = append(report.Ablation, ablationRow{v.Name, recallset.MeasureAll(sets, v.Weights)})
		}
	}
	if o.throughAgent {
		_, _ = fmt.Fprintf(progress, "%s: through the agent\n", report.Name)
		whole, err := measureThroughAgent(ctx, sets, embeddingsOptions{})
		if err != nil {
			return report, err
		}
		report.ThroughAgent = &whole
	}
	if o.embeddings.url != "" {
		_, _ = fmt.Fprintf(progress, "%s: with embeddings\n", report.Name)
		report.Embeddings, err = measureEmbeddings(ctx, sets, o)
	}
	return report, err
}

func (d datasetReport) write(out io.Writer) error {
	title := d.Name
	if d.Half != "" {
		title += ", half " + d.Half
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(name string, m recallset.Measures) {
		_, _ = fmt.Fprintf(table, "%s\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t\n", name, m.Queries,
			100*m.Recall1, 100*m.Recall5, 100*m.Recall10, 100*m.Hit1, 100*m.Hit5, 100*m.Hit10, 100*m.MRR)
	}
	report := func(name string, r recallset.Report) {
		line(name, r.Memory)
		line("its sessions", r.Session)
	}
	_, _ = fmt.Fprintf(table, "%s\tqueries\trecall@1\trecall@5\trecall@10\thit@1\thit@5\thit@10\tMRR\t\n", title)
	report("all", d.All)
	for _, category := range d.All.SortedCategories() {
		line("category "+string(category), d.All.Categories[category])
	}
	if len(d.Sets) > 1 {
		for _, name := range sortedKeys(d.Sets) {
			report("set "+name, d.Sets[name])
		}
	}
	if d.ThroughAgent != nil {
		report("through the agent", *d.ThroughAgent)
	}
	if e := d.Embeddings; e != nil {
		report("with embeddings", e.All)
		for _, category := range e.All.SortedCategories() {
			line("category "+string(category), e.All.Categories[category])
		}
		if e.ThroughAgent != nil {
			report("through the agent", *e.ThroughAgent)
		}
	}
	for _, row := range d.Ablation {
		report(row.Name, row.Report)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	footnote := func(name string, r recallset.Report) {
		_, _ = fmt.Fprintf(out, "%s: unrelated prompts that got anything: %d of %d; time per query p50 %v, p99 %v, worst %v\n",
			name, r.Answered, r.Unrelated, r.P50.Round(time.Microsecond), r.P99.Round(time.Microsecond), r.Worst.Round(time.Microsecond))
	}
	footnote("ranking", d.All)
	if d.ThroughAgent != nil {
		footnote("through the agent", *d.ThroughAgent)
	}
	if e := d.Embeddings; e != nil {
		footnote("with embeddings", e.All)
		if e.ThroughAgent != nil {
			footnote("through the agent, with embeddings", *e.ThroughAgent)
		}
		e.writeTimes(out)
	}
	_, err := fmt.Fprintln(out)
	return err
}

func writeRecallJSON(file string, report recallReport) error {
	content, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if err := os.WriteFile(file, append(content, '\n'), 0o644); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// plotAblation draws recall@10 of each dataset.
func plotAblation(file string, report recallReport) error {
	var variants []string
	var groups []recallset.Bars
	for i, d := range report.Datasets {
		bars := recallset.Bars{Name: d.Name}
		for _, row := range d.Ablation {
			if i == 0 {
				variants = append(variants, row.Name)
			}
			bars.Values = append(bars.Values, row.Report.Memory.Recall10)
		}
		groups = append(groups, bars)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("write the plot: %w", err)
	}
	return recallset.Plot(file, "Recall@10, with one idea off at a time", variants, groups)
}
