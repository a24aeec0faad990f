//go:build linux

package doctor_test

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"go.uber.org/goleak"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/doctor"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonserver"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(enginetest.Wrap(m)) }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// patient is an installation that is as it should be, before the first session has made a store.
type patient struct {
	t       *testing.T
	dir     string
	layout  paths.Layout
	env     map[string]string
	daemons []daemonapi.Handler // of the daemon that Start starts
}

// answer has the daemon answer a method in this way, whatever it did before.
func (p *patient) answer(handler daemonapi.Handler) {
	p.daemons = append([]daemonapi.Handler{handler}, p.daemons...) // the first one counts
}

func newPatient(t *testing.T) *patient {
	t.Helper()
	dir := t.TempDir()
	p := &patient{t: t, dir: dir, layout: paths.Layout{Home: filepath.Join(dir, "home")}}
	p.env = map[string]string{
		"MEMORY_HOME": p.layout.Home, "HOME": dir, "CLAUDE_CONFIG_DIR": filepath.Join(dir, "claude"), "TMPDIR": dir, "PATH": os.Getenv("PATH"),
	}
	t.Setenv("TMPDIR", dir) // the fallback spool lies there
	p.daemons = []daemonapi.Handler{
		daemonapi.MethodStatus.Handle(func(context.Context, daemonapi.None) (daemonapi.StatusResult, error) {
			return daemonapi.StatusResult{State: "ready", PID: os.Getpid()}, nil
		}),
		daemonapi.MethodIngest.Handle(func(context.Context, daemonapi.None) (daemonapi.IngestResult, error) { return p.ingest() }),
	}
	p.write("claude/settings.json", `{"enabledPlugins": {"surrealdb-memory@surrealdb-memory": true}}`)
	p.write("home/config.json", `{}`)
	musttest.Do(t, errors.Join(os.Chmod(p.layout.Home, 0o700), os.Chmod(p.layout.ConfigFile(), 0o600)))
	return p
}

func (p *patient) write(name, text string) {
	p.t.Helper()
	file := filepath.Join(p.dir, name)
	musttest.Do(p.t, os.MkdirAll(filepath.Dir(file), 0o700))
	musttest.Do(p.t, os.WriteFile(file, []byte(text), 0o600))
}

// doctor is one that examines the patient as it is now.
func (p *patient) doctor() *doctor.Doctor {
	getenv := func(key string) string { return p.env[key] }
	cfg, problems := config.Load(p.layout.ConfigFile(), getenv)
	return &doctor.Doctor{
		Paths: p.layout, Config: cfg, Problems: problems, Getenv: getenv, Now: func() time.Time { return noon },
		Executable: filepath.Join(p.dir, "plugin/bin/memory"), Root: filepath.Join(p.dir, "p"),
		Start: func(context.Context) error { p.startDaemon(); return nil },
	}
}

// startDaemon serves the patient's daemon on its socket, under its lock.
func (p *patient) startDaemon() {
	p.t.Helper()
	musttest.Do(p.t, os.MkdirAll(p.layout.Run(), 0o700))
	lock := flock.New(p.layout.Lock())
	if free, err := lock.TryLock(); !free || err != nil {
		p.t.Fatalf("the daemon's lock: %v, %v", free, err)
	}
	listener := musttest.Get(daemonserver.Listen(p.layout.Socket()))(p.t)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	server := daemonserver.Server{Handlers: p.daemons, Log: slog.New(slog.DiscardHandler)}
	go func() { ended <- server.Serve(ctx, listener) }()
	p.t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-ended, lock.Unlock()); err != nil {
			p.t.Error(err)
		}
	})
	_, _ = p.ingest() // as a daemon does when it starts
}

// ingest empties the spool as a daemon would.
func (p *patient) ingest() (daemonapi.IngestResult, error) {
	var done daemonapi.IngestResult
	for {
		claims, err := p.spool().Claim(100)
		for _, c := range claims {
			err = errors.Join(err, p.spool().Ack(c.Name))
		}
		if done.Events += len(claims); err != nil || len(claims) == 0 {
			return done, err
		}
	}
}

func (p *patient) spool() *spool.Spool { return spool.New(p.layout.Spool()) }

func (p *patient) put(at time.Time) {
	p.t.Helper()
	musttest.Do(p.t, p.spool().Put(memory.Event{ID: memory.NewEventID(at), At: at, Kind: memory.EventPrompt, Session: "s", Project: memory.Project{Key: "p", Name: "p", Root: "/p"}}))
}

// bury puts a dead letter into the spool.
func (p *patient) bury(valid bool) {
	p.t.Helper()
	p.put(noon)
	claims := musttest.Get(p.spool().Claim(1))(p.t)
	if !valid {
		musttest.Do(p.t, os.WriteFile(filepath.Join(p.spool().Dir(), "claimed", claims[0].Name), []byte("{"), 0o600))
	}
	musttest.Do(p.t, p.spool().DeadLetter(claims[0].Name, errors.New("the store refuses it")))
}

