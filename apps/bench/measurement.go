package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/latency"
	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/registry"
	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/sandbox"
	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/workload"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

const (
	sessionStart = "SessionStart"
	sessionEnd   = "SessionEnd"
	setup        = "Setup"
	userPrompt   = "UserPromptSubmit"
	// warmUps is the number of rounds before the measured ones.
	warmUps = 10
	// recordedProject is the project of the recorded sessions.
	recordedProject = "/home/dev/project"
	// recordedPrompt has too few words to recall anything. A second row uses tellingPrompt instead.
	recordedPrompt = "do the task"
	tellingPrompt  = "check that every number of a.txt is spelled out"
)

// known are memories of the measured project that fit the recordings, so that recalling hooks find something.
var known = []memory.Event{
	{
		Kind: memory.EventRemembered, RememberedKind: memory.KindConvention,
		Text: "a.txt has one number a line, spelled out", Files: []string{"a.txt"},
	},
	{Kind: memory.EventPrompt, Prompt: "note: a.txt is done when every number is spelled out"},
	{
		Kind: memory.EventCommandFailed, Tool: "Bash", Command: "echo out; echo err >&2",
		Error: "Exit code 1\nerror: cannot write to a closed pipe",
	},
	{
		Kind: memory.EventCommandFailed, Tool: "Bash", Command: "echo partial; echo boom >&2; exit 3",
		Error: "Exit code 3\npartial\nboom",
	},
}

// program is one row of the table: a hook with one recorded input.
type program struct {
	registry.Program
	name      string
	recording registry.Recording
}

// findPrograms returns the registered programs with their recorded inputs.
func findPrograms(checkout string, box *sandbox.Sandbox) ([]program, error) {
	content, err := os.ReadFile(filepath.Join(box.Plugin, "hooks", "hooks.json"))
	if err != nil {
		return nil, err
	}
	registered, err := registry.Parse(content, box.Plugin)
	if err != nil {
		return nil, err
	}
	var programs []program
	for _, one := range registered {
		recordings, err := registry.Recordings(filepath.Join(checkout, "testdata", "hook-input"), one)
		if err != nil {
			return nil, err
		}
		for _, r := range recordings {
			name := strings.TrimSpace(one.Name() + " " + r.Tool)
			if r.Unmatched {
				name += " (not matched)"
			}
			programs = append(programs, program{one, name, r})
			if one.Event == userPrompt {
				r.Content = bytes.Replace(r.Content, []byte(recordedPrompt), []byte(tellingPrompt), 1)
				programs = append(programs, program{one, name + " (telling)", r})
			}
		}
	}
	return programs, nil
}

// measurement is one run of bench hooks.
type measurement struct {
	*bed
	options options
}

// run measures on the filled store: first with a warm daemon, then cold starts. The rows are in the order of the
// events' names.
func (m *measurement) run(ctx context.Context, report *latency.Report) error {
	var warm []*series
	var compared []program
	for _, p := range m.programs {
		if p.Event != setup { // a setup takes a thousand times as long, and nobody waits for it
			warm, compared = append(warm, &series{program: p}), append(compared, p)
		}
	}
	start, err := m.programOf(sessionStart)
	if err != nil {
		return err
	}
	floor := &series{isFloor: true}
	warm = append(append(warm, m.peerSeries(compared)...), &series{program: start, isNext: true})
	stopWork, err := m.startWork(ctx)
	if err != nil {
		return err
	}
	m.say("measuring %d hooks %d times in turns with the empty program", len(warm), m.options.runs)
	err = m.takeTurns(ctx, append(warm, floor))
	if err := errors.Join(err, stopWork()); err != nil {
		return err
	}
	report.Resident = m.resident()
	m.say("measuring %d cold starts", m.options.coldRuns)
	cold, err := m.coldStarts(ctx, start)
	if err != nil {
		return err
	}
	budgets := latency.AtRest
	if m.options.work > 0 {
		budgets = latency.UnderWork
	}
	report.Floor = latency.Summarise(floor.took)
	for _, s := range append(warm, cold) {
		report.Hooks = append(report.Hooks, latency.Judge(s.row(), report.Floor, budgets))
	}
	return nil
}

// takeTurns runs every series once per round, in an order that the seed shuffles for each round. Unless the hooks
// are measured under work, the daemon finishes its work and comes to rest before each run, so that runs do not
// compete.
func (m *measurement) takeTurns(ctx context.Context, all []*series) error {
	calls, err := m.prepare(all, warmUps+m.options.runs)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(m.options.seed, 2))
	for round := range warmUps + m.options.runs {
		for _, i := range random.Perm(len(all)) {
			if err := m.begin(ctx, all[i], sessionOf(i, round)); err != nil {
				return err
			}
			if err := m.rest(ctx); err != nil {
				return err
			}
			if err := m.endBefore(ctx, all[i], sessionOf(i, round)); err != nil {
				return err
			}
			if err := all[i].measure(ctx, m.home, calls[i][round], round >= warmUps); err != nil {
				return err
			}
		}
	}
	return nil
}

