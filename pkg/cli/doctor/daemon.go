package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
)

// daemon adds a finding if the home's daemon does not answer or is not ready.
func (d *Doctor) daemon(ctx context.Context) {
	status := d.status
	switch {
	case d.hasNoDaemon():
		d.noDaemon()
		return
	case d.daemonErr != nil:
		d.bad("daemon", Error, "memory daemon stop ends it, and the next hook starts another",
			"the daemon does not answer: %v", d.daemonErr)
		return
	}
	switch status.State {
	case "ready":
	case "starting":
		d.bad("daemon", Warning, "wait, and run memory doctor again; memory daemon logs shows what the daemon does", "the daemon is starting")
	case stateInstalling:
		remedy := "wait, and look again"
		what := status.Reason
		if t := status.Trouble; t != nil {
			what, remedy = t.Problem, cmp.Or(t.Remedy(), remedy)
		}
		d.bad("daemon", Warning, remedy, "%s; events wait in the spool meanwhile", what)
	default:
		d.bad("daemon", Error, "see the findings about engine and store; events wait in the spool meanwhile",
			"the daemon cannot open the store: %s", status.Reason)
	}
}

// stateInstalling is the state of a daemon that is installing its engine, which may take minutes.
const stateInstalling = "installing"

// endRemedy returns how to end a daemon that holds its lock but does not listen.
func (d *Doctor) endRemedy() string {
	if pid := daemonclient.PID(d.Paths); pid > 0 {
		return "kill " + strconv.Itoa(pid) + "; the next hook starts another"
	}
	return "end the process memoryd; the next hook starts another"
}

// noDaemon adds a finding if a daemon holds the lock but does not listen, because it keeps the next one from
// starting. That no daemon runs is fine.
func (d *Doctor) noDaemon() {
	if d.isLocked() {
		d.bad("daemon", Error, d.endRemedy(), "a daemon holds the lock %s, but does not listen on %s", d.Paths.Lock(), d.Paths.Socket())
	}
}

// engine adds a finding if memoryd cannot use the engine that the settings select.
func (d *Doctor) engine(ctx context.Context) {
	var check daemonapi.CheckedEngine
	output, err := d.Run(ctx, "memoryd", "--check")
	if err == nil {
		err = json.Unmarshal(output, &check)
	}
	if err != nil {
		d.bad("engine", Error, "make build, or reinstall the plugin", "memoryd cannot describe the engine: %v", err)
		return
	}
	switch e := check; {
	case e.Problem == "", e.Installable: // the daemon installs it when it starts, and reports on that
	case d.Config.Store.URL != "":
		d.bad("engine", Error, "memory config set store.url URL", "%s", e.Problem)
	default:
		d.bad("engine", Error, "install Node.js 20 or newer, or name a server: memory config set store.url URL", "%s", e.Problem)
	}
}

// migrated is the output of memory-migrate.
type migrated struct {
	Pending []any    `json:"pending"`
	Missing []string `json:"missing"`
	Error   struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// storeTime limits memory-migrate, which may have to start the engine.
const storeTime = "15s"

// migrate runs memory-migrate, which connects to the store by itself. It fails if the output is not JSON.
func (d *Doctor) migrate(ctx context.Context, args ...string) (migrated, error) {
	var answer migrated
	output, err := d.Run(ctx, "memory-migrate", append(args, "--json", "--timeout", storeTime)...)
	if err != nil {
		return answer, err
	}
	if err := json.Unmarshal(output, &answer); err != nil {
		return answer, fmt.Errorf("memory-migrate %s answers %.200q", strings.Join(args, " "), output)
	}
	return answer, nil
}

// store adds findings if the store cannot be reached, refuses the credentials, or lacks a part of the schema.
func (d *Doctor) store(ctx context.Context) {
	_, isMade, err := engine.ReadDataFormat(d.Paths.Data())
	isMissing := d.Config.Store.URL == "" && d.status.State == "" && !isMade && err == nil // the first session creates the store
	if isMissing || d.status.State == stateInstalling {
		return
	}
	if t := d.status.Trouble; t != nil && strings.HasPrefix(t.Command, "backup rebuild") { // memory-migrate would wait for the daemon's engine
		d.bad("store", Error, "memory backup rebuild", "%s", t.Problem).fixedBy(d.rebuild)
		return
	}
	answer, err := d.migrate(ctx, "status")
	if err != nil {
		d.bad("store", Error, "make build, or reinstall the plugin", "the schema cannot be read: %v", err)
		return
	}
	if answer.Error.Code != "" {
		d.refused(answer.Error.Code, answer.Error.Message)
		return
	}
	if s := d.status.Store; s != nil {
		d.rows(*s)
	}
	if len(answer.Pending) > 0 { // the daemon applies them when it starts
		return
	}
	drift, err := d.migrate(ctx, "drift")
	if err == nil && drift.Error.Code != "" {
		err = errors.New(drift.Error.Message)
	}
	switch {
	case err != nil:
		d.bad("schema", Warning, "", "the schema cannot be compared: %v", err)
	case len(drift.Missing) > 0:
		d.bad("schema", Error, "libexec/memory-migrate drift --define", "the database lacks %s", strings.Join(drift.Missing, ", ")).
			fixedBy(d.define)
	}
}

// define adds to the database what the schema requires.
func (d *Doctor) define(ctx context.Context) error {
	answer, err := d.migrate(ctx, "drift", "--define")
	if err == nil && answer.Error.Code != "" {
		err = errors.New(answer.Error.Message)
	}
	return err
}

// refusal describes the finding for an error of memory-migrate.
type refusal struct {
	severity     Severity
	remedy, what string
}

// refusals maps the codes of errors to findings.
var refusals = map[string]refusal{
	"damaged": {Error, "memory backup rebuild; the daemon does it, too, when it starts", "%s"},
	"storage": {
		Error, "make room on the disk, or look whether it fails (dmesg); the daemon goes on by itself", "the store cannot write: %s",
	},
	"format":               {Error, "memory backup rebuild", "%s"},
	"auth":                 {Error, "correct store.user (memory config set KEY VALUE) and store.pass, or SURREAL_PASS in the environment", "%s"},
	"unavailable":          {Error, "check store.url (memory config get store.url) and that the server runs", "%s"},
	"unavailable here":     {Error, "memory daemon logs engine has the reason", "the local engine does not serve the store: %s"},
	"no_engine":            noEngine,
	"engine_not_installed": noEngine,
	"edited":               otherHistory,
	"gap":                  otherHistory,
	"newer":                {Error, "update the plugin", "%s"},
}

var (
	noEngine     = refusal{Warning, "memory daemon start installs it, or says why not", "there is no engine to keep the store: %s"}
	otherHistory = refusal{Error, "reinstall the plugin; if that does not help, memory restore FILE brings a backup back", "%s"}
)

// refused adds the finding for an error of memory-migrate.
func (d *Doctor) refused(code, message string) {
	if code == "unavailable" && d.Config.Store.URL == "" {
		code = "unavailable here"
	}
	one, isKnown := refusals[code]
	if !isKnown {
		one = refusal{Error, "see memory daemon logs", "%s"}
	}
	f := d.bad("store", one.severity, one.remedy, one.what, message)
	if code == "damaged" {
		f.fixedBy(d.rebuild)
	}
}