// checksOf are the names of the findings that are bad.
func checksOf(findings []doctor.Finding) []string {
	var names []string
	for _, f := range findings {
		if f.Severity != doctor.Info {
			names = append(names, f.Check)
		}
	}
	slices.Sort(names)
	return names
}

func find(t *testing.T, findings []doctor.Finding, check string) doctor.Finding {
	t.Helper()
	for _, f := range findings {
		if f.Check == check && f.Severity != doctor.Info {
			return f
		}
	}
	t.Fatalf("%s was not found among %+v", check, findings)
	return doctor.Finding{}
}

func TestNothingIsWrongWithWhatIsAsItShouldBe(t *testing.T) {
	p := newPatient(t)
	musttest.Same(t, nil, checksOf(p.doctor().Examine(t.Context())), "left without a daemon")
	p.startDaemon()
	findings := p.doctor().Examine(t.Context())
	musttest.Same(t, nil, checksOf(findings), "left with a daemon")
	for _, f := range findings {
		if f.Message == "" {
			t.Errorf("%+v", f)
		}
	}
	if len(findings) != 1 || !strings.HasPrefix(findings[0].Message, "is as it should be: settings, home, daemon,") {
		t.Errorf("what is well is not one line: %+v", findings)
	}
}

// faults are planted all at once.
var faults = []struct {
	check    string
	severity doctor.Severity
	remedy   string // a part of it
	plant    func(*patient)
}{
	{"settings", doctor.Error, "correct the key", func(p *patient) {
		p.write("home/config.json", `{"daemon": {"batch_sise": 7}, "distill.every": "whenever", "store": {"pass": "hidden by the environment"}}`)
	}},
	{"settings", doctor.Error, "memory config set distill.every VALUE", func(*patient) {}}, // in the same file: a duration
	{"dead letters", doctor.Warning, "memory daemon ingest", func(p *patient) { p.bury(true) }},
	{"dead letters", doctor.Warning, "read the reasons", func(p *patient) { p.bury(false) }},
	{"waiting", doctor.Warning, "memory daemon start", func(p *patient) { p.put(noon) }},
	{"plugin", doctor.Warning, "claude plugin enable", func(p *patient) {
		p.write("claude/settings.json", `{"enabledPlugins": {"surrealdb-memory@surrealdb-memory": false}}`)
	}},
}

func TestPlantedFaultsAreFoundWithTheirRemedies(t *testing.T) {
	p := newPatient(t)
	var planted []string
	for _, f := range faults {
		f.plant(p)
		planted = append(planted, f.check)
	}
	slices.Sort(planted)
	findings := p.doctor().Examine(t.Context())
	musttest.Same(t, planted, checksOf(findings), "(-planted +found) %+v", findings)
	for _, f := range faults {
		if !slices.ContainsFunc(findings, func(got doctor.Finding) bool {
			return got.Check == f.check && got.Severity == f.severity && strings.Contains(got.Remedy, f.remedy) && got.Message != ""
		}) {
			t.Errorf("%s was not found as planted: %+v", f.check, findings)
		}
	}
}

// TestFoldersThatOthersMayWriteToAreFindings: another user may have changed these folders. Nobody can decide which
// files are whose, so the repair is left to the user.
func TestFoldersThatOthersMayWriteToAreFindings(t *testing.T) {
	for check, open := range map[string]func(p *patient) string{"waiting": func(p *patient) string { return p.layout.Spool() }, "home": func(p *patient) string { return filepath.Dir(p.layout.Home) }} {
		t.Run(check, func(t *testing.T) {
			p := newPatient(t)
			p.put(noon)
			musttest.Do(p.t, os.Chmod(open(p), 0o777))
			all := p.doctor().Examine(t.Context())
			found := find(t, all, check)
			if found.Severity != doctor.Error || !strings.Contains(found.Message, open(p)) || len(checksOf(all)) != 1 {
				t.Errorf("found %+v among %+v, want it once", found, all)
			}
			if !strings.Contains(found.Remedy, "chmod ") || strings.Contains(found.Message, "chmod ") {
				t.Errorf("the remedy is not where remedies are: %+v", found)
			}
		})
	}
}