// prepare writes the inputs of all rounds. Each run has its own session: a session gets a memory only once, so in a
// shared session the later runs would have less to do.
func (m *measurement) prepare(all []*series, rounds int) ([][]sandbox.Call, error) {
	calls := make([][]sandbox.Call, len(all))
	for i, s := range all {
		for round := range rounds {
			session := sessionOf(i, round)
			if s.isNext {
				session = "next-" + session
			}
			call, err := m.call(s, session)
			if err != nil {
				return nil, err
			}
			calls[i] = append(calls[i], call)
		}
	}
	return calls, nil
}

// sessionOf returns the session id of a run.
func sessionOf(series, round int) string {
	return fmt.Sprintf("%08d-0000-4000-8000-%012d", round+1, series+1)
}

// startBudget is too small for any memory.
const startBudget = 1

// beginWaitMS is how long, in milliseconds, an unmeasured start may wait for the store. Under load the cache may
// just have dropped the rows that the start needs.
const beginWaitMS = 5000

// begin starts the session of a run, as in real use before any other hook. It does so before a run of the empty program
// (the floor), too, so that both are measured alike. The start injects nothing, so that recalling hooks find memories that are new to the
// session.
func (m *measurement) begin(ctx context.Context, s *series, session string) error {
	if !s.isFloor && !s.isNext && (s.program.Event == sessionStart || s.program.recording.Session == "") {
		return nil
	}
	where, err := project.Identify(m.box.Project)
	if err != nil {
		return err
	}
	client, err := daemonclient.Dial(ctx, paths.Layout{Home: m.home.Dir}.Socket())
	if err != nil {
		return fmt.Errorf("start a session: %w", err)
	}
	defer func() { _ = client.Close() }() // read-only
	now := time.Now().UTC()
	event := memory.Event{
		ID: memory.NewEventID(now), At: now, Kind: memory.EventSessionStarted, Session: session, Source: "startup",
		Project: memory.Project{Key: where.Key, Name: where.Name, Root: where.Root}, Dir: where.Dir,
	}
	if err := m.home.Spool().Put(event); err != nil {
		return fmt.Errorf("start a session: %w", err)
	}
	if err := client.Call(ctx, daemonapi.MethodIngest.Call(daemonapi.None{}, nil)); err != nil {
		return fmt.Errorf("start a session: %w", err)
	}
	var start daemonapi.ContextResult
	err = client.Call(ctx, daemonapi.MethodSessionContext.Call(daemonapi.SessionContextParams{
		Project: where.Key, Session: session, Source: "startup", TokenBudget: startBudget, WaitMS: beginWaitMS,
	}, &start))
	if err != nil {
		return fmt.Errorf("start a session: %w", err)
	}
	if start.Items > 0 {
		return fmt.Errorf("start a session: it was given %d memories with a budget of %d", start.Items, startBudget)
	}
	return nil
}

func (b *bed) call(s *series, session string) (sandbox.Call, error) {
	call := b.box.Floor()
	switch {
	case s.peer != nil:
		call = s.peer.call(s.program.Event)
	case !s.isFloor:
		call = sandbox.Call{Command: s.program.Command}
	}
	recorded := s.program.recording
	input := bytes.ReplaceAll(recorded.Content, []byte(recordedProject), []byte(b.box.Project))
	if recorded.Session != "" {
		input = bytes.ReplaceAll(input, []byte(recorded.Session), []byte(session))
	}
	var err error
	call.Stdin, err = b.box.WriteInput(input)
	return call, err
}

// programOf returns the first program of an event. It fails if hooks.json registers none.
func (b *bed) programOf(event string) (program, error) {
	for _, p := range b.programs {
		if p.Event == event {
			return p, nil
		}
	}
	return program{}, fmt.Errorf("hooks.json registers no program for %s", event)
}

// coldStarts measures the start of a session on fresh copies of the filled home, while neither daemon nor engine
// runs.
func (m *measurement) coldStarts(ctx context.Context, start program) (*series, error) {
	if err := m.home.Stop(ctx); err != nil {
		return nil, err
	}
	cold := &series{program: start, isCold: true}
	call, err := m.call(cold, start.recording.Session)
	for i := 0; i < m.options.coldRuns && err == nil; i++ {
		err = m.coldStart(ctx, cold, call, fmt.Sprintf("cold-%d", i))
	}
	return cold, err
}

