package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/latency"
	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/registry"
	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/sandbox"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

const (
	sessionStart = "SessionStart"
	setup        = "Setup"
	userPrompt   = "UserPromptSubmit"
	// warmUps are the rounds before the measured ones.
	warmUps = 10
	// recordedProject is where the recorded sessions worked.
	recordedProject = "/home/dev/project"
	// recordedPrompt says too little to recall anything for; in a second row
	// tellingPrompt stands in its place.
	recordedPrompt = "do the task"
	tellingPrompt  = "check that every number of a.txt is spelled out"
)

// known are memories of the measured project that fit the recordings, so that the hooks
// that recall find something.
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

// findPrograms pairs the registered programs with the recorded inputs.
func findPrograms(checkout string, box *sandbox.Sandbox) ([]program, error) {
	content, err := os.ReadFile(filepath.Join(checkout, "plugin", "hooks", "hooks.json"))
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
	box      *sandbox.Sandbox
	home     *sandbox.Home
	options  options
	programs []program
	progress io.Writer
}

func (m *measurement) say(format string, values ...any) {
	_, _ = fmt.Fprintf(m.progress, format+"\n", values...)
}

// run measures on the filled store: first with a warm agent, then set-up, then
// cold starts. The order of the rows is that of the events' names.
func (m *measurement) run(ctx context.Context) (latency.Summary, []latency.Row, latency.Resident, error) {
	var resident latency.Resident
	var warm, setups []*series
	var compared []program
	for _, p := range m.programs {
		if p.Event == setup { // takes a thousand times as long, and nobody waits for it
			setups = append(setups, &series{program: p})
		} else {
			warm, compared = append(warm, m.seriesOf(p)...), append(compared, p)
		}
	}
	floor := &series{isFloor: true}
	warm = append(warm, m.peerSeries(compared)...)
	next, err := m.nextStart()
	if err != nil {
		return latency.Summary{}, nil, resident, err
	}
	warm = append(warm, next)
	stopWork, err := m.startWork(ctx)
	if err != nil {
		return latency.Summary{}, nil, resident, err
	}
	m.say("measuring %d hooks %d times in turns with the empty program", len(warm), m.options.runs)
	err = m.takeTurns(ctx, append(warm, floor), warmUps, m.options.runs)
	if err := errors.Join(err, stopWork()); err != nil {
		return latency.Summary{}, nil, resident, err
	}
	agent, engine := m.home.Usage()
	resident = latency.Resident{AgentMB: agent.Resident >> 20, AgentPeakMB: agent.Peak >> 20, EngineMB: engine.Resident >> 20, EnginePeakMB: engine.Peak >> 20}
	m.say("measuring set-up %d times", m.options.coldRuns)
	if err := m.takeTurns(ctx, setups, 0, m.options.coldRuns); err != nil {
		return latency.Summary{}, nil, resident, err
	}
	m.say("measuring %d cold starts", m.options.coldRuns)
	cold, err := m.coldStarts(ctx)
	if err != nil {
		return latency.Summary{}, nil, resident, err
	}
	against, budgets := latency.Summarise(floor.took), latency.AtRest
	if m.options.work > 0 {
		budgets = latency.UnderWork
	}
	var rows []latency.Row
	for _, s := range append(append(warm, cold), setups...) {
		rows = append(rows, latency.Judge(s.row(), against, budgets))
	}
	return against, rows, resident, nil
}

// seriesOf are the series of a program: a capture hook has one for each setting of hooks.durability that is measured.
func (m *measurement) seriesOf(p program) []*series {
	one := &series{program: p, durability: m.options.durability}
	if m.options.durability != bothDurabilities {
		return []*series{one}
	}
	one.durability = config.DurabilityProcess
	if one.class() != latency.Capture {
		one.durability = config.DurabilityPower // as by default
		return []*series{one}
	}
	return []*series{one, {program: p, durability: config.DurabilityPower}}
}

