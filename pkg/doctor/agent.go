package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/doctor/processes"
)

// agent checks the agent of the home, and the files that a dead one has left.
func (d *Doctor) agent(status agentapi.StatusResult, err error) []Finding {
	if errors.Is(err, agentclient.ErrNoAgent) {
		return d.noAgent()
	}
	if err != nil {
		return []Finding{bad("agent.answers", Error, "memory agent stop ends it, and the next hook starts another", "the agent does not answer: %v", err)}
	}
	var found []Finding
	if status.Version != d.Version {
		found = append(found, bad("agent.version", Warning, "memory agent stop; the next hook starts the new one",
			"the agent is of version %s, this program of %s", status.Version, d.Version))
	}
	switch status.State {
	case "ready":
		found = append(found, good(checkAgent, "the agent is ready (process %d)", status.PID))
	case "starting":
		found = append(found, bad(checkAgent, Warning, "wait, and look again; memory agent logs says what it does", "the agent is starting"))
	case stateInstalling:
		found = append(found, installing(status))
	default:
		found = append(found, bad(checkAgent, Error, "see the findings about engine and store; events wait in the spool meanwhile",
			"the agent cannot have the store: %s", status.Reason))
	}
	if status.Burst != nil {
		found = append(found, good("agent.burst", "%s", status.Burst))
	}
	return found
}

// stateInstalling is the state of an agent that installs its engine, which takes minutes.
const stateInstalling = "installing"

func installing(status agentapi.StatusResult) Finding {
	remedy := "wait, and look again"
	what := status.Reason
	if t := status.Trouble; t != nil {
		what, remedy = t.What, cmp.Or(t.Remedy(), remedy)
	}
	return bad(checkAgent, Warning, remedy, "%s; events wait in the spool meanwhile", what)
}

// endRemedy says how to end an agent that holds its lock and does not listen.
func (d *Doctor) endRemedy() string {
	if pid := d.pidOf(); pid > 0 {
		return "kill " + strconv.Itoa(pid) + "; the next hook starts another"
	}
	return "end the process memoryd; the next hook starts another"
}

func (d *Doctor) noAgent() []Finding {
	if d.isLocked() {
		return []Finding{bad("agent.answers", Error, d.endRemedy(), "an agent holds %s, and nobody listens on %s", d.Paths.Lock(), d.Paths.Socket())}
	}
	found := []Finding{good(checkAgent, "no agent is running; the next hook starts it")}
	if socket := d.Paths.Socket(); exists(socket) {
		found = append(found, bad(checkSocket, Warning, "rm "+socket, "the socket %s is of an agent that is gone", socket).mendedBy(d.removal(socket)))
	}
	if mark := d.Paths.ReadyMark(); exists(mark) {
		found = append(found, bad(checkReady, Warning, "rm "+mark, "%s says that an agent is ready, and none is running", mark).mendedBy(d.removal(mark)))
	}
	if file := d.Paths.PIDFile(); exists(file) {
		found = append(found, bad(checkPID, Warning, "rm "+file, "%s names the process %d of an agent that is gone", file, d.pidOf()).mendedBy(d.removal(file)))
	}
	return found
}

// processes looks for processes that outlived their owner.
func (d *Doctor) processes(context.Context) []Finding {
	all, err := processes.List(d.Paths)
	if err != nil {
		return []Finding{bad("processes", Warning, "", "%v", err)}
	}
	owner := d.pidOf()
	locked := d.isLocked()
	var found []Finding
	for _, p := range all {
		reason := ""
		switch {
		case p.Program == "memoryd" && (p.PID != owner || !locked):
			reason = "is not the agent of this home"
		case p.Program == "engine" && !isOneOf(all, p.Parent) && !locked:
			reason = "has outlived its agent"
		case p.Program == "memory-mcp" && p.Parent == 1:
			reason = "has outlived its client"
		}
		if reason != "" {
			found = append(found, bad("processes.orphan", Warning, "kill "+strconv.Itoa(p.PID), "the process %d (%s) %s", p.PID, p.Program, reason))
		}
	}
	if len(found) == 0 {
		found = append(found, good("processes", "none of the %d running for this home is left over", len(all)))
	}
	return found
}

func isOneOf(all []processes.Process, pid int) bool {
	for _, p := range all {
		if p.PID == pid {
			return true
		}
	}
	return false
}

// engine runs memoryd to check whether this machine has the engine that the settings
// ask for.
func (d *Doctor) engine(ctx context.Context) []Finding {
	var check agentapi.CheckResult
	output, err := d.Run(ctx, "memoryd", nil, nil, "--check")
	if err == nil {
		err = json.Unmarshal(output, &check)
	}
	if err != nil {
		return []Finding{bad("engine.found", Error, "make build, or reinstall the plugin", "memoryd cannot tell what engine there is: %v", err)}
	}
	var found []Finding
	for _, c := range check.Crons {
		found = append(found, bad("settings.cron", Error, "memory config set "+c.Key+" \""+c.Default+"\", or memory config unset "+c.Key,
			"%s is no cron expression, so its job never runs: %s", c.Key, c.Problem))
	}
	for _, passed := range check.Engine.PassedOver {
		found = append(found, good("engine.passed_over", "not used: %s", passed))
	}
	switch e := check.Engine; {
	case e.Installable:
		found = append(found, d.notInstalled(e))
	case e.Problem != "" && d.Config.Store.URL != "":
		found = append(found, bad("engine.found", Error, "correct SURREAL_URL, or memory config set store.url URL", "%s", e.Problem))
	case e.Problem != "":
		found = append(found, bad("engine.found", Error, "install Node.js 20 or newer, or a surreal 3.x binary, or set SURREAL_URL", "%s", e.Problem))
	default:
		found = append(found, good("engine.found", "%s, %s", e.Name, e.Path))
	}
	return found
}

