package distill_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// changing are the cards of sessions that changed a file one after the other, two of each.
func changing(sessions int, file string) []memory.Row {
	var rows []memory.Row
	for i := 1; i <= sessions; i++ {
		for turn := range 2 {
			text := fmt.Sprintf("session %d turn %d %s", i, turn, strings.Repeat("changed the query of the export ", 60))
			rows = append(rows, memory.Row{Memory: memory.Memory{
				ID: memory.NewID(memory.ScopeProject, "p", text), Project: "p", Kind: memory.KindTurn, Status: memory.StatusActive,
				Content: text, Files: []string{file}, Session: fmt.Sprint("s", i), LastSeenAt: minute(10*i + turn),
			}})
		}
	}
	return rows
}

func clusterOf(t *testing.T, n int, standing []memory.Row, change func(*distill.Input)) (distill.Part, bool) {
	t.Helper()
	in := distill.Input{Standing: standing, Counter: counter(t), Budget: 6_000, Record: memory.SessionRecord{Session: memory.Session{
		ID: fmt.Sprint("s", n), Project: "p", State: memory.SessionCompleted, LastEventAt: minute(10*n + 5),
	}}}
	if change != nil {
		change(&in)
	}
	return in.Cluster()
}

func TestAClusterIsAskedAboutAtEachDoubling(t *testing.T) {
	standing := changing(13, "export.sql")
	for n := 1; n <= 13; n++ {
		p, is := clusterOf(t, n, standing, nil)
		if want := n == 3 || n == 6 || n == 12; is != want {
			t.Errorf("session %d of a file makes a cluster: %v", n, is)
		}
		if !is {
			continue
		}
		q := p.Question(1)
		if tokens := q.Tokens(counter(t)) + distill.Overhead + q.MaxOutput; tokens > 6_000 {
			t.Errorf("the question has %d tokens", tokens)
		}
		if strings.Contains(q.Prompt, fmt.Sprintf("session %d ", n+1)) || strings.Contains(q.Prompt, "turn 0") || !strings.Contains(q.Prompt, fmt.Sprintf("session %d turn 1", n)) {
			t.Errorf("session %d is asked\n%s", n, q.Prompt)
		}
	}
	cards := func(in *distill.Input) { // the first two sessions were distilled
		for _, row := range standing[:4] {
			in.Cards = append(in.Cards, row.Memory)
		}
	}
	if p, is := clusterOf(t, 3, standing[4:6], cards); !is || len(p.Sources) != 3 {
		t.Errorf("with turns that are evidence: %v, %+v", is, p)
	}
	if _, is := clusterOf(t, 3, standing, func(in *distill.Input) { in.Record.Session.State = memory.SessionActive }); is {
		t.Error("a session that goes on makes a cluster")
	}
	superseded := changing(3, "export.sql")
	for i := range superseded {
		superseded[i].SupersededBy = "another"
	}
	if _, is := clusterOf(t, 3, superseded, nil); is {
		t.Error("a superseded memory makes a cluster")
	}
}

func TestAnAnsweredClusterIsNotAskedAboutAgain(t *testing.T) {
	standing := changing(3, "export.sql")
	first, _ := clusterOf(t, 3, standing, nil)
	text, err := memory.DistilledText(memory.Distilled{Part: first.Key})
	if err != nil {
		t.Fatal(err)
	}
	again, is := clusterOf(t, 3, standing, func(in *distill.Input) {
		in.Record.SessionEvents = []memory.SessionEvent{{ID: "e", Kind: memory.EventDistilled, Text: text, At: minute(40)}}
	})
	if first.Done || !is || !again.Done {
		t.Errorf("first %v, again %v", first.Done, again.Done)
	}
}
