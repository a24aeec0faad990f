package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
)

type Severity string

// The severities, from the worst to the best.
const (
	Error   Severity = "error"   // something does not work
	Warning Severity = "warning" // it works, but needs attention
	Info    Severity = "ok"      // in order
)

type Finding struct {
	Check    string   `json:"check"` // name of the check, such as "dead letters"
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	// Remedy is a command, or other advice for the user; empty if nothing can be done.
	Remedy string `json:"remedy,omitempty"`
}

// Doctor examines one home. All fields are needed.
type Doctor struct {
	Paths      paths.Layout
	Config     config.Config
	Problems   []config.Problem // problems of the settings
	Getenv     func(string) string
	Executable string // path of a program of the plugin
	Now        func() time.Time
	Root       string // root of the user's project, which may have client settings

	// Start starts the daemon and waits until it answers.
	Start func(context.Context) error

	status    daemonapi.StatusResult // the daemon's answer
	daemonErr error                  // reason why the daemon gave no status
	isUnsafe  bool                   // whether another user may write to the home
	found     []Finding
}

// statusTime limits how long a daemon may take to report its status.
const statusTime = 5 * time.Second

func (d *Doctor) askStatus(ctx context.Context) (daemonapi.StatusResult, error) {
	ctx, cancel := context.WithTimeout(ctx, statusTime)
	defer cancel()
	return daemonapi.MethodStatus.Ask(ctx, daemonclient.Daemon{Paths: d.Paths}.Call, daemonapi.None{})
}

// hasNoDaemon reports whether no daemon listens. A daemon that listens without answering counts as running.
func (d *Doctor) hasNoDaemon() bool { return errors.Is(d.daemonErr, daemonclient.ErrNoDaemon) }

func (d *Doctor) bad(check string, severity Severity, remedy, format string, args ...any) {
	d.found = append(d.found, Finding{Check: check, Severity: severity, Message: fmt.Sprintf(format, args...), Remedy: remedy})
}

// unsafe adds a finding for a folder or program that other users may change. meanwhile is added to the remedy.
func (d *Doctor) unsafe(check string, err error, meanwhile string) {
	problem, remedy := private.Remedy(err)
	d.bad(check, Error, remedy+meanwhile, "%s", problem)
}