func (m *measurement) coldStart(ctx context.Context, cold *series, call sandbox.Call, name string) error {
	home, err := m.home.CopyTo(name)
	if err != nil {
		return err
	}
	err = cold.measure(ctx, home, call, true)
	if err := errors.Join(err, home.Stop(ctx)); err != nil {
		return err
	}
	return home.Remove()
}

// series collects the runs of one program.
type series struct {
	program program
	isFloor bool
	isCold  bool
	isNext  bool  // it measures starts directly after the end of another session
	peer    *peer // the program that runs instead of ours

	took        []time.Duration
	withContext int
	failed      int
	problem     string
}

// measure runs the program once. A measured run with a defect counts as failed. An error means that nothing ran.
func (s *series) measure(ctx context.Context, home *sandbox.Home, call sandbox.Call, counts bool) error {
	logged := home.HookErrors()
	result, err := home.Run(ctx, call)
	if err != nil || !counts {
		return err
	}
	s.took = append(s.took, result.Took)
	injected, problem := hasContext(result.Output), home.HookErrorSince(logged)
	if injected {
		s.withContext++
	}
	switch {
	case result.Err != nil:
		problem = result.Err.Error()
	case problem == "" && s.peer == nil && s.program.Event == sessionStart && !injected:
		problem = "a session started without context"
	}
	if problem != "" {
		s.failed++
		s.problem = problem
	}
	return nil
}

func hasContext(output []byte) bool {
	var answer struct {
		Specific struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	return json.Unmarshal(output, &answer) == nil && answer.Specific.Context != ""
}

func (s *series) row() latency.Row {
	row := latency.Row{
		Name: s.program.name, Event: s.program.Event, Class: s.class(), Summary: latency.Summarise(s.took),
		WithContext: s.withContext, Failed: s.failed, Problem: s.problem,
	}
	if s.isCold {
		row.Name += " cold"
	}
	if s.isNext {
		row.Name += " after an end"
	}
	if s.peer != nil {
		row.Name = s.peer.name + ": " + row.Name
	}
	return row
}

// asking has the events whose hooks ask the daemon for memories. (The exception is PreToolUse for a subagent's task: see class.)
var asking = map[string]bool{userPrompt: true, "PreToolUse": true, "PostToolUseFailure": true, "SubagentStart": true}

func (s *series) class() latency.Class {
	switch {
	case s.peer != nil:
		return latency.Peer
	case s.isCold:
		return latency.ColdStart
	case s.isNext:
		return latency.NextStart
	case s.program.Event == sessionStart:
		return latency.WarmStart
	case asking[s.program.Event] && s.program.recording.Tool != "Agent":
		return latency.Recall
	}
	return latency.Capture
}

// startWork spools events of other sessions, and notifies the daemon of each like a hook, until stop is called.
// Without the option work it does nothing.
func (m *measurement) startWork(ctx context.Context) (stop func() error, err error) {
	if m.options.work == 0 {
		return func() error { return nil }, nil
	}
	client, err := daemonclient.Dial(ctx, paths.Layout{Home: m.home.Dir}.Socket())
	if err != nil {
		return nil, fmt.Errorf("start the work: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- m.work(ctx, client) }()
	return func() error {
		cancel()
		return errors.Join(<-done, client.Close())
	}, nil
}

func (m *measurement) work(ctx context.Context, client *daemonclient.Client) error {
	ticker := time.NewTicker(time.Second / time.Duration(m.options.work))
	defer ticker.Stop()
	events := workload.Events(workload.Spec{
		Seed: m.options.seed + 1, Until: time.Now(), Memories: 1, Store: 1_000_000,
		Measured: memory.Project{Key: "github.com/example/at-work", Name: "at-work", Root: "/home/dev/at-work"},
	})
	to := m.home.Spool()
	for e := range events {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		e.At = time.Now().UTC()
		e.ID = memory.NewEventID(e.At)
		if err := to.Put(e); err != nil {
			return fmt.Errorf("the events of other sessions could not be sent: %w", err)
		}
		err := client.Call(ctx, daemonapi.MethodSpooled.Call(daemonapi.SpooledParams{}, nil))
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("the events of other sessions could not be sent: %w", err)
		}
	}
	return nil
}

// rest waits until the daemon has finished its work, unless it is measured under work.
func (m *measurement) rest(ctx context.Context) error {
	if m.options.work > 0 {
		return nil
	}
	return errors.Join(m.home.Settle(ctx), m.home.Rest(ctx))
}

// endBefore ends a session directly before the measured start, if the series measures starts after an end.
func (m *measurement) endBefore(ctx context.Context, s *series, session string) error {
	if !s.isNext {
		return nil
	}
	end, err := m.programOf(sessionEnd)
	if err != nil {
		return err
	}
	call, err := m.call(&series{program: end}, session)
	if err != nil {
		return err
	}
	_, err = m.home.Run(ctx, call)
	return err
}
