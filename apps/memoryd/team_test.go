//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// newTeam is a server on the network stack with the home of whoever has its credentials, whose agent runs, and those of two people.
func newTeam(t *testing.T) (service *runningAgent, anna, bob *home) {
	t.Helper()
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
	service = owner.start(t)
	owner.awaitReady(t)
	for _, name := range []string{"anna", "bob"} {
		owner.team(t, memory.TeamChange{Do: memory.TeamAdd, Person: name, Pass: name + "s secret"})
	}
	return service, anna, bob
}

// TestTwoPeopleOfOneStore has two homes with a person each, and a server, all as programs: nothing of Anna's reaches Bob's agent until she
// shares the project and lets him in, then it is told as hers; and nothing more once she has taken him out.
func TestTwoPeopleOfOneStore(t *testing.T) {
	t.Parallel()
	service, anna, bob := newTeam(t)
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

// refuses has a command fail with words that say why.
func (m *machine) refuses(t *testing.T, says []string, args ...string) {
	t.Helper()
	cmd := m.command(t, args...)
	out, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	if !errors.As(err, &failed) {
		t.Errorf("memory %s: %v, want it refused:\n%s", strings.Join(args, " "), err, out)
	}
	for _, words := range says {
		if !strings.Contains(string(out), words) {
			t.Errorf("memory %s does not say %q:\n%s", strings.Join(args, " "), words, out)
		}
	}
}

// listed is the memories that a machine lists of the project and of the user, by text.
func (m *machine) listed(t *testing.T) map[string]memory.Memory {
	t.Helper()
	all := map[string]memory.Memory{}
	for _, of := range [][]string{{"list", "--all", "--json"}, {"list", "--all", "--json", "--user"}} {
		var found []memory.Memory
		if err := json.Unmarshal([]byte(m.memory(t, of...)), &found); err != nil {
			t.Fatal(err)
		}
		for _, one := range found {
			all[one.Content] = one
		}
	}
	return all
}

// TestWhatAMemberTakesAlongAndDeletes: by the commands themselves, a member sees whose a memory is, copies out no more than he may
// read, brings back nothing of another as his own, and neither changes nor deletes what is not his.
func TestWhatAMemberTakesAlongAndDeletes(t *testing.T) {
	t.Parallel()
	service, annasHome, bobsHome := newTeam(t)
	dir := t.TempDir()
	git(t, "init", "--quiet", dir)
	git(t, "-C", dir, "remote", "add", "origin", "https://example.org/team/shop.git")
	anna, bob := &machine{home: annasHome, dir: dir}, &machine{home: bobsHome, dir: dir}
	agents := []*runningAgent{anna.start(t), service}
	anna.awaitReady(t)
	const shared, private, his, hisAlone = "releases of the shop are made on Tuesdays", "the shop's old database smells of fish", "staging of the shop needs a token", "answers are short"
	everywhere := func(m *machine, text string) {
		m.memory(t, "remember", text)
		m.memory(t, "promote", m.listed(t)[text].ID, "--to", "user")
	}
	everywhere(anna, private)
	anna.memory(t, "remember", "--kind", "convention", shared)
	anna.memory(t, "team", "share", "--past")
	anna.memory(t, "team", "role", "bob", "member")
	agents = append(agents, bob.start(t)) // one that runs asks within a minute
	bob.awaitReady(t)
	bob.memory(t, "remember", "--kind", "note", his) // he does not share yet: it is his alone
	everywhere(bob, hisAlone)
	id := memory.ShortID(anna.listed(t)[shared].ID)

	// Whose it is.
	for _, one := range []struct {
		who        *machine
		text, says string
	}{
		{anna, shared, "yours, shared in this project"},
		{anna, private, "yours alone"},
		{bob, shared, "anna's, shared in this project"},
		{bob, his, "yours alone"},
		{bob, hisAlone, "yours alone"},
	} {
		if page := one.who.memory(t, "show", one.who.listed(t)[one.text].ID); !strings.Contains(page, one.says) {
			t.Errorf("of %q it shows\n%s\nwant %q", one.text, page, one.says)
		}
	}

	// He does not share there, so he reads only: what he asks for is refused by name, and nothing changes.
	bob.refuses(t, []string{"is anna's", "memory team share"}, "forget", id, "--reason", "I do not like it")
	bob.refuses(t, []string{"is anna's"}, "edit", id, "--content", "releases are made at any time")
	bob.memory(t, "team", "share")
	bob.refuses(t, []string{"is anna's", "memory remember"}, "edit", id, "--content", "releases are made at any time")
	bob.refuses(t, []string{"only an admin", "nothing was deleted"}, "purge", "--project", dir, "--yes")
	bob.refuses(t, []string{"you use it as bob", "--local"}, "purge", "--all", "--yes")
	backup := filepath.Join(t.TempDir(), "memory.backup")
	bob.refuses(t, []string{"you use it as bob", "memory export --all"}, "backup", backup)
	if _, err := os.Stat(backup); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the refused backup is there: %v", err)
	}
	if all := anna.listed(t); len(all) != 2 || all[shared].Status != memory.StatusActive {
		t.Errorf("Anna has %+v left", all)
	}
	if all := bob.listed(t); len(all) != 3 {
		t.Errorf("Bob has %+v left", all)
	}

	// An export has what he may read.
	export := filepath.Join(t.TempDir(), "bob.jsonl")
	bob.memory(t, "export", "--all", export)
	text, err := os.ReadFile(export)
	if err != nil {
		t.Fatal(err)
	}
	for words, isThere := range map[string]bool{shared: true, his: true, hisAlone: true, private: false} {
		if strings.Contains(string(text), words) != isThere {
			t.Errorf("the export has %q: %v\n%s", words, !isThere, text)
		}
	}

	// Back in the store it changes nothing; in a store of his own he has all, and Anna's words stay hers.
	before := bob.listed(t)
	bob.memory(t, "import", "export", "--mine", export)
	if diff := cmp.Diff(before, bob.listed(t)); diff != "" {
		t.Errorf("importing his own export changes\n%s", diff)
	}
	alone := newMachine(t, dir)
	if out := alone.memory(t, "import", "export", "--mine", export); strings.Contains(out, "refused") {
		t.Errorf("the import in a home of one: %s", out)
	}
	all := alone.listed(t)
	if len(all) != 3 || all[shared].Author != "anna" || all[shared].IsUsersWord() || all[his].Author+all[hisAlone].Author != "" || all[his].Project != all[shared].Project {
		t.Errorf("his own store has %+v", all)
	}
	if page := alone.memory(t, "show", all[his].ID); strings.Contains(page, "whose") {
		t.Errorf("in a store of one it shows\n%s", page)
	}

	// A backup of that store is none of the team's: restored by a member it is refused before anything is touched.
	alone.memory(t, "backup", backup)
	running := bob.awaitReady(t).PID
	bob.refuses(t, []string{"you use it as bob", "may restore it"}, "restore", backup, "--yes")
	if now := bob.awaitReady(t).PID; now != running {
		t.Errorf("a refused restore ended the agent %d, and now %d runs", running, now)
	}
	if told := bob.memory(t, "sessions", "--all", "--json"); !strings.Contains(told, "~bob/example.org/team/shop") {
		t.Errorf("of his own sessions of a shared project Bob sees\n%s", told)
	}
	if diff := cmp.Diff(before, bob.listed(t)); diff != "" {
		t.Errorf("a refused restore changes\n%s", diff)
	}
	// Who leads the project deletes it, and leaves what is private.
	anna.memory(t, "purge", "--project", dir, "--yes")
	if all := anna.listed(t); len(all) != 1 || all[private].ID == "" {
		t.Errorf("after her purge Anna has %+v", all)
	}
	if all := bob.listed(t); all[hisAlone].ID == "" || all[his].ID == "" || all[shared].ID != "" {
		t.Errorf("after her purge Bob has %+v", all)
	}
	for _, agent := range agents {
		agent.stop(t)
	}
}
