package consolidate_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy/rules"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/storetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// childVariable holds, in a process that is to be killed, its task.
const childVariable = "CONSOLIDATE_CHILD"

// task is the work of a child: a daemon's start, and one job.
type task struct {
	Endpoint            engine.Endpoint
	Namespace, Database string
	Job                 string
}

// child runs a job, and reports the beginning and the end of each write.
func child(text string) int {
	var t task
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	ctx := context.Background()
	conn := t.open()
	defer func() { _ = conn.Close(ctx) }()
	r := crashRunner(&reportingStore{Store: surreal.NewStore(conn)})
	_, err := r.Recover(ctx)
	if err == nil {
		_, err = r.Run(ctx, consolidate.Request{Job: t.Job, Trigger: "cron"})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func (t task) open() *wire.Conn {
	return wire.Open(wire.Options{
		Locate:    func(context.Context) (wire.Endpoint, error) { return wire.Endpoint(t.Endpoint), nil },
		Namespace: t.Namespace, Database: t.Database,
	})
}

// crashPage makes many steps of little data.
const crashPage = 4

var crashTime = noon.AddDate(0, 0, 45)

func crashRunner(store storetest.Store) *consolidate.Runner {
	limits := rules.Default()
	limits.LargestShare = 1
	return &consolidate.Runner{
		Store: store, Counter: wordCounter{}, Now: func() time.Time { return crashTime }, CloseAfter: 24 * time.Hour,
		Rules: limits, Page: crashPage,
	}
}

// reportingStore reports the writes of a job, and the leases that it acquires.
type reportingStore struct {
	storetest.Store
	writes int
}

func (s *reportingStore) report(write func() error) error {
	s.writes++
	fmt.Println("begins", s.writes)
	err := write()
	fmt.Println("done", s.writes)
	return err
}

func (s *reportingStore) Lease(ctx context.Context, l memory.Lease, d time.Duration) (memory.Lease, error) {
	lease, err := s.Store.Lease(ctx, l, d)
	if l.Token == 0 {
		fmt.Println("lease", lease.Name, lease.Holder, lease.Token)
	}
	return lease, err
}

func (s *reportingStore) Commit(ctx context.Context, c memory.Commit) (skipped []string, err error) {
	if len(c.Run.Actions) == 0 {
		return s.Store.Commit(ctx, c)
	}
	return skipped, s.report(func() error {
		skipped, err = s.Store.Commit(ctx, c)
		return err
	})
}

func (s *reportingStore) Ingest(ctx context.Context, b memory.Batch) error {
	return s.report(func() error { return s.Store.Ingest(ctx, b) })
}

// database is a store on the engine that children can be let loose on.
type database struct {
	task task
	*surreal.Store
}

func newDatabase(t *testing.T) database {
	t.Helper()
	d := database{task: task{Endpoint: enginetest.Endpoint(t)}}
	store, where := surrealtest.Open(t)
	d.Store, d.task.Namespace, d.task.Database = store, where.Namespace, where.Database
	return d
}

const crashProjects = 24

// prepare gives every job something to do in each of many projects.
func prepare(t *testing.T, store storetest.Store, counted bool) {
	t.Helper()
	for n := range crashProjects {
		key := fmt.Sprintf("p%02d", n)
		var events []memory.Event
		happens := func(session int, e memory.Event) {
			e.At = noon.Add(time.Duration(n*100+len(events)) * time.Minute)
			e.ID, e.Session = fmt.Sprintf("%016x", e.At.UnixNano()), fmt.Sprint(key, "-", session)
			e.Project = memory.Project{Key: key, Name: key, Root: "/" + key}
			events = append(events, e)
		}
		for session := range 3 {
			happens(session, memory.Event{Kind: memory.EventRemembered, RememberedKind: memory.KindDiscovery, Text: "make " + key + " needs redis"})
		}
		happens(0, memory.Event{Kind: memory.EventRemembered, RememberedKind: memory.KindNote, Text: "The gateway of " + key + " retries on a connection error."})
		happens(1, memory.Event{Kind: memory.EventRemembered, RememberedKind: memory.KindNote, Text: "the gateway of " + key + " retries on a connection error!"})
		batch := ingest.Batch(events, wordCounter{})
		for i := range batch.Memories {
			m := &batch.Memories[i]
			if !counted {
				m.TokenEncoding = "another"
			}
		}
		for day := range 40 {
			batch.Days = append(batch.Days, memory.ActiveDay{Project: key, Day: noon.AddDate(0, 0, day+1).Format(time.DateOnly)})
		}
		if err := store.Ingest(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
}

// kills are one for each job in make test, the next job at the next instant, and ten in make chaos.
var kills = flag.Int("kills", 1, "how often TestKilledInTheMiddleOfEachJob kills a job")

// TestKilledInTheMiddleOfEachJob kills a process several times while it runs a job,
// just before, during or after one of its writes. Each time the applied changes are the recorded
// ones, and every row is as before the job or as the job leaves it. After the
// job has run to its end, everything is as if it had never been killed.
func TestKilledInTheMiddleOfEachJob(t *testing.T) {
	enginetest.Endpoint(t) // there is one, or the test is skipped
	for n, job := range schedule.JobNames() {
		t.Run(job, func(t *testing.T) {
			t.Parallel()
			killJob(t, job, n)
		})
	}
}

func killJob(t *testing.T, job string, first int) {
	d, reference := newDatabase(t), surrealtest.Empty(t)
	for _, store := range []storetest.Store{d, reference} {
		prepare(t, store, job != schedule.Recount)
	}
	d.task.Job = job
	before := dumpOf(t, d)
	if diff := cmp.Diff(dumpOf(t, reference), before, sameStates); diff != "" {
		t.Fatalf("before the job (-reference +engine):\n%s", diff)
	}
	done, err := crashRunner(reference).Run(t.Context(), consolidate.Request{Job: job, Trigger: "cron"})
	if err != nil || done.Changed < crashProjects {
		t.Fatalf("the reference: %+v, %v", done, err)
	}
	after := dumpOf(t, reference)
	for round := range *kills {
		d.kill(t, []string{"begins 1", "done 1", "begins 2"}[(first+round)%3])
		d.await(t, fmt.Sprintf("the store to be in order after kill %d", round+1), func() string { return disorder(t, d, before, after) })
		if diff := cmp.Diff(after, dumpOf(t, d), sameStates); diff == "" {
			t.Fatalf("after kill %d nothing was left to do: it was not in the middle", round+1)
		}
	}
	if err := d.start(t).Run(); err != nil {
		t.Fatalf("the last run: %v", err)
	}
	if diff := cmp.Diff(after, dumpOf(t, d), sameStates); diff != "" {
		t.Errorf("in the end (-never killed +killed):\n%s", diff)
	}
	if open, err := d.Runs(t.Context(), memory.RunQuery{Open: true}); err != nil || len(open) > 0 {
		t.Errorf("runs that are still open: %+v, %v", open, err)
	}
}

// start makes a child's command.
func (d database) start(t *testing.T) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(d.task)
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = []string{childVariable + "=" + string(text), "HOME=" + filepath.Join(t.TempDir(), "home")}
	cmd.Stderr = os.Stderr
	return cmd
}

// kill starts a child, kills it at a certain line of its report, and expires its lease, as time
// would.
func (d database) kill(t *testing.T, at string) {
	t.Helper()
	cmd := d.start(t)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var leases []memory.Lease
	isThere := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var lease memory.Lease
		if n, _ := fmt.Sscanf(lines.Text(), "lease %s %s %d", &lease.Name, &lease.Holder, &lease.Token); n == 3 {
			leases = append(leases, lease)
		}
		if lines.Text() == at {
			isThere = true
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // always an error: it was killed
	if !isThere {
		t.Fatalf("the child ended without reporting %q", at)
	}
	for _, lease := range leases {
		if _, err := d.Lease(t.Context(), lease, 0); err != nil {
			t.Fatal(err)
		}
	}
}

// await polls until a store is in order; work of the engine for a killed child may still be
// under way.
func (d database) await(t *testing.T, name string, disorder func() string) {
	t.Helper()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for {
		problem := disorder()
		if problem == "" {
			return
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Fatalf("waited in vain for %s: %s", name, problem)
		}
	}
}

// dump is the part of a store that jobs change.
type dump struct {
	Rows     map[string]memory.State
	Sessions map[string]memory.Session
}

var sameStates = cmp.Comparer(func(a, b memory.State) bool { return len(a.Changed(b)) == 0 })

func dumpOf(t *testing.T, store storetest.Store) dump {
	t.Helper()
	d := dump{Rows: states(rowsOf(t, store)), Sessions: map[string]memory.Session{}}
	for after := ""; ; {
		page, err := store.Export(t.Context(), memory.ExportQuery{Section: memory.SectionSession, After: after})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range page.Sessions {
			s.PromptCount = 0
			d.Sessions[s.ID] = s
		}
		if after = page.Next; after == "" {
			return d
		}
	}
}

// disorder describes a row that is neither as before a job nor as after it, or a difference
// between the recorded and the actual changes.
func disorder(t *testing.T, store storetest.Store, before, after dump) string {
	t.Helper()
	now := dumpOf(t, store)
	var done []string
	for id := range maps.Keys(after.Rows) {
		was, wasThere := before.Rows[id]
		is, isThere := now.Rows[id]
		switch {
		case isThere == wasThere && len(is.Changed(was)) == 0:
		case isThere && len(is.Changed(after.Rows[id])) == 0:
			done = append(done, id)
		default:
			return fmt.Sprintf("memory %s was\n%+v\nand is\n%+v", id, was, is)
		}
	}
	for id, was := range before.Sessions {
		is, end := now.Sessions[id], after.Sessions[id]
		summed := was
		summed.Summary = end.Summary
		if !slices.Contains([]string{sessionText(was), sessionText(summed), sessionText(end)}, sessionText(is)) {
			return fmt.Sprintf("session %s was\n%+v\nand is\n%+v", id, was, is)
		}
	}
	recorded := recordedChanges(t, store)
	slices.Sort(done)
	if !slices.Equal(done, recorded) {
		return fmt.Sprintf("changed were %d memories, recorded are %d", len(done), len(recorded))
	}
	return ""
}

func sessionText(s memory.Session) string {
	text, _ := json.Marshal(s)
	return string(text)
}

// recordedChanges are the memories that the records of runs list as changed, sorted.
func recordedChanges(t *testing.T, store storetest.Store) []string {
	t.Helper()
	runs, err := store.Runs(t.Context(), memory.RunQuery{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, run := range runs {
		whole, err := memory.RunOf(t.Context(), store, run.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range whole.Actions {
			ids = append(ids, a.Memory)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// TestAnUndoThatWasKilledIsFinished: half of an undo is nothing that anybody asked
// for, so the next start does the rest.
func TestAnUndoThatWasKilledIsFinished(t *testing.T) {
	store := surrealtest.Empty(t)
	prepare(t, store, true)
	before := dumpOf(t, store)
	run, err := crashRunner(store).Run(t.Context(), consolidate.Request{Job: schedule.Dedup, Trigger: "manual"})
	if err != nil || len(run.Actions) <= 2*crashPage {
		t.Fatalf("run %+v, %v", run, err)
	}
	dying := &dyingStore{Store: store}
	dying.commits.Store(2)
	if _, err := crashRunner(dying).Undo(t.Context(), run.ID, "manual"); !errors.Is(err, errDied) {
		t.Fatalf("error %v, want that of the death", err)
	}
	if diff := cmp.Diff(before, dumpOf(t, store), sameStates); diff == "" {
		t.Fatal("the undo was done before it was interrupted: nothing is tested")
	}
	// The memory store's leases end by the clock of the machine; a dead holder's is
	// given up here.
	dying.letGo(t)
	recovered, err := crashRunner(store).Recover(t.Context())
	if err != nil || len(recovered.Again)+len(recovered.Held) > 0 {
		t.Errorf("recovered %+v, %v", recovered, err)
	}
	if diff := cmp.Diff(before, dumpOf(t, store), sameStates); diff != "" {
		t.Errorf("after the recovery (-before the run +after):\n%s", diff)
	}
	if open, err := store.Runs(t.Context(), memory.RunQuery{Open: true}); err != nil || len(open) > 0 {
		t.Errorf("runs that are still open: %+v, %v", open, err)
	}
}

var errDied = errors.New("the process died")

// dyingStore dies after so many commits of actions: nothing reaches it any more.
type dyingStore struct {
	storetest.Store
	commits atomic.Int64
	lease   memory.Lease
}

func (s *dyingStore) Commit(ctx context.Context, c memory.Commit) ([]string, error) {
	if len(c.Run.Actions) > 0 {
		s.commits.Add(-1)
	}
	if s.commits.Load() < 0 {
		return nil, errDied
	}
	return s.Store.Commit(ctx, c)
}

func (s *dyingStore) Lease(ctx context.Context, l memory.Lease, d time.Duration) (_ memory.Lease, err error) {
	if d == 0 {
		return l, errDied
	}
	s.lease, err = s.Store.Lease(ctx, l, d)
	return s.lease, err
}

func (s *dyingStore) letGo(t *testing.T) {
	t.Helper()
	if _, err := s.Store.Lease(t.Context(), s.lease, 0); err != nil {
		t.Fatal(err)
	}
}

// A run that died after the first of several projects leaves the others to the next
// one: the cursor of the job is not ahead of its commits.
func TestAnInterruptedRunLeavesTheRestToTheNext(t *testing.T) {
	for _, job := range []string{schedule.Recount, schedule.Dedup, schedule.Promote, schedule.Prune} {
		t.Run(job, func(t *testing.T) {
			store, reference := surrealtest.Empty(t), surrealtest.Empty(t)
			for _, one := range []storetest.Store{store, reference} {
				prepare(t, one, job != schedule.Recount)
			}
			budgeted := func(store storetest.Store) *consolidate.Runner {
				r := crashRunner(store)
				r.Rules.ProjectBudget = 10
				if job == schedule.Prune { // for lack of room only
					r.Now = func() time.Time { return noon.AddDate(0, 0, 2) }
				}
				return r
			}
			for died := 0; ; died++ {
				dying := &dyingStore{Store: store}
				dying.commits.Store(1)
				_, err := budgeted(dying).Run(t.Context(), consolidate.Request{Job: job, Trigger: "cron"})
				dying.letGo(t)
				if !errors.Is(err, errDied) {
					t.Fatal(err)
				}
				if died == 10 {
					break
				}
			}
			for _, one := range []storetest.Store{store, reference} {
				if _, err := budgeted(one).Run(t.Context(), consolidate.Request{Job: job, Trigger: "cron"}); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(dumpOf(t, reference), dumpOf(t, store), sameStates); diff != "" {
				t.Errorf("(-never interrupted +interrupted):\n%s", diff)
			}
			runs, err := store.Runs(t.Context(), memory.RunQuery{Limit: 100})
			if err != nil {
				t.Fatal(err)
			}
			ended := 0
			for _, run := range runs {
				if run.EndedAt.IsZero() {
					t.Errorf("run %s is still open", run.ID)
				}
				ended += strings.Count(run.Error, "interrupted")
			}
			if ended != 11 {
				t.Errorf("%d runs are noted as interrupted", ended)
			}
		})
	}
}
