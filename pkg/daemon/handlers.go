package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/purged"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// readyTime limits how long a request waits for a store that starts or is installed. Hooks set their own limit.
const readyTime = 20 * time.Second

// statusTime limits how long a status, which must be answered within two seconds, waits for the store.
const statusTime = time.Second

func (s *Service) handlers() []daemonapi.Handler {
	a := s.Daemon
	return []daemonapi.Handler{
		// The methods of hooks.
		daemonapi.MethodHello.Handle(s.hello),
		daemonapi.MethodPing.Handle(s.ping),
		daemonapi.MethodSpooled.Handle(s.spooled),
		daemonapi.MethodPlanSubagent.Handle(s.planSubagent),
		daemonapi.MethodIdle.Handle(s.idle),
		daemonapi.MethodSessionContext.Handle(s.sessionContext),
		daemonapi.MethodRecall.Handle(s.recall),
		// The state of the daemon.
		daemonapi.MethodStatus.Handle(s.status),
		daemonapi.MethodStop.Handle(s.end),
		daemonapi.MethodDashboard.Handle(s.dashboard),
		// New events and changes by hand.
		whenReady(s, daemonapi.MethodIngest, func(ctx context.Context, _ daemonapi.None) (daemonapi.IngestResult, error) {
			return a.Intake.Ingest(ctx)
		}),
		whenReady(s, daemonapi.MethodImport, a.Intake.Import),
		whenReady(s, daemonapi.MethodRemember, a.Intake.IngestOne),
		whenReady(s, daemonapi.MethodAmend, a.Intake.Amend),
		// The questions of people and models.
		whenReady(s, daemonapi.MethodMemories, s.memories),
		whenReady(s, daemonapi.MethodSessions, s.sessions),
		whenReady(s, daemonapi.MethodSession, func(ctx context.Context, id string) (memory.SessionRecord, error) {
			return memory.RecordOf(ctx, a.store, id)
		}),
		whenReady(s, daemonapi.MethodKnownSessions, a.Intake.KnownSessions),
		whenReady(s, daemonapi.MethodExport, s.export),
		whenReady(s, daemonapi.MethodFind, a.Answers.Find),
		whenReady(s, daemonapi.MethodFetch, a.Answers.Fetch),
		whenReady(s, daemonapi.MethodList, a.Answers.List),
		whenReady(s, daemonapi.MethodExplain, a.Answers.Explain),
		whenReady(s, daemonapi.MethodWhy, a.Answers.Why),
		whenReady(s, daemonapi.MethodAnswer, a.Answers.Answer),
		// Projects.
		whenReady(s, daemonapi.MethodProjects, a.Projects.List),
		whenReady(s, daemonapi.MethodKeys, a.Projects.Keys),
		whenReady(s, daemonapi.MethodPlace, s.place),
		whenReady(s, daemonapi.MethodMergeProjects, a.Projects.Merge),
		whenReady(s, daemonapi.MethodPurgeProject, a.Projects.Purge),
		whenReady(s, daemonapi.MethodScrub, a.Scrub.Run),
		// Maintenance.
		whenReady(s, daemonapi.MethodConsolidate, a.Upkeep.Consolidate),
		whenReady(s, daemonapi.MethodUndo, a.Upkeep.Undo),
		whenReady(s, daemonapi.MethodRun, func(ctx context.Context, id string) (memory.Run, error) { return memory.RunOf(ctx, a.store, id) }),
		whenReady(s, daemonapi.MethodRuns, func(ctx context.Context, limit int) ([]memory.Run, error) {
			return a.store.Runs(ctx, memory.RunQuery{Limit: limit})
		}),
		whenReady(s, daemonapi.MethodBackup, a.Upkeep.Backup),
		// Distillation.
		whenReady(s, daemonapi.MethodDistill, a.Distiller.Distill),
		whenReady(s, daemonapi.MethodDistillEstimate, a.Distiller.Estimate),
		whenReady(s, daemonapi.MethodSpend, a.Distiller.Spend),
	}
}

