package main

import (
	"slices"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/latency"
	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/registry"
)

func TestAPeerIsCalledWithTheEvent(t *testing.T) {
	peers, err := parsePeers([]string{"other=/opt/other/hook --event {event}", "empty = true"})
	if err != nil || len(peers) != 2 || peers[1].name != "empty" {
		t.Fatalf("%+v, %v", peers, err)
	}
	call := peers[0].call("PreToolUse")
	if call.Command != "/opt/other/hook" || !slices.Equal(call.Args, []string{"--event", "PreToolUse"}) {
		t.Errorf("it is called as %+v", call)
	}
	for _, wrong := range []string{"", "other", "other=", "=true"} {
		if _, err := parsePeers([]string{wrong}); err == nil {
			t.Errorf("the peer %q is accepted", wrong)
		}
	}
}

func TestAPeersRowHasNoBudget(t *testing.T) {
	s := series{program: program{Program: registry.Program{Event: userPrompt}, name: "user-prompt-submit"}, peer: &peer{name: "other"}}
	row := latency.Judge(s.row(), latency.Summary{P50: 1}, latency.AtRest)
	if row.Name != "other: user-prompt-submit" || row.Budget != 0 || row.Verdict != latency.NoBudget {
		t.Errorf("the row is %+v", row)
	}
}
