package main

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"
	"runtime/pprof"
	"os/exec"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal"
	"log/slog"
)

func cpuOf(pid int) float64 {
	out, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	var name string; var st string; var v [11]int64
	fmt.Sscanf(string(out[len(fmt.Sprint(pid))+1:]), "%s %s %d %d %d %d %d %d %d %d %d %d %d", &name, &st, &v[0],&v[1],&v[2],&v[3],&v[4],&v[5],&v[6],&v[7],&v[8],&v[9],&v[10])
	return float64(v[9]+v[10])/100
}

func TestLab(t *testing.T) {
	ctx := context.Background()
	n := 10000
	if os.Getenv("LABN") != "" { fmt.Sscan(os.Getenv("LABN"), &n) }
	bed, err := openTestbed(ctx)
	if err != nil { t.Fatal(err) }
	defer func() { bed.close(ctx) }()
	f, _ := os.Create("/tmp/cb/cpu.pprof")
	l := newLife(1, 20, bed.counter, time.Now())
	pprof.StartCPUProfile(f)
	t0 := time.Now()
	if err := l.fill(ctx, bed.store, n); err != nil { t.Fatal(err) }
	pprof.StopCPUProfile(); f.Close()
	fmt.Println("fill", time.Since(t0), "engine cpu", cpuOf(bed.supervisor.Pid()), "self cpu", cpuOf(os.Getpid()))
	ts := &timedStore{Store: bed.store, pid: bed.supervisor.Pid()}
	a := &agent.Agent{Store: ts, Counter: bed.counter, Config: config.Default(), Log: slog.New(slog.DiscardHandler), Now: time.Now}
	phase := func(name string, all, force bool) {
		f, _ := os.Create("/tmp/cb/cpu-"+name+".pprof")
		pprof.StartCPUProfile(f)
		for _, job := range consolidate.Jobs() {
			ts.spent, ts.calls = map[string]float64{}, map[string]int{}
			e0, s0, w0 := cpuOf(bed.supervisor.Pid()), cpuOf(os.Getpid()), time.Now()
			runs, err := a.Consolidate(ctx, agentapi.ConsolidateParams{Job: job, Trigger: "manual", All: all, Force: force})
			if err != nil { t.Fatal(err) }
			fmt.Printf("%s %s wall %.2f engine %.2f self %.2f examined %d changed %d\n", name, job, time.Since(w0).Seconds(), cpuOf(bed.supervisor.Pid())-e0, cpuOf(os.Getpid())-s0, runs[0].Examined, runs[0].Changed)
			for name, sec := range ts.spent { if sec > 0.04 { fmt.Printf("      %s x%d %.2f\n", name, ts.calls[name], sec) } }
		}
		pprof.StopCPUProfile(); f.Close()
	}
	phase("first", false, true)
	phase("settle", false, true)
	phase("settle2", false, true)
	if err := l.change(ctx, bed.store, 1000); err != nil { t.Fatal(err) }
	phase("incremental", false, false)
	phase("idle", false, false)
	if os.Getenv("LABFULL") != "" { phase("full", true, false) }
	if to := os.Getenv("LABKEEP"); to != "" {
		bed.conn.Close(ctx); bed.supervisor.Stop(ctx)
		exec.Command("cp", "-a", bed.dir, to).Run()
		os.RemoveAll(bed.dir)
	}
}

type timedStore struct {
	memory.Store
	pid int
	spent map[string]float64
	calls map[string]int
}
func (s *timedStore) note(name string) func() {
	e := cpuOf(s.pid)
	return func() { s.spent[name] += cpuOf(s.pid)-e; s.calls[name]++ }
}
func (s *timedStore) Changed(ctx context.Context, after memory.Mark, limit int) ([]memory.Row, memory.Mark, error) { defer s.note("Changed")(); return s.Store.Changed(ctx, after, limit) }
func (s *timedStore) Rows(ctx context.Context, ids []string) ([]memory.Row, error) { defer s.note("Rows")(); return s.Store.Rows(ctx, ids) }
func (s *timedStore) Due(ctx context.Context, project string, reading float64, limit int) ([]memory.Row, error) { defer s.note("Due")(); return s.Store.Due(ctx, project, reading, limit) }
func (s *timedStore) Reschedule(ctx context.Context, due map[string]float64) error { defer s.note("Reschedule")(); return s.Store.Reschedule(ctx, due) }
func (s *timedStore) Candidates(ctx context.Context, keys map[string][]string) ([]string, error) { defer s.note("Candidates")(); return s.Store.Candidates(ctx, keys) }
func (s *timedStore) PlaceTotals(ctx context.Context, project string, since time.Time) ([]memory.PlaceTotal, error) { defer s.note("PlaceTotals")(); return s.Store.PlaceTotals(ctx, project, since) }
func (s *timedStore) InSight(ctx context.Context, p memory.Place) ([]memory.Row, error) { defer s.note("InSight")(); return s.Store.InSight(ctx, p) }
func (s *timedStore) Deeds(ctx context.Context, project string, sessions int) ([]memory.Deed, error) { defer s.note("Deeds")(); return s.Store.Deeds(ctx, project, sessions) }
func (s *timedStore) Commit(ctx context.Context, c memory.Commit) ([]string, error) { defer s.note("Commit")(); return s.Store.Commit(ctx, c) }
func (s *timedStore) ActiveDays(ctx context.Context) (map[string][]string, error) { defer s.note("ActiveDays")(); return s.Store.ActiveDays(ctx) }
func (s *timedStore) Ingest(ctx context.Context, b memory.Batch) error { defer s.note("Ingest")(); return s.Store.Ingest(ctx, b) }
var _ = engine.Start
var _ = surreal.Open