// whenReady returns a handler that answers once the store is ready, after replacing the key of a merged project in the
// parameters. It fails with memory.ErrUnavailable if the store is not ready within readyTime.
func whenReady[P, R any](s *Service, method daemonapi.Method[P, R], answer func(context.Context, P) (R, error)) daemonapi.Handler {
	return method.Handle(func(ctx context.Context, params P) (result R, err error) {
		waiting, cancel := context.WithTimeout(ctx, readyTime)
		defer cancel()
		s.touch()
		if err := s.ready(waiting, true); err != nil {
			return result, err
		}
		s.resolveProject(&params)
		result, err = answer(ctx, params)
		s.suspect(err)
		return result, err
	})
}

func (s *Service) memories(ctx context.Context, f memory.Filter) ([]daemonapi.Listed, error) {
	rows, err := s.Daemon.store.Rows(ctx, f)
	listed := memory.Each(rows, func(row memory.Row) daemonapi.Listed {
		return daemonapi.Listed{Memory: s.Daemon.Briefing.Count(row.Memory), SupersededBy: row.SupersededBy}
	})
	return listed, err
}

// await records that a hook uses the daemon, and does what ready does. It fails at once while the engine is being installed.
func (s *Service) await(ctx context.Context) error {
	s.touch()
	return s.ready(ctx, false)
}

// resolveProject replaces the key of a merged project in params.
func (s *Service) resolveProject(params any) {
	aliases := s.Daemon.Projects.Aliases
	daemonapi.ResolveProject(params, func(key string) string {
		return aliases.Resolve(aliases.Places.Here(key, key, time.Now()))
	})
}

func (s *Service) spooled(_ context.Context, p daemonapi.SpooledParams) (daemonapi.None, error) {
	s.touch()
	if s.Daemon.layout.IsFallbackSpool(p.Spool) {
		s.Daemon.Intake.Spools.Add(p.Spool)
	}
	s.nudge()
	return daemonapi.None{}, nil
}

func (s *Service) sessionContext(ctx context.Context, p daemonapi.SessionContextParams) (daemonapi.ContextResult, error) {
	waiting, cancel := context.WithTimeout(ctx, milliseconds(p.WaitMS))
	defer cancel()
	err := s.await(waiting)
	var result daemonapi.ContextResult
	if err == nil {
		s.Daemon.Projects.Aliases.Places.LookAgain(p.Root)
		isSeen := s.recordPlace(waiting, p.Project, p.Root)
		key := p.Project
		if s.resolveProject(&p); s.isOff(key, p.Project, p.Root, isSeen) {
			result.Doubt = s.Daemon.Projects.Aliases.Places.OffNotice(key, p.Root)
			return result, nil
		}
		if p.Source == "clear" {
			s.readEnded(waiting)
		}
		result, err = s.Daemon.Briefing.SessionContext(waiting, p)
		result.Doubt = s.doubt(waiting, key, p.Root, false)
		if s.Daemon.Intake.Purged().HasSession(p.Session) {
			result.Doubt = purged.GoneSession
		}
	}
	if err == nil {
		if line, run := s.Daemon.Told.Next(waiting, p.Project); line != "" {
			result.Kept, result.KeptCommand = line, "undo "+run
		}
	}
	if result.Trouble = s.lastingTrouble(); result.Trouble != nil {
		return result, nil
	}
	return result, err
}

// longestRead is how long a start waits for readEnded, of which a transcript of 90 MB took a second.
const longestRead = 500 * time.Millisecond

// readEnded reads the transcript of the session that ended when this one began by /clear: what was rewound there must not be given here.
// It returns after longestRead at the latest; the reading goes on.
func (s *Service) readEnded(ctx context.Context) {
	read := make(chan struct{})
	s.background.Go(func() {
		defer close(read)
		work := context.WithoutCancel(ctx) // TakeBack ends by itself, and an interrupted reading would not be tried again
		if _, err := s.Daemon.Intake.Ingest(work); err == nil {
			s.Daemon.Intake.TakeBack(work)
		}
	})
	select {
	case <-read:
	case <-time.After(longestRead):
	}
}

