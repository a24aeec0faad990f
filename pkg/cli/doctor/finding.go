package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

// Severity is how bad a finding is.
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
	// Fixable: Fix can repair it. Fixed and FixError have the result.
	Fixable  bool   `json:"fixable,omitempty"`
	Fixed    bool   `json:"fixed,omitempty"`
	FixError string `json:"fix_error,omitempty"`

	fix func(context.Context) error
}

// IsLeft reports whether the finding is a problem that still exists.
func (f Finding) IsLeft() bool { return f.Severity != Info && !f.Fixed }

// Doctor examines one home. All fields are needed.
type Doctor struct {
	Paths      paths.Layout
	Config     config.Config
	Problems   []config.Problem // of the settings
	Getenv     func(string) string
	Executable string // of a program of the plugin
	Now        func() time.Time
	Root       string // of the project that the user is in, where settings of the client may lie

	// Run runs a program of the plugin, by its name in libexec, and returns its standard
	// output, whatever its exit code.
	Run func(ctx context.Context, program string, args ...string) ([]byte, error)
	// Start starts the daemon and waits until it answers.
	Start func(context.Context) error
	// FreeBytes is the free space of the disk that holds a path.
	FreeBytes func(path string) (uint64, error)

	status    daemonapi.StatusResult // of the daemon
	daemonErr error                  // why it returned none
	found     []Finding
}

// The names of the checks that other code refers to.
const (
	checkDamaged   = "store.damaged"
	checkVanished  = "store.vanished"
	checkDaemon    = "daemon.running"
	checkPending   = "schema.pending"
	checkDrift     = "schema.drift"
	checkBacklog   = "spool.backlog"
	checkRevivable = "spool.revivable"
	checkLauncher  = "link.launcher"
	checkLink      = "link.memory"
)

// statusTime bounds how long a daemon may take to report its status.
const statusTime = 5 * time.Second

func (d *Doctor) askStatus(ctx context.Context) (daemonapi.StatusResult, error) {
	var status daemonapi.StatusResult
	return status, d.ask(ctx, statusTime, daemonapi.MethodStatus.Call(daemonapi.None{}, &status))
}

// hasNoDaemon reports whether no daemon runs, not even one that does not answer.
func (d *Doctor) hasNoDaemon() bool { return errors.Is(d.daemonErr, daemonclient.ErrNoDaemon) }

func (d *Doctor) isReady() bool { return d.daemonErr == nil && d.status.State == "ready" }

func (d *Doctor) ask(ctx context.Context, limit time.Duration, call daemonapi.Call) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	client, err := daemonclient.Dial(ctx, d.Paths.Socket())
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	return client.Call(ctx, call)
}

// bad adds a finding, which is still to be used before the next one is added.
func (d *Doctor) bad(check string, severity Severity, remedy, format string, args ...any) *Finding {
	d.found = append(d.found, Finding{Check: check, Severity: severity, Message: fmt.Sprintf(format, args...), Remedy: remedy})
	return &d.found[len(d.found)-1]
}

// mendedBy makes a finding one that Fix mends.
func (f *Finding) mendedBy(fix func(context.Context) error) {
	f.fix = fix
	if f.Remedy == "" {
		f.Remedy = "memory doctor --fix mends it"
	} else {
		f.Remedy = "memory doctor --fix, or: " + f.Remedy
	}
}
