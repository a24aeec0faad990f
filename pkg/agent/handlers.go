package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// readyTime bounds how long a request waits for a store that is still being started or
// installed, so that requests of callers who gave up do not pile up. Requests of hooks
// have their own bound.
const readyTime = 20 * time.Second

// handlers is the table of the agent's methods, beside those of package answers.
func (s *Service) handlers() []agentapi.Handler {
	a := s.Agent
	always := []agentapi.Handler{
		// The methods of hooks.
		agentapi.MethodMeet.Handle(s.meet),
		agentapi.MethodPing.Handle(s.ping),
		agentapi.MethodSpooled.Handle(s.spooled),
		agentapi.MethodPlanSubagent.Handle(s.planSubagent),
		agentapi.MethodIdle.Handle(s.idle),
		agentapi.MethodSessionContext.Handle(s.sessionContext),
		agentapi.MethodRecall.Handle(s.recall),
		// How the agent is.
		agentapi.MethodStatus.Handle(s.status),
		agentapi.MethodBurst.Handle(func(context.Context, agentapi.None) (*agentapi.BurstStatus,
			error,
		) {
			return a.Upkeep.GivesWayTo(), nil
		}),
		agentapi.MethodStop.Handle(s.end),
		agentapi.MethodDashboard.Handle(s.dashboard),
		agentapi.MethodSwitchDistill.Handle(func(context.Context, agentapi.None) (agentapi.DistillState, error) {
			return s.Agent.Distiller.State(), nil
		}),
	}
	ready := []agentapi.Handler{
		// New events and changes by hand.
		agentapi.MethodIngest.Handle(s.ingestNow),
		agentapi.MethodImport.Handle(a.Intake.Import),
		agentapi.MethodKept.Handle(a.Intake.Kept),
		agentapi.MethodAmend.Handle(a.Intake.Amend),
		// The questions of people and models.
		agentapi.MethodMemories.Handle(func(ctx context.Context, f memory.Filter) ([]memory.Memory, error) {
			return memory.Memories(ctx, a.store, f)
		}),
		agentapi.MethodCount.Handle(a.store.CountMemories),
		agentapi.MethodSessions.Handle(s.sessions),
		agentapi.MethodSession.Handle(s.session),
		agentapi.MethodKnownSessions.Handle(a.Intake.KnownSessions),
		agentapi.MethodExport.Handle(s.export),
		// Projects.
		agentapi.MethodProjects.Handle(a.Projects.List),
		agentapi.MethodProjectNames.Handle(s.projectNames),
		agentapi.MethodPlace.Handle(s.place),
		agentapi.MethodMergeProjects.Handle(a.Projects.Merge),
		agentapi.MethodPurge.Handle(a.Projects.Purge),
		agentapi.MethodRescan.Handle(a.Rescan.Run),
		// Maintenance.
		agentapi.MethodConsolidate.Handle(a.Upkeep.Consolidate),
		agentapi.MethodUndo.Handle(a.Upkeep.Undo),
		agentapi.MethodRun.Handle(s.run),
		agentapi.MethodRuns.Handle(s.runs),
		agentapi.MethodBackup.Handle(s.backup),
		// Distillation.
		agentapi.MethodDistill.Handle(a.Distiller.Distill),
		agentapi.MethodDistillEstimate.Handle(a.Distiller.Estimate),
		agentapi.MethodSpend.Handle(a.Distiller.Spend),
	}
	for _, handler := range slices.Concat(ready, a.Answers.Handlers()) {
		always = append(always, handler.Within(s.whenReady))
	}
	return always
}

// whenReady waits for the store before a method is answered, at most readyTime, and
// resolves the key of a merged project.
func (s *Service) whenReady(ctx context.Context, params any, answer func() (any, error)) (any, error) {
	waiting, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	s.touch()
	if err := s.ready(waiting, true); err != nil {
		return nil, err
	}
	s.resolveProject(params)
	result, err := answer()
	s.suspect(err)
	return result, err
}

// await notes that a hook needs the agent, and waits for the store.
func (s *Service) await(ctx context.Context) error {
	s.touch()
	return s.ready(ctx, false)
}

// resolveProject replaces the key of a merged project in parameters that name one.
func (s *Service) resolveProject(params any) {
	agentapi.ResolveProject(params, s.Agent.Projects.Aliases.Resolve)
}

func (s *Service) spooled(_ context.Context, p agentapi.SpooledParams) (agentapi.None, error) {
	s.touch()
	if p.Spool != "" && s.IsFallback != nil && s.IsFallback(p.Spool) {
		s.Agent.Intake.Spools.Add(p.Spool)
	}
	s.nudge()
	return agentapi.None{}, nil
}