func (s *Service) recall(ctx context.Context, p daemonapi.RecallParams) (daemonapi.ContextResult, error) {
	waiting, cancel := context.WithTimeout(ctx, milliseconds(p.WaitMS))
	defer cancel()
	if err := s.await(waiting); err != nil {
		return daemonapi.ContextResult{}, err
	}
	isSeen := s.recordPlace(waiting, p.Project, p.Root)
	key := p.Project
	if s.resolveProject(&p); s.isOff(key, p.Project, p.Root, isSeen) {
		return daemonapi.ContextResult{}, nil
	}
	result, err := s.Daemon.Briefing.Recall(waiting, p)
	if err != nil || !p.ReportKept || p.Subagent != "" {
		return result, err
	}
	if result.Kept, result.KeptCommand = s.Daemon.Intake.NotKept(p.Session, p.Text); result.Kept != "" {
		return result, nil
	}
	if result.Kept = s.Daemon.Briefing.Remembered(waiting, p); result.Kept != "" {
		result.KeptCommand = "open"
	}
	return result, nil
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

func (s *Service) planSubagent(_ context.Context, p daemonapi.PlanSubagentParams) (daemonapi.None, error) {
	s.touch()
	s.Daemon.Sessions.ExpectSubagent(p.Session, p.Type, p.Task)
	return daemonapi.None{}, nil
}

// idle triggers maintenance and distillation if the store is ready.
func (s *Service) idle(ctx context.Context, _ daemonapi.None) (daemonapi.None, error) {
	s.touch()
	if s.isReady() {
		s.Daemon.Upkeep.Idle(ctx)
		s.Daemon.Distiller.Work(ctx)
	}
	return daemonapi.None{}, nil
}

// export returns a page of an export. Before the first page it stores the spooled events.
func (s *Service) export(ctx context.Context, q memory.ExportQuery) (memory.ExportPage, error) {
	if q.After == "" {
		if _, err := s.Daemon.Intake.Ingest(ctx); err != nil {
			return memory.ExportPage{}, err
		}
	}
	if err := s.Daemon.Intake.LearnAliases(ctx); err != nil { // another daemon may have merged projects
		return memory.ExportPage{}, err
	}
	s.resolveProject(&q)
	page, err := s.Daemon.store.Export(ctx, q)
	if err != nil {
		return page, err
	}
	for i, one := range page.Projects {
		page.Projects[i].Parts = s.Daemon.Projects.Aliases.Places.Addresses(one.Key)
	}
	page.Fates, err = s.fates(ctx, page.Memories)
	return page, err
}

func (s *Service) fates(ctx context.Context, memories []memory.Memory) (map[string]memory.Fate, error) {
	ids := memory.Each(memories, func(m memory.Memory) string { return m.ID })
	if len(ids) == 0 {
		return nil, nil
	}
	decisions, err := s.Daemon.store.Decisions(ctx, ids)
	if err != nil {
		return nil, err
	}
	rows, err := s.Daemon.store.Rows(ctx, memory.WithIDs(ids))
	last, fates := memory.LastDecisions(decisions), map[string]memory.Fate{}
	for _, row := range rows {
		fates[row.Memory.ID] = memory.FateOf(row, last[row.Memory.ID])
	}
	return fates, err
}

func (s *Service) sessions(ctx context.Context, p daemonapi.SessionsParams) (found []memory.Session, err error) {
	store := s.Daemon.store
	switch {
	case p.Words != "":
		found, err = s.Daemon.Answers.Nearest(ctx, p.Project, p.Words, p.Limit)
	case p.File != "":
		found, err = s.Daemon.Answers.Changed(ctx, p.Project, p.File, p.Limit)
	case p.ID != "":
		found, err = memory.SessionsNamed(ctx, store, p.Project, p.ID)
		found = found[:min(p.Limit, len(found))]
	default:
		found, err = store.Sessions(ctx, memory.LastSessions{Project: p.Project, Limit: p.Limit, Counted: true})
	}
	var unnamed []string
	at := map[string]int{}
	for i, one := range found {
		if at[one.ID] = i; one.Summary.Text == "" && one.PromptCount > 0 {
			unnamed = append(unnamed, one.ID)
		}
	}
	for some := range slices.Chunk(unnamed, mostNamed) {
		records, unread := store.Records(ctx, memory.RecordsOf(some))
		err = cmp.Or(err, unread)
		for _, one := range records {
			if len(one.Prompts) > 0 {
				found[at[one.Session.ID]].First = one.Prompts[0].Text
			}
		}
	}
	return found, err
}

// mostNamed is the maximum number of sessions whose records are read at once for their first prompts.
const mostNamed = 100

func (s *Service) dashboard(ctx context.Context, p daemonapi.DashboardParams) (daemonapi.DashboardResult, error) {
	s.touch()
	return s.Dashboard(ctx, p)
}

// Ask answers a call from this process, such as the dashboard's, as if it came from another program.
func (s *Service) Ask(ctx context.Context, call daemonapi.Call) error { return s.server.Ask(ctx, call) }

// seeTime limits how long an answer waits for git, which is asked once per folder.
const seeTime = 100 * time.Millisecond

// recordPlace records that a folder belongs to a project. It waits at most seeTime for that, and reports whether it is done.
func (s *Service) recordPlace(ctx context.Context, key, root string) bool {
	seen := s.Daemon.Projects.Aliases.Places
	done := make(chan struct{})
	s.background.Go(func() {
		defer close(done)
		seen.Record(context.WithoutCancel(ctx), key, root)
	})
	select {
	case <-done:
		return true
	case <-time.After(seeTime):
	case <-ctx.Done():
	}
	return false
}

// isOff reports whether a project, or the project that it was merged into (whole), is switched off. The hook has only checked the key and
// the folder. If memory is off in any project, a folder that git has not identified yet (isSeen is false) counts as off.
func (s *Service) isOff(key, whole, root string, isSeen bool) bool {
	seen := s.Daemon.Projects.Aliases.Places
	_, err := os.Lstat(seen.OffMarker(whole))
	return key != whole && err == nil || !isSeen && seen.IsAnyOff() || seen.WasOff(key, root, time.Now(), false)
}

func (s *Service) place(ctx context.Context, p daemonapi.PlaceParams) (daemonapi.PlaceResult, error) {
	seen := s.Daemon.Projects.Aliases.Places
	seen.Recheck(ctx, p.Key, p.Root)
	return daemonapi.PlaceResult{Key: seen.Here(p.Key, p.Root, time.Now()), Doubt: s.doubt(ctx, p.Key, p.Root, p.Always)}, nil
}

// doubt returns a line that names another project to which this folder may belong, or "". If the project has memories, always must be set.
func (s *Service) doubt(ctx context.Context, key, root string, always bool) string {
	aliases := s.Daemon.Projects.Aliases
	may := aliases.Resolve(aliases.Places.Doubt(key))
	if may == "" || aliases.Resolve(key) == may {
		return ""
	}
	known := "there are no memories of " + key + "; it"
	isOwn := func(m memory.Memory) bool { return m.Project != "" } // every index also has the memories of user scope
	if index, err := s.Daemon.Briefing.Index(ctx, key); err != nil || slices.ContainsFunc(index.Memories(), isOwn) {
		if known = key; !always {
			return ""
		}
	}
	return fmt.Sprintf("%s may be the project %s under another name: memory projects merge %s %s joins them", known, may, shell.Quote(may), shell.Quote(root))
}

func (s *Service) status(ctx context.Context, _ daemonapi.None) (daemonapi.StatusResult, error) {
	backlog, err := s.Daemon.Intake.SpooledCounts()
	if err != nil {
		return daemonapi.StatusResult{}, err
	}
	s.mu.Lock()
	result := daemonapi.StatusResult{Version: s.Version, PID: os.Getpid(), State: s.state, Reason: s.reason, Trouble: s.trouble}
	failing := !s.failing.IsZero()
	s.mu.Unlock()
	result.Engine = s.Engine()
	if trouble := s.engineTrouble(); trouble != nil && result.State == stateReady {
		result.State, result.Reason, result.Trouble = stateWaiting, trouble.Problem, trouble
	}
	result.Notice = s.notice(noticeTime)
	result.Spool = daemonapi.SpoolStatus{New: backlog.New, Claimed: backlog.Claimed, Dead: backlog.Dead}
	if result.State != stateReady {
		return result, nil
	}
	if failing {
		result.State = stateWaiting
	}
	ctx, cancel := context.WithTimeout(ctx, statusTime)
	defer cancel()
	counted, err := s.Daemon.store.Totals(ctx, memory.Counts(""))
	if errors.Is(err, memory.ErrUnavailable) {
		if !failing {
			result.Reason = err.Error()
		}
		return result, nil
	}
	result.Store = &counted.Stats
	if err == nil && ctx.Err() == nil && s.Daemon.Distiller.Enabled() {
		var distilled daemonapi.DistillStatus
		distilled, err = s.Daemon.Distiller.Status(ctx)
		result.Distill = &distilled
	}
	return result, err
}