// takeTurns runs every series once a round, in an order that is shuffled again for each,
// always the same for one seed. Before each run the agent finishes the work of the one
// before and comes to rest, so that a hook is not measured against another's work, unless
// it is to be measured under work.
func (m *measurement) takeTurns(ctx context.Context, all []*series, warmUps, runs int) error {
	calls, err := m.prepare(all, warmUps+runs)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(m.options.seed, 2))
	for round := range warmUps + runs {
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

// prepare writes the inputs of all rounds. Each run is a session of its own: a session is
// not told a memory twice, and then the order of the runs would decide their work.
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

// sessionOf is the session of one run.
func sessionOf(series, round int) string {
	return fmt.Sprintf("%08d-0000-4000-8000-%012d", round+1, series+1)
}

// startBudget is too small for any memory.
const startBudget = 1

// beginWaitMS is how long a start that is not measured may wait for the store, in
// milliseconds: under work its rows may have been dropped a moment ago.
const beginWaitMS = 5000

// begin has the agent start the session of a run, as it has in life before any other hook
// of the session runs; before the floor too, which is measured as the hooks are. The
// session is given nothing, because a memory given at its start would not be told again,
// and the hooks that recall would have nothing to tell.
func (m *measurement) begin(ctx context.Context, s *series, session string) error {
	if !s.isFloor && !s.isNext && (s.program.Event == sessionStart || s.program.Event == setup || s.program.recording.Session == "") {
		return nil
	}
	where, err := project.Identify(m.box.Project)
	if err != nil {
		return err
	}
	client, err := agentclient.Dial(ctx, paths.Layout{Home: m.home.Dir}.Socket())
	if err != nil {
		return fmt.Errorf("start a session: %w", err)
	}
	defer func() { _ = client.Close() }() // only read from
	now := time.Now().UTC()
	event := memory.Event{
		ID: memory.NewEventID(now), At: now, Kind: memory.EventSessionStarted, Session: session, Source: "startup",
		Project: memory.Project{Key: where.Key, Name: where.Name, Root: where.Root}, Dir: where.Dir,
	}
	if err := spool.New(paths.Layout{Home: m.home.Dir}.Spool()).Put(event); err != nil {
		return fmt.Errorf("start a session: %w", err)
	}
	if err := client.Call(ctx, agentapi.MethodIngest.Call(agentapi.None{}, nil)); err != nil {
		return fmt.Errorf("start a session: %w", err)
	}
	var start agentapi.ContextResult
	err = client.Call(ctx, agentapi.MethodSessionContext.Call(agentapi.SessionContextParams{
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

func (m *measurement) call(s *series, session string) (sandbox.Call, error) {
	call := m.box.Floor()
	switch {
	case s.peer != nil:
		call = s.peer.call(s.program.Event)
	case !s.isFloor:
		call = sandbox.Call{Command: s.program.Command, Args: s.program.Args}
	}
	if s.durability != "" {
		call.Settings = []string{"MEMORY_HOOKS_DURABILITY=" + s.durability}
	}
	recorded := s.program.recording
	input := bytes.ReplaceAll(recorded.Content, []byte(recordedProject), []byte(m.box.Project))
	if recorded.Session != "" {
		input = bytes.ReplaceAll(input, []byte(recorded.Session), []byte(session))
	}
	var err error
	call.Stdin, err = m.box.WriteInput(input)
	return call, err
}

// firstCall is a call of the first program of an event.
func (m *measurement) firstCall(event string) (sandbox.Call, error) {
	for _, p := range m.programs {
		if p.Event == event {
			return m.call(&series{program: p}, p.recording.Session)
		}
	}
	return sandbox.Call{}, fmt.Errorf("hooks.json registers no program for %s", event)
}

// coldStarts measures the start of a session on fresh copies of the filled home,
// with neither agent nor engine running.
func (m *measurement) coldStarts(ctx context.Context) (*series, error) {
	if err := m.home.Stop(ctx); err != nil {
		return nil, err
	}
	cold := &series{isCold: true}
	for _, p := range m.programs {
		if p.Event == sessionStart {
			cold.program = p
		}
	}
	call, err := m.firstCall(sessionStart)
	if err != nil {
		return nil, err
	}
	for i := range m.options.coldRuns {
		if err := m.coldStart(ctx, cold, call, fmt.Sprintf("cold-%d", i)); err != nil {
			return nil, err
		}
	}
	return cold, nil
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
	isNext  bool  // another session ends straight before
	peer    *peer // the program that runs instead of ours
	// durability is the setting hooks.durability that the program is run with; empty for the default.
	durability string

	took        []time.Duration
	withContext int
	failed      int
	problem     string
}

// measure runs the program once. A measured run with a defect counts as failed; an error
// means that there was no run.
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

// asking are the events whose hooks ask the agent for memories, whether or not there is
// something. PreToolUse of a subagent tells the agent of its task and asks for nothing.
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
	case s.program.Event == setup:
		return latency.Unbounded
	case asking[s.program.Event] && s.program.recording.Tool != "Agent":
		return latency.Recall
	}
	if s.durability == config.DurabilityProcess {
		return latency.Capture
	}
	return latency.CapturePower
}
