package distiller_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/agenttest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const accountFact = "Export queries must not join on the account: guests have none."

// ofRules are the memories that rules derive from a session of worked.
var ofRules = []string{
	rule, "I decided to keep the join on the session.", "The root cause was that guests have no account.",
	rule + " -> The query joined on the account in place 0. It joins on the session now. [edited export.sql]",
	"why does the export break? -> The root cause was that guests have no account. I decided to keep the join on the session. [edited export.sql]",
}

// worked are the events of a session with guessed statements, turns, conclusions and
// something to remember; more stands at its end.
func worked(session string, more ...memory.Event) []memory.Event {
	all := agenttest.Ended(session, rule, "remember that the port is 6543", "why does the export break?")
	answer := agenttest.Event(42, memory.EventTurnEnded)
	answer.Session, answer.Text = session, "The root cause was that guests have no account. I decided to keep the join on the session."
	end := all[len(all)-1]
	end.At = agenttest.Event(99, "").At
	return append(append(all[:len(all)-1], answer), append(more, end)...)
}

func answersWithFact(distill.Question) (distill.Reply, error) {
	return agenttest.Wrote("guests have no account", [2]string{accountFact, rule})
}

// evidenceOf are the contents of a project's evidence, sorted.
func evidenceOf(t *testing.T, a *agenttest.Fixture) []string {
	t.Helper()
	all, err := memory.Memories(t.Context(), a.Store, memory.Filter{Project: "p", Statuses: []memory.Status{memory.StatusEvidence}})
	if err != nil {
		t.Fatal(err)
	}
	found := []string{}
	for _, m := range all {
		found = append(found, m.Content)
	}
	slices.Sort(found)
	return found
}

