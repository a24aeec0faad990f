package distiller

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/receipts"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// session is a session while it is distilled.
type session struct {
	*Distiller
	row    memory.Distillation
	lease  memory.Lease
	record memory.SessionRecord

	digest  memory.Digest
	facts   []daemonapi.DistillFact
	dropped []string

	replaced []receipts.Receipt // receipts for the user from the run that is being made
}

// newRun returns a run for this session, without actions.
func (s *session) newRun() memory.Run {
	now := s.Now().UTC()
	return memory.Run{ID: memory.NewEventID(now), Job: "distill", Trigger: s.row.Trigger, StartedAt: now, EndedAt: now}
}

// commit stores a run if it has actions, applies them, and adds their receipts for the user.
func (s *session) commit(ctx context.Context, run memory.Run) error {
	if len(run.Actions) == 0 {
		return nil
	}
	ids := memory.Each(run.Actions, func(a memory.Action) string { return a.Memory })
	if _, err := s.Store.Commit(ctx, memory.Commit{Run: run, Lease: &s.lease}); err != nil {
		return err
	}
	s.Changed(ctx, ids)
	for i := range s.replaced {
		s.replaced[i].Run = run.ID
	}
	err := s.Receipts.Add(s.replaced...)
	s.replaced = nil
	return err
}

// jobPart is the only job for which tokens are spent: a question about a part of a session.
const jobPart = "part"

// mostNotes is the maximum number of notes of a session. A note is the reason why a part of an answer was dropped.
const mostNotes = 20

// input reads a session's record and the active memories of its project, from which the questions are made.
func (d *Distiller) input(ctx context.Context, id string) (distill.Input, error) {
	record, err := memory.RecordOf(ctx, d.Store, id)
	if err != nil {
		return distill.Input{}, err
	}
	standing, err := d.standing(ctx, record.Session.Project)
	if err != nil {
		return distill.Input{}, err
	}
	return d.inputOf(record, standing), nil
}

func (d *Distiller) inputOf(record memory.SessionRecord, standing []memory.Row) distill.Input {
	return distill.Input{
		Record: record.WithoutRewound(), Standing: standing, Clean: d.Clean, Counter: d.Counter, Budget: d.settings().CallTokens,
	}
}

// standing returns the memories of a project that may be injected.
func (d *Distiller) standing(ctx context.Context, project string) (standing []memory.Row, err error) {
	err = memory.EachRecallable(ctx, d.Store, project, memory.PageRows, func(rows []memory.Row) error {
		standing = append(standing, rows...)
		return nil
	})
	return standing, err
}

// distill asks about the parts of the session that have no answer yet. It stores each answer at once, so that none is
// paid for twice. A panic becomes an error and does not end the daemon.
func (s *session) distill(ctx context.Context) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("distilling panicked, which is a bug: %v", cause)
			s.Log.Error("distilling panicked", "of", s.row.Session, "cause", cause, "stack", string(debug.Stack()))
		}
	}()
	in, err := s.input(ctx, s.row.Session)
	if errors.Is(err, memory.ErrNotFound) {
		s.row.Reason = "the session is not there any more"
		return nil
	}
	if err != nil {
		return err
	}
	s.record = in.Record
	parts, left := in.Parts(), in.Facts()
	for i := range parts {
		if parts[i].Done {
			continue
		}
		err := s.part(ctx, parts, i, left-len(s.facts))
		if errors.Is(err, errSession) { // the parts that are done are kept
			s.row.Reason = fmt.Sprintf("%d of %d parts are distilled: %v", i, len(parts), err)
			return nil
		}
		if err != nil {
			return err
		}
	}
	if len(parts) == 0 {
		s.row.Reason = "there was nothing to ask about"
		return nil
	}
	s.row.Reason = ""
	return nil
}

