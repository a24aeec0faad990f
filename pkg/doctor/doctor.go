// Package doctor finds defects of an installation: of its settings, files, processes,
// engine, schema, spool, index and plugin. Every finding names the defect and its remedy;
// it can repair some. It owns the checks and their order. It loses nothing: repairs can
// be repeated, and decisions are left to the user, with the command that carries them
// out.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// Severity says how bad a finding is.
type Severity string

// The severities, the worst first.
const (
	Error   Severity = "error"   // something does not work
	Warning Severity = "warning" // it works, and something is not as it should be
	Info    Severity = "ok"      // as it should be
)

// Finding is the result of one check.
type Finding struct {
	Check    string   `json:"check"` // such as spool.dead
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	// Remedy is an advice to the user; empty if nothing has to be done.
	Remedy string `json:"remedy,omitempty"`
	// Fixable says that Fix can repair it. Fixed and FixError say how that went.
	Fixable  bool   `json:"fixable,omitempty"`
	Fixed    bool   `json:"fixed,omitempty"`
	FixError string `json:"fix_error,omitempty"`

	fix func(context.Context) error
}

// IsLeft says that the finding is bad and still holds.
func (f Finding) IsLeft() bool { return f.Severity != Info && !f.Fixed }

// Doctor examines one home. All fields are needed.
type Doctor struct {
	Paths      paths.Layout
	Config     config.Config
	Problems   []config.Problem // of the settings
	Getenv     func(string) string
	Executable string // of a program of the plugin
	Version    string // that this program has
	Now        func() time.Time
	Project    Project // that the user is in

	// Run runs a program of the plugin, by its name in libexec, and returns its standard
	// output, whatever its exit code.
	Run func(ctx context.Context, program string, input []byte, env []string, args ...string) ([]byte, error)
	// Start starts the agent and waits until it answers.
	Start func(context.Context) error
	// FreeBytes is the free space of the disk that holds a path.
	FreeBytes func(path string) (uint64, error)
	// Progress is called before each group of checks.
	Progress func(what string)
}

// Project is whose index is compared, and where its settings may lie.
type Project struct {
	Key  string
	Root string
}

// Checks is the number of groups of checks, for a progress bar.
const Checks = 10

// Examine runs all checks. Deep ones compare the index with the rows and empty
// the spool, which can take a while.
func (d *Doctor) Examine(ctx context.Context, deep bool) []Finding {
	status, agentErr := d.status(ctx)
	var findings []Finding
	for _, group := range []struct {
		what  string
		check func(context.Context) []Finding
	}{
		{"settings", d.settings},
		{"files", d.files},
		{"processes", d.processes},
		{"agent", func(context.Context) []Finding { return d.agent(status, agentErr) }},
		{"engine", d.engine},
		{"store", func(ctx context.Context) []Finding { return d.store(ctx, status) }},
		{"spool", func(context.Context) []Finding { return d.spool(status, agentErr) }},
		{"plugin", d.plugin},
		{"hooks", d.hooks},
		{"clients", d.clients},
	} {
		d.Progress(group.what)
		findings = append(findings, group.check(ctx)...)
	}
	if deep {
		d.Progress("index")
		findings = append(findings, d.deep(ctx, status, agentErr)...)
	}
	for i := range findings {
		findings[i].Fixable = findings[i].fix != nil
	}
	slices.SortStableFunc(findings, func(a, b Finding) int { return cmp.Compare(rank(a.Severity), rank(b.Severity)) })
	return findings
}

func rank(s Severity) int { return slices.Index([]Severity{Error, Warning, Info}, s) }

// Fix makes the possible repairs, in the order of dependencies: files before the agent,
// the agent before the checks that ask it.
func (d *Doctor) Fix(ctx context.Context, findings []Finding) []Finding {
	order := make([]int, 0, len(findings))
	for i, f := range findings {
		if f.fix != nil {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(slices.Index(fixOrder, findings[a].Check), slices.Index(fixOrder, findings[b].Check))
	})
	for _, i := range order {
		f := &findings[i]
		d.Progress("mending " + f.Check)
		if err := f.fix(ctx); err != nil {
			f.FixError = err.Error()
			continue
		}
		f.Fixed = true
	}
	return findings
}

// fixOrder has every check that can be mended.
var fixOrder = []string{
	checkSettingsMode, checkHomeMode, checkDataMode, checkSocket, checkReady, checkPID, checkClaimed, checkRevivable,
	checkDamaged, checkVanished, checkPending, checkDrift, checkAgent, checkBacklog, checkIndex,
}

// The names of the checks that other code refers to.
const (
	checkDamaged      = "store.damaged"
	checkVanished     = "store.vanished"
	checkSettingsMode = "settings.mode"
	checkHomeMode     = "home.mode"
	checkDataMode     = "data.mode"
	checkSocket       = "agent.socket"
	checkReady        = "agent.ready_mark"
	checkPID          = "agent.pid_file"
	checkAgent        = "agent.running"
	checkPending      = "schema.pending"
	checkDrift        = "schema.drift"
	checkBacklog      = "spool.backlog"
	checkClaimed      = "spool.claimed"
	checkRevivable    = "spool.revivable"
	checkIndex        = "index.equal"
)

// statusTime bounds how long an agent may take to report its status.
const statusTime = 5 * time.Second

func (d *Doctor) status(ctx context.Context) (agentapi.StatusResult, error) {
	var status agentapi.StatusResult
	return status, d.ask(ctx, statusTime, agentapi.MethodStatus.Call(agentapi.None{}, &status))
}

func (d *Doctor) ask(ctx context.Context, limit time.Duration, call agentapi.Call) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	client, err := agentclient.Dial(ctx, d.Paths.Socket())
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	return client.Call(ctx, call)
}

func good(check, format string, args ...any) Finding {
	return Finding{Check: check, Severity: Info, Message: fmt.Sprintf(format, args...)}
}

func bad(check string, severity Severity, remedy, format string, args ...any) Finding {
	return Finding{Check: check, Severity: severity, Message: fmt.Sprintf(format, args...), Remedy: remedy}
}

// mendedBy makes a finding one that Fix mends.
func (f Finding) mendedBy(fix func(context.Context) error) Finding {
	f.fix = fix
	if f.Remedy == "" {
		f.Remedy = "memory doctor --fix mends it"
	} else {
		f.Remedy = "memory doctor --fix, or: " + f.Remedy
	}
	return f
}