// installTime is the time of an installation on a slow line; one that takes longer hangs.
const installTime = 2 * time.Minute

func (d *Doctor) notInstalled(e agentapi.CheckedEngine) Finding {
	if e.InstallingSince.IsZero() {
		return bad("engine.installed", Warning, "memory engine install ("+e.Download+" to download, once); the agent does it, too, when it starts", "%s", e.Problem)
	}
	if took := d.Now().Sub(e.InstallingSince); took > installTime {
		return bad("engine.installed", Error, "see whether npm reaches its registry (npm ping; a proxy?); memory agent stop ends it, memory engine install shows what npm says",
			"npm has been installing the engine for %s and hangs, as it seems", took.Round(time.Second))
	}
	return bad("engine.installed", Warning, "wait, and look again", "the engine is being installed (%s to download) since %s", e.Download, e.InstallingSince.Format(time.TimeOnly))
}

// migrated is an answer of memory-migrate.
type migrated struct {
	Current int `json:"current"`
	Latest  int `json:"latest"`
	Pending []struct {
		File string `json:"file"`
	} `json:"pending"`
	Missing []string `json:"missing"`
	Error   struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// storeTime is the time within which memory-migrate must reach the store, its engine's
// start included.
const storeTime = "15s"

// migrate asks the schema tool, which connects and signs in by itself.
func (d *Doctor) migrate(ctx context.Context, args ...string) (migrated, error) {
	var answer migrated
	output, err := d.Run(ctx, "memory-migrate", nil, nil, append(args, "--json", "--timeout", storeTime)...)
	if err != nil {
		return answer, err
	}
	if err := json.Unmarshal(output, &answer); err != nil {
		return answer, fmt.Errorf("memory-migrate %s answers %.200q", strings.Join(args, " "), output)
	}
	return answer, nil
}

// store checks whether the store can be reached, accepts the credentials, and has the
// schema.
func (d *Doctor) store(ctx context.Context, status agentapi.StatusResult) []Finding {
	if d.Config.Store.URL == "" && status.State == "" && !exists(d.data()) {
		return []Finding{good("store.connection", "there is no store yet; the first session makes it")}
	}
	if status.State == stateInstalling {
		return []Finding{good("store.connection", "the store is not looked at before the agent has it")}
	}
	answer, err := d.migrate(ctx, "status")
	if err != nil {
		return []Finding{bad("store.tool", Error, "make build, or reinstall the plugin", "the schema cannot be looked at: %v", err)}
	}
	if answer.Error.Code != "" {
		return []Finding{d.storeFinding(answer.Error.Code, answer.Error.Message)}
	}
	found := []Finding{good("store.connection", "connected and signed in")}
	if s := status.Store; s != nil {
		found = append(found, d.rows(*s)...)
	}
	if n := len(answer.Pending); n > 0 {
		return append(found, bad(checkPending, Error, "libexec/memory-migrate up", "the schema is at version %d of %d: %d migrations are pending", answer.Current, answer.Latest, n).
			mendedBy(func(ctx context.Context) error { return d.mendSchema(ctx, "up") }))
	}
	found = append(found, good("schema.version", "version %d", answer.Current))
	drift, err := d.migrate(ctx, "drift")
	if err == nil && drift.Error.Code != "" {
		err = errors.New(drift.Error.Message)
	}
	switch {
	case err != nil:
		found = append(found, bad(checkDrift, Warning, "", "the schema cannot be compared: %v", err))
	case len(drift.Missing) > 0:
		found = append(found, bad(checkDrift, Error, "libexec/memory-migrate drift --define", "the database lacks %s", strings.Join(drift.Missing, ", ")).
			mendedBy(func(ctx context.Context) error { return d.mendSchema(ctx, "drift", "--define") }))
	default:
		found = append(found, good(checkDrift, "the database has all tables, fields and indexes"))
	}
	return found
}

func (d *Doctor) mendSchema(ctx context.Context, args ...string) error {
	answer, err := d.migrate(ctx, args...)
	if err == nil && answer.Error.Code != "" {
		err = errors.New(answer.Error.Message)
	}
	return err
}

// storeFinding turns an error of memory-migrate into a finding.
func (d *Doctor) storeFinding(code, message string) Finding {
	switch code {
	case "damaged":
		return bad(checkDamaged, Error, "memory rebuild; the agent does it, too, when it starts", "the store's files are damaged: %s", message).mendedBy(d.rebuild)
	case "storage":
		return bad("store.storage", Error, "make room on the disk, or look whether it fails (dmesg); the agent goes on by itself", "the store cannot write: %s", message)
	case "older_engine":
		return bad("store.engine", Error, "put that surreal back, or memory rebuild", "%s", message)
	case "new_engine":
		return bad("store.engine", Warning, "memory agent start", "%s", message)
	case "auth":
		return bad("store.auth", Error, "correct SURREAL_USER and SURREAL_PASS, or store.user and store.pass (memory config set)", "%s", message)
	case "unavailable":
		if d.Config.Store.URL == "" {
			return bad("store.connection", Error, "memory agent logs --of engine says why", "the local engine does not serve the store: %s", message)
		}
		return bad("store.connection", Error, "check SURREAL_URL (memory config get store.url) and that the server runs", "%s", message)
	case "no_engine", "engine_not_installed":
		return bad("store.connection", Warning, "see the finding about the engine", "there is no engine to keep the store: %s", message)
	case "edited", "gap":
		return bad("schema.history", Error, "reinstall the plugin; if that does not help, memory restore FILE brings a backup back", "%s", message)
	case "newer":
		return bad("schema.history", Error, "update the plugin", "%s", message)
	}
	return bad("store.connection", Error, "see memory agent logs", "%s", message)
}
