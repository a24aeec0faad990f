package latency

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Report is the result of one measurement.
type Report struct {
	Version string // version of the measured programs
	Machine string // machine on which they ran
	Seed    uint64
	Store   Filling
	// Work is the number of events per second of other sessions.
	Work     int
	Resident string // memory in use after the warm runs
	Floor    Summary
	Hooks    []Row
}

// Filling describes how the store was filled, through the product's own write path.
type Filling struct {
	Project int // memories in the measured project
	Store   int
	Events  int
	// SpoolSeconds is the time to put the events into the spool. IngestSeconds is the time that the daemon then takes
	// to store them.
	SpoolSeconds  float64
	IngestSeconds float64
	DiskMB        int // size of the store's folder
}

// PerSecond returns the number of events per second over both steps.
func (f Filling) PerSecond() float64 {
	total := f.SpoolSeconds + f.IngestSeconds
	if total == 0 {
		return 0
	}
	return float64(f.Events) / total
}

// Write prints the report as text in aligned columns.
func (r Report) Write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "memory %s on %s, seed %d\n"+
		"store: %d memories, %d of them in the measured project; %d events through spool and daemon: %.0f events/s (%.1f s to spool, %.1f s to ingest), %d MB on disk\n"+
		"meanwhile: %d events/s of other sessions\nresident after the warm runs: %s\n\n",
		r.Version, r.Machine, r.Seed, r.Store.Store, r.Store.Project, r.Store.Events, r.Store.PerSecond(), r.Store.SpoolSeconds, r.Store.IngestSeconds, r.Store.DiskMB,
		r.Work, r.Resident)
	if err != nil {
		return err
	}
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(format string, values ...any) { _, _ = fmt.Fprintf(columns, format+"\t\n", values...) } // Flush reports the error
	line("program\tclass\tn\tp50 ms\tp95 ms\tp99 ms\tp50/floor\tp95/floor p50\tp99/floor\tbudget\tverdict\tcontext\tfailed")
	line("(empty program)\tfloor\t%d\t%.2f\t%.2f\t%.2f\t1.00\t%.2f\t1.00\t-\t-\t-\t-", r.Floor.N, r.Floor.P50, r.Floor.P95, r.Floor.P99,
		ratio(r.Floor.P95, r.Floor.P50))
	for _, h := range r.Hooks {
		line("%s\t%s\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%s\t%s\t%d\t%d", h.Name, h.Class, h.N, h.P50, h.P95, h.P99,
			h.RatioP50, h.RatioP95, h.RatioP99, h.budget(), h.Verdict, h.WithContext, h.Failed)
	}
	if err := columns.Flush(); err != nil {
		return err
	}
	for _, h := range r.Hooks {
		if h.Problem != "" {
			_, err = fmt.Fprintf(w, "\n%s: %s\n", h.Name, h.Problem)
		}
	}
	return err
}

func (r Row) budget() string {
	switch {
	case r.Budget == 0:
		return "-"
	case r.Class == ColdStart:
		return fmt.Sprintf("max %.0f ms", r.Budget)
	}
	bounds := fmt.Sprintf("%.1f", r.Budget)
	if r.Budget95 > 0 {
		bounds += fmt.Sprintf(", p95 %.0f", r.Budget95)
	}
	if r.Budget99 > 0 {
		bounds += fmt.Sprintf(", p99 %.0f", r.Budget99)
	}
	return bounds
}