// evidenceRuns are the runs that made evidence, the newest first.
func evidenceRuns(t *testing.T, a *agenttest.Fixture) []memory.Run {
	t.Helper()
	all, err := a.Store.Runs(t.Context(), memory.RunQuery{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var found []memory.Run
	for _, one := range all {
		full, err := memory.RunOf(t.Context(), a.Store, one.ID)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(full.Actions, func(action memory.Action) bool { return action.Kind == "evidence" }) && full.Job == "distill" {
			found = append(found, full)
		}
	}
	return found
}

func TestADistilledSessionBecomesEvidenceInOneRunThatCanBeUndone(t *testing.T) {
	a, _, s := distilling(t, answersWithFact)
	live(t, a, s, worked("s1")...)
	want := slices.Sorted(slices.Values(ofRules))
	if got := evidenceOf(t, a); !slices.Equal(got, want) {
		t.Fatalf("evidence is %q, want %q", got, want)
	}
	runs := evidenceRuns(t, a)
	if len(runs) != 1 || runs[0].Job != "distill" || runs[0].Changed != len(want) || len(runs[0].Actions) != len(want) || runs[0].TokensFreed == 0 {
		t.Fatalf("runs are %+v", runs)
	}
	for _, action := range runs[0].Actions {
		if !strings.Contains(action.Reason, "a model has distilled session s1") || action.Before.Status != memory.StatusActive {
			t.Errorf("an action is %+v", action)
		}
	}
	if _, err := a.Upkeep.Undo(t.Context(), agentapi.UndoParams{Run: runs[0].ID, Trigger: "manual"}); err != nil {
		t.Fatal(err)
	}
	if got := evidenceOf(t, a); len(got) != 0 {
		t.Errorf("after the undo evidence is %q", got)
	}
	row := agenttest.RowOf(t, a, memory.NewID(memory.ScopeProject, "p", rule))
	if !row.Exempt || row.Memory.Status != memory.StatusActive {
		t.Errorf("after the undo the statement is %+v", row)
	}
	// Asked about again, the session does not touch memories that a person restored.
	again := agenttest.Event(120, memory.EventPrompt)
	again.Prompt = "never call the account service from the export"
	answer, end := agenttest.Event(121, memory.EventTurnEnded), agenttest.Event(130, memory.EventSessionEnded)
	answer.Text, end.Reason = "The export does not call the account service any more.", "other"
	live(t, a, s, again, answer, end)
	for _, content := range evidenceOf(t, a) {
		if slices.Contains(ofRules, content) {
			t.Errorf("%q is evidence again", content)
		}
	}
	if now := evidenceOf(t, a); len(now) != 2 {
		t.Errorf("the session's later statement is not evidence alone: %q", now)
	}
}

// A memory that a person asked to keep, pinned, or wrote by hand is still injected.
func TestARequestedMemoryIsNoEvidence(t *testing.T) {
	a, _, s := distilling(t, answersWithFact)
	a.Config.Distill.Enabled = false
	a.Rebuild()
	const edited, pinned = "we always export by night, not by day", "tests of the export must use real rows, no mocks"
	second := agenttest.Prompt(50, edited)
	third := agenttest.Prompt(60, pinned)
	live(t, a, s, worked("s1", second, third)...)
	id := func(content string) string { return memory.NewID(memory.ScopeProject, "p", content) }
	pin, by := true, "the export runs by night, at two"
	agenttest.Changed(t, a, id(pinned), 1, memory.Change{Pinned: &pin})
	if _, err := a.Intake.Amend(t.Context(), agentapi.AmendParams{Project: "p", ID: id(edited), Change: memory.Change{
		ID: "change-2", At: agenttest.Noon.Add(time.Hour), By: memory.ByPerson, Content: by,
	}}); err != nil {
		t.Fatal(err)
	}
	a.Config.Distill.Enabled = true
	a.Rebuild()
	if _, err := a.Distiller.Distill(t.Context(), agentapi.DistillParams{Session: "s1"}); err != nil {
		t.Fatal(err)
	}
	evidence := evidenceOf(t, a)
	for _, content := range []string{pinned, by, edited, "the port is 6543", accountFact} {
		if slices.Contains(evidence, content) {
			t.Errorf("%q is evidence", content)
		}
	}
	if !slices.Contains(evidence, rule) {
		t.Errorf("%q is no evidence: %q", rule, evidence)
	}
}

// A statement of several sessions stays until the last of them is distilled, whichever that is.
func TestAStatementStaysUntilAllItsSessionsAreDistilled(t *testing.T) {
	for name, order := range map[string][]string{"the older first": {"s1", "s2"}, "the newer first": {"s2", "s1"}} {
		t.Run(name, func(t *testing.T) {
			a, _, s := distilling(t, answersWithFact)
			a.Config.Distill.Enabled = false
			a.Rebuild()
			later := agenttest.Ended("s2", rule)
			for i := range later {
				later[i].At = later[i].At.Add(time.Hour)
			}
			live(t, a, s, slices.Concat(agenttest.Ended("s1", rule), later)...)
			a.Config.Distill.Enabled = true
			a.Rebuild()
			for i, session := range order {
				if _, err := a.Distiller.Distill(t.Context(), agentapi.DistillParams{Session: session}); err != nil {
					t.Fatal(err)
				}
				if is := slices.Contains(evidenceOf(t, a), rule); is != (i == 1) {
					t.Errorf("after %d of 2 it is evidence: %v", i+1, is)
				}
			}
		})
	}
}

// A statement made after the answer that covers its session is injected until the session is
// distilled again.
func TestALaterStatementOfASessionIsOffered(t *testing.T) {
	a, _, s := distilling(t, answersWithFact)
	live(t, a, s, agenttest.Ended("s1", rule)...)
	if !slices.Contains(evidenceOf(t, a), rule) {
		t.Fatal("the statement is no evidence")
	}
	again := agenttest.Prompt(200, rule)
	again.Session = "s2"
	live(t, a, s, again)
	if got := agenttest.RowOf(t, a, memory.NewID(memory.ScopeProject, "p", rule)); got.Memory.Status != memory.StatusActive {
		t.Errorf("stated again it is %s", got.Memory.Status)
	}
}

func TestASessionThatIsNotDistilledWholeLeavesEverything(t *testing.T) {
	t.Run("given up", func(t *testing.T) {
		a, _, s := distilling(t, func(distill.Question) (distill.Reply, error) { return distill.Reply{}, errors.New("no answer") })
		now := agenttest.Noon
		a.Now = func() time.Time { return now }
		live(t, a, s, agenttest.Ended("s1", rule)...)
		for range 5 {
			now = now.Add(3 * time.Hour)
			workOff(t, a)
		}
		if dead := queue(t, a, memory.DistillationDead); len(dead) != 1 || len(evidenceOf(t, a)) != 0 {
			t.Errorf("dead is %+v, evidence %q", dead, evidenceOf(t, a))
		}
	})
	t.Run("at its limit", func(t *testing.T) {
		long := strings.Repeat("the export for guests is still empty in this place and that place ", 22)
		a, _, s := distilling(t, func(distill.Question) (distill.Reply, error) {
			reply, err := agenttest.Wrote("guests have no account")
			reply.Usage.Input = 4000
			return reply, err
		})
		a.Config.Distill.CallTokens, a.Config.Distill.SessionTokens = 6_000, 8_000
		a.Rebuild()
		live(t, a, s, agenttest.Ended("s1", rule, long+"one", long+"two", long+"three", long+"four", long+"five")...)
		if done := queue(t, a, memory.DistillationDone); len(done) != 1 || done[0].Reason == "" || len(evidenceOf(t, a)) != 0 {
			t.Fatalf("done is %+v, evidence %q", done, evidenceOf(t, a))
		}
		later := agenttest.Ended("s2", rule)
		for i := range later {
			later[i].At = later[i].At.Add(time.Hour)
		}
		live(t, a, s, later...)
		if slices.Contains(evidenceOf(t, a), rule) {
			t.Error("the statement of the other session, which was only asked about in part, is evidence")
		}
	})
	t.Run("goes on", func(t *testing.T) {
		a, model, s := distilling(t, answersWithFact)
		now := agenttest.Noon.Add(time.Hour)
		a.Now = func() time.Time { return now }
		events := agenttest.Ended("s1", rule, "why does the export break?")
		compacting := agenttest.Event(50, memory.EventCompacting)
		live(t, a, s, append(events[:len(events)-1], compacting)...)
		now = now.Add(time.Hour)
		workOff(t, a)
		if model.Calls() != 1 || len(evidenceOf(t, a)) != 0 {
			t.Errorf("%d calls, evidence is %q", model.Calls(), evidenceOf(t, a))
		}
	})
}

// An explicit question still reaches evidence, after the facts. Nothing else returns it.
func TestOnlyQuestionsReturnEvidence(t *testing.T) {
	a, _, s := distilling(t, answersWithFact)
	live(t, a, s, worked("s1")...)
	if len(evidenceOf(t, a)) == 0 {
		t.Fatal("nothing is evidence")
	}
	check := func(by, text string) {
		t.Helper()
		for _, content := range ofRules {
			if strings.Contains(text, content) {
				t.Errorf("%s gets %q in\n%s", by, content, text)
			}
		}
	}
	for i, question := range append([]string{"why do export queries join on the session and not on the account of guests?"}, ofRules...) {
		check("a prompt", agenttest.Recalled(t, a, agentapi.RecallParams{Purpose: agentapi.ForPrompt, Session: fmt.Sprint("p", i), Text: question, MaxLines: 5}))
		a.Sessions.Plan(fmt.Sprint("t", i), "general", question)
		check("a subagent", agenttest.Recalled(t, a, agentapi.RecallParams{Purpose: agentapi.ForSubagent, Session: fmt.Sprint("t", i), Text: "general"}))
	}
	for _, purpose := range []string{agentapi.ForRead, agentapi.ForWrite} {
		check(purpose, agenttest.Recalled(t, a, agentapi.RecallParams{Purpose: purpose, Session: "f", File: "export.sql"}))
	}
	check("a command", agenttest.Recalled(t, a, agentapi.RecallParams{Purpose: agentapi.ForCommand, Session: "f", Command: "make export"}))
	check("a start", agenttest.StartOf(t, a, "s9"))
	got := agenttest.Found(t, a, agentapi.FindParams{Text: "join on the account guests"})
	if len(got) < 2 || got[0] != accountFact || !slices.Contains(got[1:], rule) {
		t.Errorf("found are %q", got)
	}
}

// A fact that a newer one replaced is injected nowhere: at no start, for no prompt, tool, subagent or
// question, and is shown to no model that distils.
func TestASupersededFactIsNotShown(t *testing.T) {
	const older, newer = "The export of guests joins on the ledger table, see export.sql.", "The export of guests joins on the session table, see export.sql."
	a, model, s := distilling(t, func(q distill.Question) (distill.Reply, error) {
		fact := `{"text":%q,"kind":"finding","quotes":["It joins on the session now"],"cues":["export.sql","ledger table"],"importance":3,"everywhere":true,"about":%q,"relation":%q}`
		text := fmt.Sprintf(fact, older, "", "")
		if strings.Contains(q.Prompt, "look again") {
			text = fmt.Sprintf(fact, newer, agenttest.ShownID(q, older), "supersedes")
		}
		reply, err := agenttest.Wrote("")
		reply.Text = []byte(strings.Replace(string(reply.Text), `"facts":[]`, `"facts":[`+text+`]`, 1))
		return reply, err
	})
	live(t, a, s, agenttest.Ended("s1", "why is the export of guests empty?")...)
	questions := []string{"which table does the export of guests join on, is it the ledger?", "ledger", "ledger table export.sql"}
	text := func(session string) string {
		var all strings.Builder
		all.WriteString(agenttest.StartOf(t, a, session))
		for i, question := range questions {
			all.WriteString(agenttest.Recalled(t, a, agentapi.RecallParams{Purpose: agentapi.ForPrompt, Session: fmt.Sprint(session, i), Text: question, MaxLines: 5}))
			all.WriteString(strings.Join(agenttest.Found(t, a, agentapi.FindParams{Text: question}), "\n"))
			a.Sessions.Plan(session, "general", question)
			all.WriteString(agenttest.Recalled(t, a, agentapi.RecallParams{Purpose: agentapi.ForSubagent, Session: session, Text: "general", Subagent: fmt.Sprint(i)}))
		}
		for _, purpose := range []string{agentapi.ForRead, agentapi.ForWrite, agentapi.ForCreate} {
			all.WriteString(agenttest.Recalled(t, a, agentapi.RecallParams{Purpose: purpose, Session: session, File: "export.sql"}))
		}
		return all.String()
	}
	if shown := text("a"); strings.Count(shown, older) < 4 {
		t.Fatalf("before, it is shown only in\n%s", shown)
	}
	live(t, a, s, agenttest.Ended("s2", "look again at the export of guests and the ledger table")...)
	shown := text("b")
	if strings.Contains(shown, older) || strings.Count(shown, newer) < 3 {
		t.Errorf("shown is\n%s", shown)
	}
	live(t, a, s, agenttest.Ended("s3", "the export of guests joins on the ledger table again")...)
	if last := model.Asked[len(model.Asked)-1]; strings.Contains(last, older) {
		t.Errorf("a model is shown\n%s", last)
	}
}

// A fact explains its score by its own gate, and a superseded one names the reason why it is not injected.
func TestAFactExplainsItsScoreAgainstTheGate(t *testing.T) {
	a, _, s := distilling(t, func(distill.Question) (distill.Reply, error) {
		reply, err := agenttest.Wrote("")
		fact := fmt.Sprintf(`{"text":%q,"kind":"convention","quotes":[%q],"cues":["empty export","export.sql"],"importance":3,"everywhere":false,"about":"","relation":""}`, accountFact, rule)
		reply.Text = []byte(strings.Replace(string(reply.Text), `"facts":[]`, `"facts":[`+fact+`]`, 1))
		return reply, err
	})
	live(t, a, s, agenttest.Ended("s1", rule)...)
	explained := func(p agentapi.ExplainParams) *agentapi.QueryExplanation {
		t.Helper()
		p.Project, p.ID = "p", memory.NewID(memory.ScopeProject, "p", accountFact)
		e, err := a.Answers.Explain(t.Context(), p)
		if err != nil || e.Query == nil {
			t.Fatalf("%v: %+v", err, e)
		}
		return e.Query
	}
	q := explained(agentapi.ExplainParams{Text: "which colour has the door"})
	if q.Rank != 0 || !q.Silent || !strings.Contains(q.Why, "shares no word") {
		t.Errorf("of something else: %+v", q)
	}
	q = explained(agentapi.ExplainParams{Text: "export something"})
	if text := agenttest.Recalled(t, a, agentapi.RecallParams{Purpose: agentapi.ForPrompt, Session: "s7", Text: "export something", MaxLines: 3}); (q.Rank > 0) != strings.Contains(text, accountFact) {
		t.Errorf("it has rank %d, and the prompt gets %q", q.Rank, text)
	}
	if q.Score == 0 || !strings.Contains(q.Why, "nearest of its cues: empty export") {
		t.Errorf("of a cue's words: %+v", q)
	}
	if q = explained(agentapi.ExplainParams{Files: []string{"sql/export.sql"}}); !strings.Contains(q.Why, "it fits, and the session has it in its context, in full") { // by its start
		t.Errorf("of a file that a cue names: %+v", q)
	}
	if q = explained(agentapi.ExplainParams{Files: []string{"main.go"}}); q.Rank != 0 || q.Why == "" {
		t.Errorf("of another file: %+v", q)
	}
}
