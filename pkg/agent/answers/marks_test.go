package answers_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/answers"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// recalled is the answers by prompt; "" has that to all others.
type recalled map[string]agentapi.WhyResult

func (r recalled) Why(_ context.Context, p agentapi.WhyParams) (agentapi.WhyResult, error) {
	if result, has := r[p.Text]; has {
		return result, nil
	}
	return r[""], nil
}

type unmerged struct{}

func (unmerged) Resolve(project string) string { return project }

// TestMarksAreHeldAgainstRecall: the last verdict on a prompt counts, a damaged line is
// left out, secrets are not kept, and a failure describes the actual result of recall.
func TestMarksAreHeldAgainstRecall(t *testing.T) {
	hit := func(id, content, why string) agentapi.WhyHit {
		return agentapi.WhyHit{Memory: memory.Memory{ID: id, Content: content}, Why: why}
	}
	set := &answers.Marks{
		File: filepath.Join(t.TempDir(), "evaluation.jsonl"), Now: time.Now,
		Clean: func(text string) string { return strings.ReplaceAll(text, "hunter2", "***") },
		Recall: recalled{
			"write a poem": {Silent: true, Skipped: []agentapi.WhyHit{hit("sea", "the sea is wide", "no word of it is rare")}},
			"":             {Injected: []agentapi.WhyHit{hit("port", "the port is 6543", "")}, AtStart: []string{"user"}},
		},
		Aliases: unmerged{},
	}
	if got, err := set.Run(t.Context(), agentapi.None{}); err != nil || got.Silences+got.Wanted != 0 {
		t.Fatalf("without marks: %+v, %v", got, err)
	}
	for _, m := range []agentapi.Mark{
		{Prompt: "write a poem"},
		{Prompt: "write a poem", Memory: "sea"}, // takes the one before back
		{Prompt: "which port hunter2", Memory: "port"},
		{Prompt: "which port hunter2", Memory: "port"}, // once more
		{Prompt: "which port hunter2", Memory: "host"},
		{Prompt: "which port hunter2", Memory: "user"},
		{Prompt: "thanks"},
	} {
		if _, err := set.Mark(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(set.File)
	if err != nil || strings.Contains(string(data), "hunter2") {
		t.Fatalf("kept\n%s%v", data, err)
	}
	if err := os.WriteFile(set.File, append(data, "{\"prompt\": \"cut"...), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := set.Run(t.Context(), agentapi.None{})
	if err != nil {
		t.Fatal(err)
	}
	var failed []string
	for _, one := range got.Failed {
		failed = append(failed, one.Prompt+": "+one.Why)
	}
	want := []string{"write a poem: no word of it is rare", "which port ***: it shares no word with this prompt, or nobody asked to keep it", "thanks: it is given: the port is 6543"}
	if diff := cmp.Diff(want, failed); diff != "" || got.Silences != 1 || got.Kept != 0 || got.Wanted != 4 || got.Recalled != 2 {
		t.Errorf("%+v\n%s", got, diff)
	}
	if _, err := set.Mark(t.Context(), agentapi.Mark{Prompt: " "}); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("without a prompt: %v", err)
	}
}

// TestTheSetIsCleanedAndPurged: a secret that only newer rules detect is removed from prompts, a dry
// run changes nothing, and a purged project leaves no line.
func TestTheSetIsCleanedAndPurged(t *testing.T) {
	same := func(text string) string { return text }
	set := &answers.Marks{File: filepath.Join(t.TempDir(), "evaluation.jsonl"), Now: time.Now, Clean: same}
	clean := func(text string) string { return strings.ReplaceAll(text, "hunter2", "***") }
	if n, err := set.Rewrite(true, clean); n != 0 || err != nil {
		t.Fatalf("without a file: %d, %v", n, err)
	}
	for _, m := range []agentapi.Mark{
		{Project: "p", Prompt: "log in with hunter2"}, {Project: "p", Prompt: "which port", Memory: "port"}, {Project: "q", Prompt: "thanks"},
	} {
		if _, err := set.Mark(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	text := func() string {
		data, err := os.ReadFile(set.File)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	before := text()
	if n, err := set.Rewrite(false, clean); n != 1 || err != nil || text() != before {
		t.Errorf("looking found %d, %v, and left\n%s", n, err, text())
	}
	if n, err := set.Rewrite(true, clean); n != 1 || err != nil || text() != clean(before) {
		t.Errorf("cleaning changed %d, %v, and left\n%s", n, err, text())
	}
	if err := set.Discard(func(project string) bool { return project == "p" }); err != nil {
		t.Fatal(err)
	}
	if left := text(); strings.Count(left, "\n") != 1 || !strings.Contains(left, "thanks") {
		t.Errorf("the purge left\n%s", left)
	}
}
