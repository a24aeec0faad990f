package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/sandbox"
	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/workload"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// transcriptsOptions are the user's options for a measurement of an import.
type transcriptsOptions struct {
	sessions int
	events   int // the most prompts and tool calls that each has; 0: up to 32
	output   int // bytes that each command and edit puts into its transcript
	seed     uint64
}

func transcriptsCommand() *cli.Command {
	return &cli.Command{
		Name:  "transcripts",
		Usage: "measure how fast past sessions are imported from the client's transcripts",
		Description: "Writes made-up transcripts, and measures `memory import transcripts` of them into the store of a new home, then\n" +
			"once more, which finds nothing new. Build the programs before (make build).",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "sessions", Usage: "transcripts that are imported", Value: 2000},
			&cli.IntFlag{Name: "events", Usage: "the most prompts and tool calls that a transcript has", DefaultText: "up to 32, 14 on average"},
			&cli.IntFlag{Name: "output", Usage: "bytes of output that each tool call has in its transcript", Value: 2000},
			&cli.Uint64Flag{Name: "seed", Usage: "of the workload", Value: 1},
		},
		Action: func(c *cli.Context) error {
			o := transcriptsOptions{sessions: c.Int("sessions"), events: c.Int("events"), output: c.Int("output"), seed: c.Uint64("seed")}
			if o.sessions < 1 || o.output < 0 || o.events < 0 {
				return errors.New("there must be at least 1 session, and no less than 0 events and bytes of output")
			}
			return measureTranscripts(c.Context, o, c.App.Writer)
		},
	}
}

func measureTranscripts(ctx context.Context, o transcriptsOptions, out io.Writer) (err error) {
	checkout, err := findCheckout()
	if err != nil {
		return err
	}
	box, err := sandbox.Open(ctx, checkout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	home := box.Home("home")
	defer func() { err = errors.Join(err, home.Stop(ctx)) }()
	if err := withoutMaintenance(home); err != nil {
		return err
	}
	programs, err := findPrograms(checkout, box)
	if err != nil {
		return err
	}
	m := measurement{box: box, home: home, options: options{seed: o.seed}, programs: programs, progress: io.Discard}
	if err := m.startAgent(ctx); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "memory-transcripts-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	size, err := writeTranscripts(folder, o)
	if err != nil {
		return fmt.Errorf("write the transcripts: %w", err)
	}
	_, _ = fmt.Fprintf(out, "%d sessions, %.1f KB each\n", o.sessions, float64(size)/1000/float64(o.sessions))
	for _, run := range []string{"first", "again"} {
		if err := m.importTranscripts(ctx, folder, run, o.sessions, out); err != nil {
			return err
		}
	}
	return m.writeMemory(ctx, out)
}

// importTranscripts imports a folder, and prints the time and processor time of it.
func (m *measurement) importTranscripts(ctx context.Context, folder, run string, sessions int, out io.Writer) error {
	agent, engine := m.home.Usage()
	began := time.Now()
	answer, err := m.home.Memory(ctx, "import", "transcripts", folder, "--mine", "--json")
	took := time.Since(began)
	if err != nil {
		return fmt.Errorf("import the transcripts: %w: %s", err, answer)
	}
	var report importer.Report
	if err := json.Unmarshal(answer, &report); err != nil {
		return fmt.Errorf("read the report of the import: %w", err)
	}
	agentNow, engineNow := m.home.Usage()
	each := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(sessions) }
	_, err = fmt.Fprintf(out, "%s: %.0f sessions/s (%.1f s), %.1f events and %.1f new memories a session; ms a session: %.1f, agent %.1f, engine %.1f CPU\n",
		run, float64(sessions)/took.Seconds(), took.Seconds(), float64(report.Events)/float64(sessions), float64(report.Added)/float64(sessions),
		each(took), each(agentNow.CPU-agent.CPU), each(engineNow.CPU-engine.CPU))
	return err
}

// writeTranscripts writes made-up sessions below a folder as the client does, and returns how many bytes they have.
func writeTranscripts(folder string, o transcriptsOptions) (size int64, err error) {
	spec := workload.Spec{
		Seed: o.seed, Until: time.Now().Add(-time.Hour), Store: 1 << 30, Memories: 1 << 30,
		Measured: memory.Project{Key: "github.com/example/imported", Name: "imported", Root: "/home/dev/imported"},
	}
	var session []memory.Event
	written := 0
	for e := range workload.Events(spec) {
		isOver := e.Kind == memory.EventSessionEnded
		if isOver || o.events == 0 || len(session) <= o.events {
			session = append(session, e)
		}
		if !isOver {
			continue
		}
		n, err := writeTranscript(folder, session, o.output)
		if err != nil {
			return 0, err
		}
		session, size = session[:0], size+n
		if written++; written == o.sessions {
			break
		}
	}
	return size, nil
}

func writeTranscript(folder string, session []memory.Event, output int) (size int64, err error) {
	dir := filepath.Join(folder, client.Slug(session[0].Dir))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, err
	}
	file, err := os.Create(filepath.Join(dir, session[0].Session+".jsonl"))
	if err != nil {
		return 0, err
	}
	buffered := bufio.NewWriter(file)
	t := transcriptWriter{to: json.NewEncoder(buffered), output: output}
	for _, e := range session {
		if err = t.event(e); err != nil {
			break
		}
	}
	err = errors.Join(err, buffered.Flush())
	info, statErr := file.Stat()
	if err = errors.Join(err, statErr, file.Close()); err != nil {
		return 0, err
	}
	return info.Size(), nil
}