// TestAStoreThatTheDaemonCannotUse names the daemon's reason with a remedy that is not doctor itself.
func TestAStoreThatTheDaemonCannotUse(t *testing.T) {
	for name, c := range map[string]struct {
		url     string
		trouble daemonapi.Trouble
		remedy  string
	}{
		"password":   {"ws://x", daemonapi.Trouble{Problem: "refused", Help: "correct store.user", Command: "doctor"}, "correct store.user"},
		"server":     {"ws://x", daemonapi.Trouble{Problem: "not available", Command: "doctor"}, "or start the server of store.url"},
		"disk":       {"", daemonapi.Trouble{Problem: "the disk is full", Command: "doctor"}, "memory daemon logs engine"},
		"damaged":    {"", daemonapi.Trouble{Problem: "the store's files are damaged", Command: "backup rebuild --yes"}, "memory backup rebuild --yes"},
		"unnamed":    {"", daemonapi.Trouble{Problem: "no engine"}, "memory daemon logs engine"},
		"newer":      {"", daemonapi.Trouble{Problem: "a newer version", Help: "claude plugin update x"}, "claude plugin update x"},
		"no network": {"", daemonapi.Trouble{Problem: "not installed", Help: "check the registry, then", Command: "setup engine install"}, "check the registry, then memory setup engine install"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPatient(t)
			p.answer(daemonapi.MethodStatus.Handle(func(context.Context, daemonapi.None) (daemonapi.StatusResult, error) {
				return daemonapi.StatusResult{State: "waiting", Trouble: &c.trouble}, nil
			}))
			p.startDaemon()
			p.put(noon)
			d := p.doctor()
			d.Config.Store.URL = c.url
			findings := d.Examine(t.Context())
			if f := find(t, findings, "store"); f.Severity != doctor.Error ||
				!strings.HasPrefix(f.Message, c.trouble.Problem) || !strings.Contains(f.Remedy, c.remedy) {
				t.Errorf("got %+v", f)
			}
			musttest.Same(t, []string{"store", "waiting"}, checksOf(findings), "found (-want +got)")
		})
	}
}

// TestAStoreWithoutADaemonIsExaminedByOne starts it, and says if that is not possible.
func TestAStoreWithoutADaemonIsExaminedByOne(t *testing.T) {
	p := newPatient(t)
	musttest.Do(p.t, os.MkdirAll(filepath.Dir(p.layout.Data()), 0o700))
	musttest.Do(p.t, engine.WriteDataFormat(p.layout.Data(), "3.0.2"))
	d := p.doctor()
	d.Start = func(context.Context) error { return errors.New("it has ended") }
	if f := find(t, d.Examine(t.Context()), "store"); f.Severity != doctor.Error || !strings.Contains(f.Message, "it has ended") {
		t.Errorf("got %+v", f)
	}
	p.put(noon)
	if left := checksOf(p.doctor().Examine(t.Context())); left != nil { // the daemon stores what waits
		t.Errorf("left: %q", left)
	}
}

func TestADaemonThatIsNotWell(t *testing.T) {
	t.Run("one that holds its lock and does not listen", func(t *testing.T) {
		p := newPatient(t)
		p.write("home/run/memoryd.pid", strconv.Itoa(os.Getpid()))
		lock := flock.New(p.layout.Lock())
		if free, err := lock.TryLock(); !free || err != nil {
			t.Fatal(free, err)
		}
		defer func() { _ = lock.Unlock() }()
		f := find(t, p.doctor().Examine(t.Context()), "daemon")
		if f.Severity != doctor.Error || !strings.Contains(f.Remedy, "kill "+strconv.Itoa(os.Getpid())) {
			t.Errorf("got %+v", f)
		}
	})
	t.Run("one that leaves events in the spool", func(t *testing.T) {
		p := newPatient(t)
		p.startDaemon()
		p.put(noon.Add(-time.Hour))
		d := p.doctor()
		if f := find(t, d.Examine(t.Context()), "waiting"); f.Remedy != "memory daemon ingest" || !strings.Contains(f.Message, "though the daemon is ready") {
			t.Errorf("got %+v", f)
		}
	})
}

// TestAFreshHomeIsLeftAlone is about somebody who asks before the first session.
func TestAFreshHomeIsLeftAlone(t *testing.T) {
	p := newPatient(t)
	musttest.Do(p.t, os.RemoveAll(p.layout.Home))
	d := p.doctor()
	d.Start = func(context.Context) error {
		t.Error("a daemon was started, and makes a store")
		return nil
	}
	for _, f := range d.Examine(t.Context()) {
		musttest.Same(t, doctor.Info, f.Severity, "found %+v", f)
	}
	musttest.Is(t, fs.ErrNotExist, musttest.Err(os.Stat(p.layout.Home)), "the examination has made the home")
}

// The first session makes a home, if that can be done.
func TestAHomeThatCannotBeIsAFinding(t *testing.T) {
	if _, err := os.Stat("/proc/self"); err != nil {
		t.Skip("nobody can write to /proc, and there is none here")
	}
	d := newPatient(t).doctor()
	d.Paths.Home = "/proc/no/home"
	if f := find(t, d.Examine(t.Context()), "home"); f.Severity != doctor.Error || !strings.Contains(f.Message, "cannot be created") {
		t.Errorf("found %+v", f)
	}
}