// part asks about the part i, stores the answer, and makes its facts replace the memories that they correct. This
// part and the later ones may have left facts together; distill.FactQuota gives the share of one part.
func (s *session) part(ctx context.Context, parts []distill.Part, i, left int) error {
	p, facts := &parts[i], distill.FactQuota(left, parts[i:])
	checked, err := s.ask(ctx, p.Question(facts), func(answer []byte) (distill.Checked, error) {
		record, err := memory.RecordOf(ctx, s.Store, s.row.Session) // read again, because the user may have archived or edited the session's memories during the call
		if err != nil {
			return distill.Checked{}, err
		}
		*p = p.Since(s.inputOf(record, nil))
		return p.Check(answer, facts)
	})
	s.drop(checked.Dropped...)
	if err != nil {
		return err
	}
	at := p.At()
	if i == len(parts)-1 && s.record.Session.State.IsOver() { // the summary describes the whole session
		at = s.record.Session.LastEventAt
	}
	made, err := s.Intake.Distilled(ctx, memory.Event{
		ID: memory.NewDistilledID(s.row.Session, p.Key), At: at, Kind: memory.EventDistilled, Session: s.row.Session,
		Project:   memory.Project{Key: s.record.Session.Project},
		Distilled: &memory.Distilled{Part: p.Key, Model: s.settings().Model, Digest: checked.Digest, Facts: checked.Facts},
	})
	if err != nil {
		return err
	}
	s.digest = s.digest.Append(checked.Digest)
	for _, f := range checked.Facts {
		s.facts = append(s.facts, daemonapi.DistillFact{ID: madeOf(made, f).ID, DistilledFact: f})
	}
	if err := s.supersede(ctx, checked.Facts, made); err != nil {
		return err
	}
	return s.retire(ctx, checked.Ended)
}

// retire archives facts that no longer hold according to words of the session, unless they were stated again later. It does so in a run, which can be undone.
func (s *session) retire(ctx context.Context, all []distill.Ended) error {
	run := s.newRun()
	for _, one := range all {
		rows, err := s.Store.Rows(ctx, memory.WithIDs{one.Memory})
		if err != nil {
			return err
		}
		why := "it is not there any more"
		if len(rows) > 0 {
			if why = rows[0].ReasonNotReplaceable(one.OwnWords); rows[0].Memory.LastSeenAt.After(one.At) {
				why = "it was said again later"
			}
		}
		if why != "" {
			s.drop(fmt.Sprintf("that %s is over: %s", memory.ShortID(one.Memory), why))
			continue
		}
		after := rows[0].State()
		after.Status, after.RetiredAt = memory.StatusArchived, run.StartedAt
		run.Add(rows[0].Becomes(after, policy.KindArchive, fmt.Sprintf("according to a model it is over, by the words %q", one.Quote)))
		s.addReceipt(rows[0], "")
	}
	return s.commit(ctx, run)
}

func (s *session) drop(why ...string) {
	s.dropped = append(s.dropped, memory.Each(why, s.Clean)...)
}

// madeOf returns the memory that a fact was stored as; zero for none.
func madeOf(made []memory.Memory, f memory.DistilledFact) memory.Memory {
	if i := slices.IndexFunc(made, func(m memory.Memory) bool { return m.Content == f.Text }); i >= 0 {
		return made[i]
	}
	return memory.Memory{}
}

// ask asks a model if the limits allow it, checks the answer, and records the cost. It records the maximum cost
// before the call, so that the tokens count as spent even if the daemon is killed during it.
func (s *session) ask(ctx context.Context, q distill.Question, check func(answer []byte) (distill.Checked, error)) (checked distill.Checked, err error) {
	input := q.Tokens(s.Counter) + distill.Overhead
	settings, model := s.inForce()
	if need := input + q.MaxOutput; need > settings.CallTokens {
		return checked, fmt.Errorf("one call would need %d tokens, but may have at most %d; no setting changes that", need, settings.CallTokens)
	}
	if err := s.mayAsk(s.record.Session); err != nil {
		return checked, err
	}
	if err := s.checkLimits(ctx, settings, s.row.Session, input+q.MaxOutput); err != nil {
		return checked, err
	}
	now := s.Now().UTC()
	spend := memory.Spend{
		ID: memory.NewEventID(now), At: now, Session: s.row.Session, Job: jobPart, Runner: settings.Runner, Model: settings.Model,
		Input: input, Output: q.MaxOutput, Estimated: true, Error: "it has not ended",
	}
	if err := s.Store.Ingest(ctx, memory.Batch{Spent: []memory.Spend{spend}}); err != nil {
		return checked, err
	}
	if _, err := s.Store.Lease(ctx, s.lease, s.leaseTime()); err != nil {
		return checked, err
	}
	reply, failure := s.reply(ctx, settings, model, q, daemonapi.RunningCall{Session: s.row.Session, Since: now, Tokens: input + q.MaxOutput})
	if failure == nil { // distillation may have been switched off during the call
		failure = s.mayAsk(s.record.Session)
	}
	if failure == nil {
		checked, failure = check(reply.Text)
	}
	spend.Error = failedAs(failure)
	if u := reply.Usage; u.Reported {
		spend.Input, spend.Output, spend.USD, spend.Estimated = u.Input, u.Output, u.USD, false
	}
	saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	return checked, errors.Join(failure, s.Store.Ingest(saving, memory.Batch{Spent: []memory.Spend{spend}}))
}