func (s *Service) sessionContext(ctx context.Context, p agentapi.SessionContextParams) (agentapi.ContextResult, error) {
	waiting, cancel := context.WithTimeout(ctx, milliseconds(p.WaitMS))
	defer cancel()
	err := s.await(waiting)
	var result agentapi.ContextResult
	if err == nil {
		s.see(waiting, p.Project, p.Root)
		key := p.Project
		if s.resolveProject(&p); s.isOff(key, p.Project) {
			return result, nil
		}
		result, err = s.Agent.Briefing.SessionContext(waiting, p)
		result.Doubt = s.doubt(waiting, key, p.Root)
	}
	if err == nil {
		if line, run := s.Agent.Told.Next(waiting, p.Project); line != "" {
			result.Kept, result.KeptCommand = line, "undo "+run
		}
	}
	if err == nil {
		s.background.Go(func() { s.Agent.Briefing.Warm(ctx, p.Project) })
	}
	if result.Trouble = s.lastingTrouble(); result.Trouble != nil {
		return result, nil
	}
	return result, err
}

func (s *Service) recall(ctx context.Context, p agentapi.RecallParams) (agentapi.ContextResult, error) {
	waiting, cancel := context.WithTimeout(ctx, milliseconds(p.WaitMS))
	defer cancel()
	if err := s.await(waiting); err != nil {
		return agentapi.ContextResult{}, err
	}
	s.see(waiting, p.Project, p.Root)
	s.resolveProject(&p)
	result, err := s.Agent.Briefing.Recall(waiting, p)
	if err == nil {
		if p.ReportKept && p.Subagent == "" {
			if result.Kept = s.Agent.Briefing.Remembered(waiting, p); result.Kept != "" {
				result.KeptCommand = "open"
			}
		}
		// The index may have grown so much that its chance score is to be measured again.
		s.background.Go(func() { s.Agent.Briefing.Warm(ctx, p.Project) })
	}
	return result, err
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

func (s *Service) planSubagent(_ context.Context, p agentapi.PlanSubagentParams) (agentapi.None, error) {
	s.touch()
	s.Agent.Sessions.Plan(p.Session, p.Type, p.Task)
	return agentapi.None{}, nil
}

// idle triggers maintenance, unless the store is not there.
func (s *Service) idle(ctx context.Context, _ agentapi.None) (agentapi.None, error) {
	s.touch()
	if s.isReady() {
		s.Agent.Upkeep.Idle(ctx)
		s.Agent.Distiller.Work(ctx)
	}
	return agentapi.None{}, nil
}

func (s *Service) ingestNow(ctx context.Context, _ agentapi.None) (agentapi.IngestResult, error) {
	done, err := s.Agent.Intake.Ingest(ctx)
	return agentapi.IngestResult{Events: done.Events, Dead: done.Dead}, err
}

// export returns a page of memories, after storing the events in the spools.
func (s *Service) export(ctx context.Context, q memory.ExportQuery) (memory.ExportPage, error) {
	if q.After == "" {
		if err := s.Agent.Intake.EmptySpools(ctx); err != nil {
			return memory.ExportPage{}, err
		}
	}
	if err := s.Agent.Intake.LearnAliases(ctx); err != nil { // another agent may have merged projects
		return memory.ExportPage{}, err
	}
	s.resolveProject(&q)
	page, err := s.Agent.store.Export(ctx, q)
	if err != nil {
		return page, err
	}
	return page, s.correct(ctx, &page)
}

// correct adds to a page which of its memories were corrected, and by which.
func (s *Service) correct(ctx context.Context, page *memory.ExportPage) error {
	var archived []string
	for _, m := range page.Memories {
		if m.Status == memory.StatusArchived {
			archived = append(archived, m.ID)
		}
	}
	if len(archived) == 0 {
		return nil
	}
	rows, err := s.Agent.store.Rows(ctx, memory.WithIDs(archived))
	for _, row := range rows {
		if row.SupersededBy == "" {
			continue
		}
		if page.Corrected == nil {
			page.Corrected = map[string]string{}
		}
		page.Corrected[row.Memory.ID] = row.SupersededBy
	}
	return err
}

func (s *Service) sessions(ctx context.Context, p agentapi.SessionsParams) ([]memory.Session, error) {
	if p.Words != "" {
		return s.Agent.Answers.Nearest(ctx, p.Project, p.Words, p.Limit)
	}
	if p.ID == "" {
		return s.Agent.store.Sessions(ctx, memory.LastSessions{Project: p.Project, Limit: p.Limit, Counted: true})
	}
	found, err := memory.SessionsNamed(ctx, s.Agent.store, p.Project, p.ID)
	return found[:min(p.Limit, len(found))], err
}

func (s *Service) session(ctx context.Context, id string) (memory.SessionRecord, error) {
	return memory.RecordOf(ctx, s.Agent.store, id)
}

func (s *Service) run(ctx context.Context, id string) (memory.Run, error) {
	return memory.RunOf(ctx, s.Agent.store, id)
}

func (s *Service) runs(ctx context.Context, limit int) ([]memory.Run, error) {
	return s.Agent.store.Runs(ctx, memory.RunQuery{Limit: limit})
}

func (s *Service) dashboard(ctx context.Context, p agentapi.DashboardParams) (agentapi.DashboardResult, error) {
	s.touch()
	return s.Dashboard(ctx, p)
}

// Ask answers a call of this process, such as the dashboard's, like one of another
// program.
func (s *Service) Ask(ctx context.Context, call agentapi.Call) error { return s.server.Ask(ctx, call) }

func (s *Service) projectNames(ctx context.Context, _ agentapi.None) ([]memory.Project, error) {
	all, after := []memory.Project{}, ""
	for {
		page, err := s.Agent.store.Export(ctx, memory.ExportQuery{Section: memory.SectionProject, After: after})
		if err != nil {
			return nil, err
		}
		for _, one := range page.Projects {
			if s.Agent.Projects.Aliases.Resolve(one.Key) == one.Key {
				all = append(all, one)
			}
		}
		if after = page.Next; after == "" {
			break
		}
	}
	slices.SortStableFunc(all, func(x, y memory.Project) int { return y.SeenAt.Compare(x.SeenAt) })
	return all, nil
}

// seeTime is how long an answer waits for git, which is asked once about a folder.
const seeTime = 100 * time.Millisecond

// see notes that a folder is a project.
func (s *Service) see(ctx context.Context, key, root string) {
	seen := s.Agent.Projects.Aliases.Places
	if seen.Knows(key, root) {
		return
	}
	done := make(chan struct{})
	s.background.Go(func() {
		defer close(done)
		seen.See(context.WithoutCancel(ctx), key, root)
	})
	select {
	case <-done:
	case <-time.After(seeTime):
	case <-ctx.Done():
	}
}

// isOff reports whether the project that a key has just become part of is off; the hook has looked for its own key only.
func (s *Service) isOff(key, whole string) bool {
	if key == whole {
		return false
	}
	_, err := os.Lstat(s.Agent.Projects.Aliases.Places.OffMark(whole))
	return err == nil
}

func (s *Service) place(ctx context.Context, p agentapi.PlaceParams) (agentapi.PlaceResult, error) {
	s.Agent.Projects.Aliases.Places.See(ctx, p.Key, p.Root)
	return agentapi.PlaceResult{Key: s.Agent.Projects.Aliases.Resolve(p.Key), Doubt: s.doubt(ctx, p.Key, p.Root)}, nil
}

// doubt is a line about a project that a key may mean, as long as nothing is remembered of the key's own.
func (s *Service) doubt(ctx context.Context, key, root string) string {
	aliases := s.Agent.Projects.Aliases
	may := aliases.Resolve(aliases.Places.Doubt(key))
	if may == "" || aliases.Resolve(key) == may {
		return ""
	}
	if index, err := s.Agent.Briefing.Index(ctx, key); err != nil || index.Len() > 0 {
		return ""
	}
	quoted := func(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
	return fmt.Sprintf("nothing is remembered of %s; it may be what %s was, and they are joined by memory projects merge %s %s", key, may, quoted(may), quoted(root))
}

func (s *Service) backup(ctx context.Context, p agentapi.BackupParams) (agentapi.BackupResult, error) {
	return s.Agent.Upkeep.Backup(ctx, p.File)
}

func (s *Service) status(ctx context.Context, _ agentapi.None) (agentapi.StatusResult, error) {
	backlog, err := s.Agent.Intake.Backlog()
	if err != nil {
		return agentapi.StatusResult{}, err
	}
	s.mu.Lock()
	result := agentapi.StatusResult{Version: s.Version, PID: os.Getpid(), State: s.state, Reason: s.reason, Trouble: s.trouble}
	failing := !s.failing.IsZero()
	s.mu.Unlock()
	result.Engine = s.Engine()
	if silence := s.silence(); silence != nil && result.State == stateReady {
		result.State, result.Reason, result.Trouble = stateWaiting, silence.Problem, silence
	}
	result.Notice = s.notice(noticeTime)
	result.Spool = agentapi.SpoolStatus{New: backlog.New, Claimed: backlog.Claimed, Dead: backlog.Dead}
	result.Burst = s.Agent.Upkeep.GivesWayTo()
	if result.State != stateReady {
		return result, nil
	}
	if failing {
		result.State = stateWaiting
	}
	asked := time.Now()
	ctx, cancel := context.WithTimeout(ctx, statusTime)
	defer cancel()
	stats, counted, err := s.tally.of(ctx, func(ctx context.Context) (memory.Stats,
		error,
	) {
		return s.Agent.store.Stats(ctx, "")
	})
	if errors.Is(err, memory.ErrUnavailable) {
		if !failing {
			result.Reason = err.Error()
		}
		return result, nil
	}
	result.Store = &stats
	if err == nil && counted.Before(asked) {
		result.CountedAt = counted
		result.Reason = cmp.Or(result.Reason, "the store takes long to be counted: its figures are those of "+
			counted.Format(time.TimeOnly))
	}
	if err == nil && ctx.Err() == nil && s.Agent.Distiller.Enabled() {
		var distilled agentapi.DistillStatus
		distilled, err = s.Agent.Distiller.Status(ctx)
		result.Distill = &distilled
	}
	return result, err
}
