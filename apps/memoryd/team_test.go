//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// team makes a change of who may what in the store of a home.
func (h *home) team(t *testing.T, change memory.TeamChange) (now memory.Team) {
	t.Helper()
	h.call(t, agentapi.MethodTeam.Call(change, &now))
	return now
}

// learns is all that a home's agent tells of the store by every tool that reads.
func (h *home) learns(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	ask := func(call agentapi.Call, result any) {
		h.call(t, call)
		text, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(call.Method() + " " + string(text) + "\n")
	}
	var (
		memories []memory.Memory
		sessions []memory.Session
		projects []memory.ProjectHolding
		names    []memory.Project
		found    []memory.Hit
		count    int
		runs     []memory.Run
		start    agentapi.ContextResult
	)
	ask(agentapi.MethodMemories.Call(memory.Filter{Limit: 1000}, &memories), &memories)
	ask(agentapi.MethodCount.Call(memory.Filter{}, &count), &count)
	ask(agentapi.MethodSessions.Call(agentapi.SessionsParams{Limit: 100}, &sessions), &sessions)
	ask(agentapi.MethodProjects.Call(agentapi.ProjectsParams{}, &projects), &projects)
	ask(agentapi.MethodProjectNames.Call(agentapi.None{}, &names), &names)
	ask(agentapi.MethodFind.Call(agentapi.FindParams{Project: "p", Text: "the staging database", Limit: 10}, &found), &found)
	ask(agentapi.MethodRuns.Call(100, &runs), &runs)
	ask(agentapi.MethodSessionContext.Call(agentapi.SessionContextParams{Project: "p", Session: "s9", Source: "startup", TokenBudget: 1000, WaitMS: 20_000}, &start), &start)
	for _, section := range memory.Sections() {
		var page memory.ExportPage
		ask(agentapi.MethodExport.Call(memory.ExportQuery{Section: section}, &page), &page)
	}
	all.WriteString(h.recalls(t, "which port does the staging database listen on?"))
	return all.String()
}

// TestTwoPeopleOfOneStore has two homes with a person each, and a server, all as programs: nothing of Anna's reaches Bob's agent until she
// shares the project and lets him in, then it is told as hers; and nothing more once she has taken him out.
func TestTwoPeopleOfOneStore(t *testing.T) {
	t.Parallel()
	if enginetest.Surreal() == "" {
		t.Skip("there is no surreal binary: " + enginetest.SurrealVariable)
	}
	endpoint, stop, err := enginetest.OpenKind(engine.Binary)
	if errors.Is(err, engine.ErrNoEngine) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	namespace, database := enginetest.Database(t)
	place := []string{"SURREAL_URL=" + endpoint.URL, "SURREAL_NS=" + namespace, "SURREAL_DB=" + database}
	owner, anna, bob := newHome(t), newHome(t), newHome(t)
	owner.env = append(place, "SURREAL_USER="+endpoint.User, "SURREAL_PASS="+endpoint.Pass)
	anna.env = append(place[:3:3], "SURREAL_USER=anna", "SURREAL_PASS=annas secret", "SURREAL_ACCESS=person")
	bob.env = append(place[:3:3], "SURREAL_USER=bob", "SURREAL_PASS=bobs secret", "SURREAL_ACCESS=person")

	service := owner.start(t)
	owner.awaitReady(t)
	for _, name := range []string{"anna", "bob"} {
		owner.team(t, memory.TeamChange{Do: memory.TeamAdd, Person: name, Pass: name + "s secret"})
	}
	anna.spoolText(t, 0, "remember: the staging database listens on port 6543")
	hers := anna.start(t)
	anna.expectStored(t, 1)
	if told := anna.recalls(t, "which port does the staging database listen on?"); !strings.Contains(told, "6543") || strings.Contains(told, "from anna") {
		t.Errorf("Anna is told %q", told)
	}
	his := bob.start(t)
	bob.awaitReady(t)
	isHers := func(text string) bool { return strings.Contains(text, "6543") || strings.Contains(text, "anna") }
	if learned := bob.learns(t); isHers(learned) {
		t.Errorf("Bob learns\n%s", learned)
	}
	if status, err := bob.status(t); err != nil || status.Store == nil || status.Store.Memories+status.Store.Sessions+status.Store.Prompts+status.Store.Projects > 0 {
		t.Errorf("Bob counts %+v, %v", status.Store, err)
	}

	anna.team(t, memory.TeamChange{Do: memory.TeamShare, Project: "p", Past: true})
	anna.team(t, memory.TeamChange{Do: memory.TeamLet, Project: "p", Person: "bob", Role: memory.RoleMember})
	his.stop(t) // else his agent asks within a minute
	his = bob.start(t)
	bob.awaitReady(t)
	if told := bob.recalls(t, "which port does the staging database listen on?"); !strings.Contains(told, "6543") || !strings.Contains(told, "from anna") {
		t.Errorf("of a shared project Bob is told %q", told)
	}
	if team := bob.team(t, memory.TeamChange{Do: memory.TeamShare, Project: "p"}); len(team.Members) != 2 {
		t.Errorf("Bob shares, too: %+v", team)
	}
	bob.spoolText(t, 1, "remember: releases are made on Tuesdays by two people")
	bob.await(t, "Bob's words to be stored", func() bool { return bob.waiting(t) == 0 })
	hers.stop(t)
	hers = anna.start(t)
	anna.awaitReady(t)
	if told := anna.recalls(t, "who makes releases on Tuesdays?"); !strings.Contains(told, "two people") || !strings.Contains(told, "from bob") {
		t.Errorf("Anna is told %q", told)
	}

	// He may only read from now on, and his agent does not know: it keeps the event for him alone.
	anna.team(t, memory.TeamChange{Do: memory.TeamLet, Project: "p", Person: "bob", Role: memory.RoleReader})
	bob.spoolText(t, 2, "remember: the secret lunch place is by the river")
	bob.await(t, "Bob's words to be stored", func() bool { return bob.waiting(t) == 0 })
	if told := anna.recalls(t, "where is the secret lunch place?"); strings.Contains(told, "river") {
		t.Errorf("Anna is told what a reader wrote: %q", told)
	}
	if told := bob.recalls(t, "where is the secret lunch place?"); !strings.Contains(told, "river") {
		t.Errorf("Bob is told %q of his own", told)
	}
	anna.team(t, memory.TeamChange{Do: memory.TeamExpel, Project: "p", Person: "bob"})
	his.stop(t)
	his = bob.start(t)
	bob.awaitReady(t)
	if learned := bob.learns(t); isHers(learned) {
		t.Errorf("taken out, Bob learns\n%s", learned)
	}
	for _, agent := range []*runningAgent{his, hers, service} {
		agent.stop(t)
	}
}
