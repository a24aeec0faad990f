package lived

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

func TestAFactIsToldByALineThatHasItsQuote(t *testing.T) {
	quote := newQuoted("we always squash before merging to main, never rebase")
	for text, want := range map[string]bool{
		"- [0123 convention, 2 Jan] we always squash before merging to main, never rebase": true,
		"before merging to main, squash; rebase never, always":                             true,
		"we squash":                    false,
		"always use tabs in Go, never": false,
	} {
		if injected := quote.isIn(newQuoted(text)); injected != want {
			t.Errorf("%q: injected %v", text, injected)
		}
	}
}

func TestLinesThatTellNothingAreNotCounted(t *testing.T) {
	lines := linesOf("<surrealdb-memory>\nFrom earlier sessions: notes.\n## Open todos\n\n- one\n- two\n</surrealdb-memory>\n")
	if len(lines) != 2 {
		t.Errorf("%d lines", len(lines))
	}
}

// In context is a fact that stands in full in the start or with the prompt; named is one
// whose title does.
func TestAFactIsInContextInFullOrNamed(t *testing.T) {
	m := measurement{
		quotes:   map[string]quoted{"a": newQuoted("amounts are stored as integer cents"), "b": newQuoted("guests have no account, so exports must do without a join")},
		carriers: map[string][]string{"b": {"no export joins the account table"}},
		titles:   map[string][]string{"b": {"exports never join accounts"}},
	}
	text := func(lines string) daemonapi.ContextResult { return daemonapi.ContextResult{Text: lines, Tokens: 7} }
	const cents, export, title = "- amounts are stored as integer cents\n", "- No export joins the account table.\n", "- exports: “1f2e Exports never join accounts”\n"
	var got Begun
	for _, one := range []struct {
		gold   []string
		silent bool
		begun
	}{
		{[]string{"a", "b"}, false, begun{start: text(cents), prompt: export}}, // both, one of them at the start
		{[]string{"b"}, false, begun{start: text(cents), prompt: export}},      // with the prompt only
		{[]string{"b"}, false, begun{start: text(title), prompt: ""}},          // named only
		{[]string{"b"}, false, begun{start: text(cents), prompt: ""}},          // neither
		{nil, true, begun{start: text(cents), prompt: export}},                 // broken silence
		{nil, true, begun{start: text(cents), prompt: "<hint>keep it</hint>\n"}},
		{nil, false, begun{start: text(cents), prompt: export}},
	} {
		m.addBegun(&got, one.gold, one.silent, one.begun)
	}
	ones := []int{1, 1, 1, 1, 1, 1, 1}
	want := Begun{Prompts: 4, AtStart: 1, InContext: 2, AllOfIt: 2, Named: 3, Plain: 2, Silent: 2, Broken: 1, StartTokens: []int{7, 7, 7, 7, 7, 7, 7}, StartLines: ones, Facts: make([]int, 7)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A folder of two invented sessions: statements of the first are injected into the second, and a query from before the
// end of the first is skipped.
func TestSessionsAreLivedInTheirOrder(t *testing.T) {
	dir, work := t.TempDir(), t.TempDir()
	write := func(name string, lines ...any) {
		t.Helper()
		file, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			if err := json.NewEncoder(file).Encode(line); err != nil {
				t.Fatal(err)
			}
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	type object = map[string]any
	const quote = "from now on the parser must never allocate in its inner loop"
	write("meta.json", object{"origin": "https://example.com/a.git", "roots": []string{"/home/ann/a"}, "prefixes": []string{"/home/"}})
	write("facts.jsonl", object{"id": "f1", "session": "s1", "quote": quote})
	query := func(id, at string) object {
		return object{"id": id, "session": "s2", "time": at, "kind": "question", "prompt": "may the inner loop of the parser allocate?", "gold": []string{"f1"}}
	}
	write("queries.jsonl", query("early", "2026-01-05T09:00:00Z"), query("late", "2026-01-06T09:00:00Z"),
		object{"id": "prompt", "session": "s2", "time": "2026-01-06T09:00:00Z", "kind": "prompt", "prompt": "make the parser's inner loop faster", "gold": []string{"f1"}},
		object{"id": "silent", "session": "s2", "time": "2026-01-06T09:00:00Z", "kind": "prompt", "prompt": "which planet is the largest?", "silent": true},
		object{"id": "start", "session": "s2", "time": "2026-01-06T09:00:00Z", "kind": "start", "gold": []string{"f1"}})
	if err := os.Mkdir(filepath.Join(dir, "transcripts"), 0o700); err != nil {
		t.Fatal(err)
	}
	entry := func(at, kind, text string) object {
		return object{
			"type": kind, "uuid": "u" + at, "sessionId": "s1", "cwd": "/home/ann/a", "timestamp": at,
			"message": object{"role": kind, "content": []object{{"type": "text", "text": text}}},
		}
	}
	write("transcripts/s1.jsonl",
		entry("2026-01-05T10:00:00Z", "user", quote),
		entry("2026-01-05T10:01:00Z", "assistant", "The inner loop does not allocate any more."))
	folder, err := Load(dir, work)
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	dir = other
	type fact = map[string]any
	write("answers.jsonl", object{"session": "x", "facts": []fact{{"id": "d1", "kind": "decision", "text": "The harbour is frozen.", "title": "The harbour is frozen", "quotes": []string{"it froze"}, "cues": []string{"ships"}}}},
		object{"session": "y", "facts": []fact{{"id": "d2", "kind": "decision", "text": "The harbour is open.", "title": "The harbour is open", "quotes": []string{"it thawed"}, "cues": []string{"ships"}, "supersedes": "d1"}}})
	result, err := Measure(context.Background(), folder, work, Settings{Beside: []string{other}})
	if err != nil {
		t.Fatal(err)
	}
	groups := result.Report.Groups
	if g := groups["start gold"]; g == nil || g.Injected != 1 {
		t.Errorf("start: %+v", g)
	}
	if g := groups["question gold"]; g == nil || g.Asked != 1 {
		t.Errorf("question: %+v", g)
	}
	if facts := result.Report.Begun.Facts; !slices.Equal(facts, []int{1, 1}) {
		t.Errorf("facts of others: %v, want those that nothing supersedes", facts)
	}
	if b := result.Report.Begun; b.Prompts != 1 || b.AtStart != 1 || b.InContext != 1 || b.Silent != 1 || b.Broken != 0 || len(b.StartTokens) != 2 || b.StartTokens[0] == 0 {
		t.Errorf("prompts: %+v", b)
	}
}
