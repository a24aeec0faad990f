package workload_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/workload"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

type noTokens struct{}

func (noTokens) Count(string) int { return 0 }
func (noTokens) Encoding() string { return "none" }

var spec = workload.Spec{
	Seed: 7, Until: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC),
	Measured: memory.Project{Key: "measured", Name: "measured", Root: "/measured"}, Memories: 60, Store: 200,
	Known: []memory.Event{{Kind: memory.EventPrompt, Prompt: "note: the first thing known"}},
}

func TestEventsGiveExactlyTheWantedMemories(t *testing.T) {
	known, perProject, perKind := map[string]bool{}, map[string]int{}, map[string]int{}
	for e := range workload.Events(spec) {
		perKind[string(e.Kind)]++
		for _, id := range workload.Shown(e) {
			if !known[id] {
				known[id] = true
				perProject[e.Project.Key]++
			}
		}
	}
	if len(known) != spec.Store || perProject["measured"] != spec.Memories {
		t.Errorf("%d memories and activities, %d of them measured; want %d and %d", len(known), perProject["measured"], spec.Store, spec.Memories)
	}
	if len(perProject) < 10 {
		t.Errorf("memories of %d projects, want 10", len(perProject))
	}
	for _, m := range ingest.Batch(slices.Collect(workload.Events(spec))).Memories {
		perKind[string(m.Kind)]++
	}
	for _, kind := range []string{"todo", "convention", "decision", "note", "file_changed", "command_succeeded", "command_failed"} {
		if perKind[kind] == 0 {
			t.Errorf("there is nothing of kind %s", kind)
		}
	}
}

func TestRecallMayReturnEveryFact(t *testing.T) {
	stated := spec
	stated.Facts = true
	batch := ingest.Batch(slices.Collect(workload.Events(stated)))
	recallable := 0
	for _, m := range batch.Memories {
		if m.IsRecallable() {
			recallable++
		}
	}
	if len(batch.Memories) != spec.Store || recallable != spec.Store {
		t.Errorf("%d memories, %d of them recallable; want %d", len(batch.Memories), recallable, spec.Store)
	}
}

func TestTheFirstSessionHoldsWhatIsKnown(t *testing.T) {
	var first []memory.Event
	for e := range workload.Events(spec) {
		if first = append(first, e); e.Kind == memory.EventSessionEnded {
			break
		}
	}
	if len(first) != 3 || first[1].Prompt != spec.Known[0].Prompt || first[1].Project.Key != spec.Measured.Key {
		t.Errorf("first session: %+v", first)
	}
}

func TestEventsCanBeIngestedAndComeInOrder(t *testing.T) {
	last := memory.Event{}
	state := map[string]memory.EventKind{}
	for e := range workload.Events(spec) {
		if err := e.Validate(); err != nil {
			t.Fatal(err)
		}
		if e.ID <= last.ID || !e.At.After(last.At) || !e.At.Before(spec.Until) {
			t.Fatalf("event %s at %s follows %s at %s, until %s", e.ID, e.At, last.ID, last.At, spec.Until)
		}
		if isFirst := state[e.Session] == ""; isFirst != (e.Kind == memory.EventSessionStarted) {
			t.Fatalf("event %s: %s comes first: %v", e.ID, e.Kind, isFirst)
		}
		state[e.Session], last = e.Kind, e
	}
	for session, kind := range state {
		if kind != memory.EventSessionEnded {
			t.Errorf("session %s ends with %s", session, kind)
		}
	}
}

func TestTheSameSpecGivesTheSameEvents(t *testing.T) {
	first, second := slices.Collect(workload.Events(spec)), slices.Collect(workload.Events(spec))
	if !reflect.DeepEqual(first, second) {
		t.Error("two runs differ")
	}
	other := spec
	other.Seed++
	if reflect.DeepEqual(first, slices.Collect(workload.Events(other))) {
		t.Error("another seed gives the same events")
	}
}
