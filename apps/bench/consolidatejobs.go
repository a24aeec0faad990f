package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/jobs"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens/bpe"
)

const jobsCommandName = "consolidate-jobs"

// jobsRequest is the standard input of the process that runs the jobs.
type jobsRequest struct {
	Endpoint engine.Endpoint `json:"endpoint"`
	Database string          `json:"database"`
	All      bool            `json:"all"`
	Force    bool            `json:"force"`
	Ago      time.Duration   `json:"ago"`    // how far the clock of the jobs is behind
	Engine   int             `json:"engine"` // its process
}

// jobsRun is its answer.
type jobsRun struct {
	Phase string    `json:"phase"`
	Jobs  []jobTime `json:"jobs"`
	// PeakMB is the largest resident set of the process in millions of bytes, with the
	// token tables; IdleMB is the resident set before the first job. 0 where the system
	// does not tell.
	PeakMB float64 `json:"peak_mb"`
	IdleMB float64 `json:"idle_mb"`
	// CPUSeconds is the processor time of this process and the engine: on a machine that
	// others use, the figure to compare runs by. 0 where the system does not tell.
	CPUSeconds float64 `json:"cpu_seconds"`
}

type jobTime struct {
	Job      string   `json:"job"`
	Seconds  float64  `json:"seconds"`
	CPU      float64  `json:"cpu_seconds"` // of this process and the engine
	Examined int      `json:"examined"`    // rows
	Changed  int      `json:"changed"`     // rows
	Notes    []string `json:"notes,omitempty"`
}

func (r jobsRun) total() float64 {
	sum := 0.0
	for _, job := range r.Jobs {
		sum += job.Seconds
	}
	return sum
}

func (r jobsRun) examined() int {
	sum := 0
	for _, job := range r.Jobs {
		sum += job.Examined
	}
	return sum
}

func (r jobsRun) changed() int {
	sum := 0
	for _, job := range r.Jobs {
		sum += job.Changed
	}
	return sum
}

// jobsCommand is how bench consolidate runs the jobs in a process of their own.
func jobsCommand() *cli.Command {
	return &cli.Command{
		Name: jobsCommandName, Hidden: true,
		Action: func(c *cli.Context) error { return runJobs(c.Context, os.Stdin, c.App.Writer) },
	}
}

// runJobs runs all jobs as the agent does when somebody asks it to.
func runJobs(ctx context.Context, in io.Reader, out io.Writer) (err error) {
	var request jobsRequest
	if err := json.NewDecoder(in).Decode(&request); err != nil {
		return fmt.Errorf("read what is to be run: %w", err)
	}
	cfg := config.Default()
	counter, err := bpe.New(cfg.Tokens.Encoding)
	if err != nil {
		return err
	}
	counter.Count("loaded")
	conn := openDatabase(func(context.Context) (engine.Endpoint, error) { return request.Endpoint, nil }, testbedNamespace, request.Database)
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	if err := conn.Ping(ctx); err != nil {
		return err
	}
	a := agent.New(agent.Options{
		Store: surreal.NewStore(conn), Counter: counter, Config: cfg, Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return time.Now().Add(-request.Ago) },
	})
	run := jobsRun{IdleMB: residentMB("VmRSS")}
	for _, job := range jobs.Names() {
		began, used := time.Now(), cpuSeconds(os.Getpid())+cpuSeconds(request.Engine)
		runs, err := a.Upkeep.Consolidate(ctx, agentapi.ConsolidateParams{Job: job, Trigger: "manual", All: request.All, Force: request.Force})
		if err != nil {
			return fmt.Errorf("run %s: %w", job, err)
		}
		took := jobTime{Job: job, Seconds: time.Since(began).Seconds(), CPU: cpuSeconds(os.Getpid()) + cpuSeconds(request.Engine) - used}
		for _, one := range runs {
			took.Examined, took.Changed, took.Notes = took.Examined+one.Examined, took.Changed+one.Changed, append(took.Notes, one.Notes...)
		}
		run.Jobs = append(run.Jobs, took)
	}
	run.PeakMB = residentMB("VmHWM")
	return json.NewEncoder(out).Encode(run)
}

// residentMB reads a figure of /proc/self/status. The maximum of getrusage would
// count the parent's memory: it is taken over when a process is started.
func residentMB(name string) float64 {
	file, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer func() { _ = file.Close() }()
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		if value, found := strings.CutPrefix(scanner.Text(), name+":"); found {
			var kibibytes float64
			_, _ = fmt.Sscanf(value, "%f kB", &kibibytes) // 0 if it is not a number
			return kibibytes * 1024 / 1e6
		}
	}
	return 0
}
