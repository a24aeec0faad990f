package briefing_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/instructions"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/alloctest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/storetest"
)

// many is the number of the facts: a page and one.
const many = 1001

// manyFacts are facts of a project, of one form, in many areas and sessions (author-0, …); none is a todo, which would leave
// the start. A test must give its own sessions other names: a session knows the facts that it has stored.
func manyFacts() (facts []memory.Memory) {
	kinds := slices.DeleteFunc(memory.Kinds(), func(k memory.Kind) bool { return k == memory.KindTodo })
	for i := range many {
		m := memory.Memory{
			Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: kinds[i%len(kinds)], Status: memory.StatusActive,
			Content: fmt.Sprintf("The port of service %d is %d, and its owner is team %d.", i, 1024+i, i%97),
			Area:    fmt.Sprintf("area %d", i%40), Session: fmt.Sprint("author-", i/8), Importance: memory.FactImportance(1 + i%3),
			CreatedAt: daemontest.Noon, LastSeenAt: daemontest.Noon.Add(time.Duration(i) * time.Second),
			Source: memory.SourceAssistant, Tags: []string{memory.TagModel, memory.TagUsersWords},
		}
		m.Title, m.ID = memory.TitleOf(m.Content), memory.NewID(m.Scope, m.Project, m.Content)
		facts = append(facts, m)
	}
	return facts
}

var (
	anID   = regexp.MustCompile(`(?m)(?:^- |“| \| )([0-9a-f]{4,32}) `)
	others = regexp.MustCompile(`(?m)^- (\d+) more are found`)
)

// A start names some of very many facts, counts all others, and gives ids with which no
// other memory of the project begins: also after a commit. It is put together of those that it may name.
func TestAStartCountsAllOfManyFacts(t *testing.T) {
	a, _, _ := daemontest.New(t)
	a.Counter = daemontest.ExactCounter(t)
	a.Rebuild()
	facts := manyFacts()
	musttest.Do(t, storetest.Fill(t.Context(), a.Store, facts))
	sessions := 0
	start := func() daemonapi.ContextResult {
		sessions++
		return musttest.Get(a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{
			Project: "p", Session: fmt.Sprint("started ", sessions), Source: "startup", TokenBudget: a.Config.Hooks.SessionStartTokens, Before: "0",
		}))(t)
	}
	for when, result := range map[string]daemonapi.ContextResult{"nothing": start(), "a commit": func() daemonapi.ContextResult {
		fact := facts[0]
		fact.Content, fact.LastSeenAt = "The gateway retries a request three times.", fact.LastSeenAt.Add(many*time.Second)
		fact.Title, fact.Importance, fact.ID = fact.Content, memory.FactImportance(3), memory.NewID(fact.Scope, fact.Project, fact.Content)
		musttest.Do(t, a.Store.Ingest(t.Context(), memory.Batch{Memories: []memory.Memory{fact}}))
		a.Briefing.Committed(t.Context(), intake.Committed{Memories: []memory.Memory{fact}})
		facts = append(facts, fact)
		return start()
	}()} {
		ids := anID.FindAllStringSubmatch(others.ReplaceAllString(result.Text, ""), -1)
		if len(ids) < 50 {
			t.Fatalf("after %s, %d facts are there:\n%s", when, len(ids), result.Text)
		}
		for _, id := range ids {
			begins := 0
			for _, m := range facts {
				if strings.HasPrefix(m.ID, id[1]) {
					begins++
				}
			}
			if begins != 1 {
				t.Errorf("after %s, %d ids begin with %s", when, begins, id[1])
			}
		}
		more := others.FindStringSubmatch(result.Text)
		if more == nil {
			t.Fatalf("after %s, nothing counts the other facts:\n%s", when, result.Text)
		}
		all := many
		if when == "a commit" {
			all = len(facts)
			if !strings.Contains(result.Text, "retries a request") {
				t.Errorf("a start lacks the newest fact:\n%s", result.Text)
			}
		}
		if counted, _ := strconv.Atoi(more[1]); counted+len(ids) != all {
			t.Errorf("after %s, %d facts are there and %d others are counted, of %d", when, len(ids), counted, all)
		}
	}
	alloctest.AtMost(t, 5_000, 1_100_000, func() { start() })
}

// TestTheDaemonAllocatesLittle bounds the allocations of the hooks' requests and events in a
// project of 1,000 memories, including those of the store.
func TestTheDaemonAllocatesLittle(t *testing.T) {
	a, store, _ := daemontest.New(t)
	a.Counter = daemontest.ExactCounter(t)
	var large []memory.Memory
	for i := range 1000 {
		large = append(large, memory.Memory{
			ID: fmt.Sprintf("%032x", i), Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: memory.KindNote, Status: memory.StatusActive,
			Content: fmt.Sprintf("The port of service %d is %d, and its owner is team %d.", i, 1024+i, i%97), Importance: 0.5, CreatedAt: daemontest.Noon, LastSeenAt: daemontest.Noon,
		})
	}
	musttest.Do(t, storetest.Fill(t.Context(), store, large))
	root := t.TempDir()
	var rules strings.Builder
	for i := range 200 {
		_, _ = fmt.Fprintf(&rules, "- The port of gateway %d is %d.\n", i, 1024+i)
	}
	musttest.Do(t, os.WriteFile(filepath.Join(root, "CLAUDE.md"), []byte(rules.String()), 0o600))
	a.Instructions = instructions.New("", a.Now)
	a.Rebuild()
	_, _ = a.Briefing.Index(t.Context(), "p")
	n := 100
	ingest := func(e memory.Event) {
		t.Helper()
		daemontest.Ingested(t, a, e)
	}
	starts := 0
	begun := func() string { // a session starts once
		starts++
		return fmt.Sprint("started ", starts)
	}
	for _, c := range []struct {
		what         string
		count, bytes uint64
		do           func()
	}{
		{"a start", 2_000, 1_000_000, func() { daemontest.StartOf(t, a, begun()) }},
		{"a start beside a CLAUDE.md", 5_000, 1_700_000, func() {
			musttest.Get(a.Briefing.SessionContext(t.Context(), daemonapi.SessionContextParams{Project: "p", Root: root, Session: begun(), Source: "startup", TokenBudget: 1000, Before: "0"}))(t)
		}},
		{"a prompt", 120, 60_000, func() {
			musttest.Get(a.Briefing.Recall(t.Context(), daemonapi.RecallParams{
				Purpose: daemonapi.ForPrompt, Project: "p", Root: root, Session: "s1", Text: "which port does service 711 listen on", TokenBudget: 300,
			}))(t)
		}},
		{"a tool's event", 1_400, 120_000, func() {
			n++
			e := daemontest.Event(n, memory.EventCommandSucceeded)
			e.Tool, e.Command, e.Output = "Bash", "go test ./...", "ok"
			ingest(e)
		}},
		{"a prompt's event", 1_450, 120_000, func() { n++; ingest(daemontest.Prompt(n, "make the port of service 711 a setting")) }},
	} {
		t.Run(c.what, func(t *testing.T) { alloctest.AtMost(t, c.count, c.bytes, c.do) })
	}
}