// reply returns the model's answer. It fails after distill.time_limit, or when no model may be asked any more.
func (s *session) reply(ctx context.Context, settings config.Distill, model distill.Model, q distill.Question, one daemonapi.RunningCall) (distill.Reply, error) {
	begun, end := s.begin(ctx, one)
	defer end()
	calling, cancel := context.WithTimeoutCause(begun, settings.TimeLimit,
		fmt.Errorf("there was no answer within %s (distill.time_limit): %w", settings.TimeLimit, context.DeadlineExceeded))
	defer cancel()
	reply, failure := model.Ask(calling, q)
	if failure != nil && calling.Err() != nil && ctx.Err() == nil {
		failure = errors.Join(context.Cause(calling), failure)
	}
	return reply, failure
}

// lookTime is how often mayAsk is asked during a call.
const lookTime = time.Second

// begin records a call to a model. The context calling ends with ctx, or when no model may be asked any more. The caller must call end.
func (s *session) begin(ctx context.Context, one daemonapi.RunningCall) (calling context.Context, end func()) {
	d := s.Distiller
	calling, cancel := context.WithCancelCause(ctx)
	d.mu.Lock()
	d.call = &one
	d.mu.Unlock()
	ticker := time.NewTicker(lookTime)
	d.running.Go(func() {
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				if err := d.mayAsk(s.record.Session); err != nil {
					cancel(err)
				}
			case <-calling.Done():
				return
			}
		}
	})
	return calling, func() {
		d.mu.Lock()
		d.call = nil
		d.mu.Unlock()
		cancel(nil)
	}
}

// failedAs returns the kind of a failure, without the model's words: the session that they come from may be purged.
func failedAs(failure error) string {
	switch {
	case failure == nil:
		return ""
	case errors.Is(failure, errOff), errors.Is(failure, errOffHere):
		return "it was switched off"
	case errors.Is(failure, distill.ErrRunner):
		return "the runner does not work"
	case errors.Is(failure, context.DeadlineExceeded):
		return "no answer in time"
	case errors.Is(failure, distill.ErrAnswer):
		return "an answer that cannot be used"
	}
	return "no answer"
}

// supersede makes facts replace the memories that they contradict according to the model, in a run that can be undone.
// The one that was stated earlier is superseded, whichever was distilled first. A fact supersedes what a person stated
// or asked for only if it rests on the user's own later words; the user is then notified. Pinned memories stay.
func (s *session) supersede(ctx context.Context, facts []memory.DistilledFact, made []memory.Memory) error {
	run := s.newRun()
	for _, f := range facts {
		id, named := standsAs(f, made), f.Replaces()
		if id == "" || len(named) == 0 && f.Relation != memory.RelationRepeats {
			continue
		}
		rows, err := s.Store.Rows(ctx, memory.WithIDs(append(named, id)))
		if err != nil {
			return err
		}
		at := slices.IndexFunc(rows, func(row memory.Row) bool { return row.Memory.ID == id })
		if at < 0 {
			continue
		}
		own := rows[at]
		if f.Relation == memory.RelationRepeats {
			s.repeat(&run, own, f)
		}
		var ended []string
		for _, row := range rows {
			why := ""
			if row.Memory.ID != id {
				if why, err = s.Intake.WhyNeeded(ctx, row, rows); err != nil {
					return err
				}
			}
			switch {
			case row.Memory.ID == id:
			case why != "":
				s.drop(fmt.Sprintf("that %q stands in the place of %s: %s", f.Text, memory.ShortID(row.Memory.ID), why))
			case row.Memory.LastSeenAt.After(own.Memory.LastSeenAt):
				s.addSuperseding(&run, own, row, row.Memory.IsUsersWord(), f)
			case s.addSuperseding(&run, row, own, f.OwnWords, f):
				ended = append(ended, row.Memory.ID)
			}
		}
		if err := s.reactivate(ctx, &run, own, ended, f); err != nil {
			return err
		}
	}
	return s.commit(ctx, run)
}

