package latency

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// Report is one run of the measurement.
type Report struct {
	MeasuredAt time.Time `json:"measured_at"`
	Version    string    `json:"version"` // of the measured programs
	Machine    Machine   `json:"machine"`
	Seed       uint64    `json:"seed"`
	Store      Fill      `json:"store"`
	// Work is how many events of other sessions came in a second.
	Work int `json:"work_events_per_second"`
	// Durability is the fault that a captured event survives, by the setting hooks.durability, or both:
	// each capture hook was measured in both settings.
	Durability string `json:"durability"`
	// Resident is the memory in use after the warm runs.
	Resident Resident `json:"resident"`
	Floor    Summary  `json:"floor"`
	Hooks    []Row    `json:"hooks"`
}

// Machine is the machine that the programs ran on.
type Machine struct {
	OS   string `json:"os"`
	Arch string `json:"arch"`
	CPUs int    `json:"cpus"`
	Go   string `json:"go"` // that built the floor
}

// Fill says how the store was filled, through the product's own write path.
type Fill struct {
	Project int `json:"project_memories"` // in the measured project
	Store   int `json:"store_memories"`
	Events  int `json:"events"`
	// SpoolSeconds is how long it took to put the events into the spool, and
	// IngestSeconds how long the agent was waited for on top.
	SpoolSeconds  float64 `json:"spool_seconds"`
	IngestSeconds float64 `json:"ingest_seconds"`
	// Direct says that the events were written into the store without spool and agent.
	Direct bool `json:"direct"`
	// Copies is how often a project was copied, and CopySeconds how long that took.
	Copies      int     `json:"copies,omitempty"`
	CopySeconds float64 `json:"copy_seconds,omitempty"`
	DiskMB      int     `json:"disk_mb"` // of the store's folder
}

// Resident is the memory of agent and engine, and their peaks; zero where the system does
// not tell.
type Resident struct {
	AgentMB      int64 `json:"agent_mb"`
	AgentPeakMB  int64 `json:"agent_peak_mb"`
	EngineMB     int64 `json:"engine_mb"`
	EnginePeakMB int64 `json:"engine_peak_mb"`
}

// way is how the events came into the store.
func (f Fill) way() string {
	if f.Direct {
		return fmt.Sprintf("written directly and one project copied %d times in %.0f s", f.Copies, f.CopySeconds)
	}
	return "through spool and agent"
}

// PerSecond is how many events went through both steps in a second.
func (f Fill) PerSecond() float64 {
	total := f.SpoolSeconds + f.IngestSeconds
	if total == 0 {
		return 0
	}
	return float64(f.Events) / total
}

// Write prints the report as text in aligned columns.
func (r Report) Write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "memory %s on %s/%s, %d CPUs, floor built by %s, seed %d\n"+
		"store: %d memories, %d of them in the measured project; %d events %s: %.0f events/s (%.1f s to spool, %.1f s to ingest), %d MB on disk\n"+
		"meanwhile: %d events/s of other sessions; hooks.durability: %s\n"+
		"resident after the warm runs: agent %d MB (at most %d), engine %d MB (at most %d)\n\n",
		r.Version, r.Machine.OS, r.Machine.Arch, r.Machine.CPUs, r.Machine.Go, r.Seed,
		r.Store.Store, r.Store.Project, r.Store.Events, r.Store.way(), r.Store.PerSecond(), r.Store.SpoolSeconds, r.Store.IngestSeconds, r.Store.DiskMB, r.Work, r.Durability,
		r.Resident.AgentMB, r.Resident.AgentPeakMB, r.Resident.EngineMB, r.Resident.EnginePeakMB)
	if err != nil {
		return err
	}
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(format string, values ...any) { _, _ = fmt.Fprintf(columns, format+"\t\n", values...) } // Flush reports it
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
	return r.writeProblems(w)
}

func (r Report) writeProblems(w io.Writer) error {
	for _, h := range r.Hooks {
		if h.Problem == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "\n%s: %s\n", h.Name, h.Problem); err != nil {
			return err
		}
	}
	return nil
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