// addSuperseding adds an action to the run by which newer supersedes old, and reports whether the run now supersedes
// old. The fact f is one of these two. isOwn is set if newer rests on the user's own words.
func (s *session) addSuperseding(run *memory.Run, old, newer memory.Row, isOwn bool, f memory.DistilledFact) bool {
	if old.SupersededBy != "" {
		return false
	}
	if why := old.ReasonNotReplaceable(isOwn); why != "" {
		s.drop(fmt.Sprintf("that %q stands in the place of %s: %s", f.Text, memory.ShortID(old.Memory.ID), why))
		return false
	}
	if slices.ContainsFunc(run.Actions, func(a memory.Action) bool { return a.Memory == old.Memory.ID }) {
		return true // another fact of the answer supersedes it
	}
	after := old.State()
	after.SupersededBy = newer.Memory.ID
	a := old.Becomes(after, "supersede", fmt.Sprintf("according to a model the newer %s holds in its place, by the words %q", newer.Memory.ID, f.Quotes[0]))
	a.Needs = newer.Memory.ID
	run.Add(a)
	s.addReceipt(old, newer.Memory.ID)
	return true
}

// repeat records in the run that the user said a memory again in this session. At the third time the user is notified.
func (s *session) repeat(run *memory.Run, row memory.Row, f memory.DistilledFact) {
	a, isNew := row.Repeated(s.row.Session, fmt.Sprintf("according to a model the user had to say it again, by the words %q", f.Quotes[0]))
	if !isNew {
		return
	}
	run.Add(a)
	if receipts.Offer(row.With(a.After).Memory) != "" {
		s.replaced = append(s.replaced, receipts.Receipt{Project: s.record.Session.Project, Memory: row.Memory.ID, Again: true})
	}
}

// addReceipt adds a receipt for the user if old, which is replaced or archived, is an active memory of the user's.
func (s *session) addReceipt(old memory.Row, by string) {
	if old.IsUsers() && old.Memory.Status == memory.StatusActive {
		s.replaced = append(s.replaced, receipts.Receipt{Project: s.record.Session.Project, Memory: old.Memory.ID, By: by})
	}
}

// reactivate makes own current again if the run supersedes a memory (its id is in ended) that had corrected own: then own was said again.
func (s *session) reactivate(ctx context.Context, run *memory.Run, own memory.Row, ended []string, f memory.DistilledFact) error {
	later, err := s.Intake.Successors(ctx, own)
	at := slices.IndexFunc(later, func(id string) bool { return slices.Contains(ended, id) })
	if err != nil || at < 0 {
		return err
	}
	for i := range run.Actions {
		if run.Actions[i].After.SupersededBy == own.Memory.ID { // apply both or none, because each memory could otherwise supersede the other
			run.Actions[i].Group = own.Memory.ID
		}
	}
	after := own.State()
	after.SupersededBy = ""
	a := own.Becomes(after, policy.KindReinstate, fmt.Sprintf("it was said again after %s had corrected it, by the words %q", later[at], f.Quotes[0]))
	a.Needs, a.Group = own.Memory.ID, own.Memory.ID
	run.Add(a)
	return nil
}

// standsAs returns the id of the memory as which a fact is stored: a new one, or the one that the fact restates. It returns "" for none.
func standsAs(f memory.DistilledFact, made []memory.Memory) string {
	if f.Restates() {
		return f.About
	}
	if m := madeOf(made, f); m.Status == memory.StatusActive {
		return m.ID
	}
	return ""
}

// errDay means that a call would exceed the token limit of the day.
var errDay = errors.New("the limit of a day is reached (distill.day_tokens)")

// errSession means that a call would exceed the token limit of the session.
var errSession = errors.New("the limit of a session is reached (distill.session_tokens)")

// checkLimits returns errDay or errSession if a call with this many tokens would exceed a limit.
func (d *Distiller) checkLimits(ctx context.Context, limits config.Distill, session string, need int) error {
	today, err := d.spent(ctx, memory.SpendQuery{Since: d.Now()})
	if err != nil {
		return err
	}
	if today+need > limits.DayTokens {
		return fmt.Errorf("%w: %d of %d tokens are spent today, and the next call may need %d; distillation goes on at 00:00 UTC", errDay, today, limits.DayTokens, need)
	}
	all, err := d.spent(ctx, memory.SpendQuery{Session: session})
	if err != nil {
		return err
	}
	if all+need > limits.SessionTokens {
		return fmt.Errorf("%w: %d of %d tokens are spent, and the next call may need %d", errSession, all,
			limits.SessionTokens, need)
	}
	return nil
}

func (d *Distiller) spent(ctx context.Context, q memory.SpendQuery) (int, error) {
	totals, err := d.Store.Totals(ctx, q)
	sum := 0
	for _, t := range totals.Spent {
		sum += t.Tokens()
	}
	return sum, err
}
