package sharing_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/agenttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// repository is a checkout with the shared facts of its project.
type repository struct {
	t    *testing.T
	root string
}

func newRepository(t *testing.T) repository {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{".git/objects", ".git/refs", importer.SharedFolder} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return repository{t, root}
}

// share adds the file of a fact, and returns a function that removes it.
func (r repository) share(author, content string, at time.Time) (withdraw func()) {
	r.t.Helper()
	name, text := importer.SharedFact{Kind: memory.KindConvention, Content: content, Author: author, At: at}.Encode()
	file := filepath.Join(r.root, importer.SharedFolder, name)
	if err := os.WriteFile(file, text, 0o644); err != nil {
		r.t.Fatal(err)
	}
	return func() {
		if err := os.Remove(file); err != nil {
			r.t.Fatal(err)
		}
	}
}

// readShared reads the shared facts of a project's checkout.
func readShared(t *testing.T, a *agenttest.Fixture, r repository) agentapi.SharedResult {
	t.Helper()
	result, err := a.Sharing.Read(t.Context(), agentapi.SharedParams{Project: "p", Root: r.root})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// statusOf is the status of a memory of the project.
func statusOf(t *testing.T, a *agenttest.Fixture, content string) memory.Status {
	t.Helper()
	m, err := memory.Find(t.Context(), a.Intake.Store, memory.NewID(memory.ScopeProject, "p", content))
	if err != nil {
		t.Fatal(err)
	}
	return m.Status
}

const (
	anna = "anna <anna@example.org>"
	carl = "carl <carl@example.org>"
)

// TestAStartReadsSharedFacts: the start of a session reads them, behind its answer, and the next
// prompt informs the user once that they wait.
func TestAStartReadsSharedFacts(t *testing.T) {
	repo := newRepository(t)
	r := agenttest.Serve(t, agenttest.Ready)
	repo.share(anna, "every migration begins with its number", agenttest.Noon)
	repo.share(carl, "the release is cut on Thursdays", agenttest.Noon.Add(-time.Hour))
	var start agentapi.ContextResult
	params := agentapi.SessionContextParams{Project: "p", Root: repo.root, Session: "s1", Source: "startup", TokenBudget: 500, WaitMS: 5000}
	if err := r.Call(t, agentapi.MethodSessionContext.Call(params, &start)); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(start.Text, "migration") {
		t.Errorf("the start has %q", start.Text)
	}
	ask := func(session string) string {
		var answer agentapi.ContextResult
		params := agentapi.RecallParams{Purpose: agentapi.ForPrompt, Project: "p", Root: repo.root, Session: session, Text: "how do migrations begin?", TokenBudget: 500, ReportKept: true, WaitMS: 5000}
		if err := r.Call(t, agentapi.MethodRecall.Call(params, &answer)); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(answer.Text, "its number") {
			t.Errorf("a prompt gets %q", answer.Text)
		}
		return answer.Kept
	}
	notice, deadline := "", time.Now().Add(10*time.Second)
	for notice == "" && time.Now().Before(deadline) {
		notice = ask("s1")
	}
	if want := "surrealdb-memory: 2 facts wait for your yes, shared here by anna, carl"; notice != want {
		t.Errorf("the user sees %q, want %q", notice, want)
	}
	if again := ask("s2"); again != "" {
		t.Errorf("the user sees it again: %q", again)
	}
}

// TestTwoAuthorsOfAFactAreTwoSightings: it has one row, by the first of them, and stays until
// both have withdrawn it.
func TestTwoAuthorsOfAFactAreTwoSightings(t *testing.T) {
	a, _, _ := agenttest.New(t)
	repo := newRepository(t)
	const said = "every migration begins with its number"
	withdrawCarl, withdrawAnna := repo.share(carl, said+".", agenttest.Noon.Add(-time.Hour)), repo.share(anna, said, agenttest.Noon.Add(-2*time.Hour))
	result := readShared(t, a, repo)
	if result.New != 1 || len(result.Proposed) != 1 || result.Proposed[0].Author != anna {
		t.Fatalf("read as %+v", result)
	}
	rows, err := a.Intake.Store.Rows(t.Context(), memory.WithIDs{result.Proposed[0].ID})
	if err != nil || len(rows) != 1 || rows[0].Sessions != 2 {
		t.Errorf("the row is %+v, error %v", rows, err)
	}
	withdrawAnna()
	if readShared(t, a, repo); statusOf(t, a, said) != memory.StatusProposed {
		t.Errorf("withdrawn by one of two, it is %s", statusOf(t, a, said))
	}
	withdrawCarl()
	if result = readShared(t, a, repo); result.Withdrawn != 1 || statusOf(t, a, said) != memory.StatusArchived {
		t.Errorf("withdrawn by both, it is %s: %+v", statusOf(t, a, said), result)
	}
}

// TestASharedFactStaysWhileACheckoutHasIt: of two checkouts of a project, one without the file
// takes nothing from the other. One that is gone does not count.
func TestASharedFactStaysWhileACheckoutHasIt(t *testing.T) {
	a, _, _ := agenttest.New(t)
	main, feature := newRepository(t), newRepository(t)
	const said = "every migration begins with its number"
	main.share(anna, said, agenttest.Noon)
	for _, repo := range []repository{main, feature, main, feature} {
		if readShared(t, a, repo); statusOf(t, a, said) != memory.StatusProposed {
			t.Fatalf("it is %s", statusOf(t, a, said))
		}
	}
	if err := os.RemoveAll(main.root); err != nil {
		t.Fatal(err)
	}
	if readShared(t, a, feature); statusOf(t, a, said) != memory.StatusArchived {
		t.Errorf("in no checkout, it is %s", statusOf(t, a, said))
	}
}

// TestARejectedFactStaysRejected, whatever is read again, and one that was accepted comes back
// as accepted.
func TestARejectedFactStaysRejected(t *testing.T) {
	a, _, _ := agenttest.New(t)
	repo := newRepository(t)
	share := func(said string) func() { return repo.share(anna, said, agenttest.Noon) }
	takeAccepted, takeRejected, takeWaiting := share("accepted"), share("rejected"), share("waiting")
	judge := func(said string, c memory.Change) {
		t.Helper()
		c.ID, c.At, c.By = memory.NewEventID(agenttest.Noon), agenttest.Noon, memory.ByPerson
		if _, err := a.Intake.Amend(t.Context(), agentapi.AmendParams{Project: "p", ID: memory.NewID(memory.ScopeProject, "p", said), Change: c}); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(when string, want ...memory.Status) {
		t.Helper()
		readShared(t, a, repo)
		for i, said := range []string{"accepted", "rejected", "waiting"} {
			if got := statusOf(t, a, said); got != want[i] {
				t.Errorf("%s: the %s fact is %s, want %s", when, said, got, want[i])
			}
		}
	}
	expect("shared", memory.StatusProposed, memory.StatusProposed, memory.StatusProposed)
	judge("accepted", memory.Change{Status: memory.StatusActive})
	judge("rejected", memory.Change{Status: memory.StatusArchived, Reason: "rejected"})
	expect("judged", memory.StatusActive, memory.StatusArchived, memory.StatusProposed)
	takeAccepted()
	takeRejected()
	takeWaiting()
	expect("withdrawn", memory.StatusArchived, memory.StatusArchived, memory.StatusArchived)
	share("accepted")
	share("rejected")
	share("waiting")
	expect("shared again", memory.StatusActive, memory.StatusArchived, memory.StatusProposed)
}

// TestOnesOwnWordIsNotAnothersFact: a file has the text of the user's memory, before or after.
func TestOnesOwnWordIsNotAnothersFact(t *testing.T) {
	a, _, _ := agenttest.New(t)
	repo := newRepository(t)
	agenttest.Kept(t, a, agenttest.Noted(1, "the port is 6543"))
	withdraw := repo.share(anna, "the port is 6543", agenttest.Noon.Add(time.Hour))
	if result := readShared(t, a, repo); result.New != 0 || len(result.Proposed) != 0 {
		t.Errorf("read as %+v", result)
	}
	withdraw()
	if readShared(t, a, repo); statusOf(t, a, "the port is 6543") != memory.StatusActive {
		t.Errorf("after another person has withdrawn the same, the user's word is %s", statusOf(t, a, "the port is 6543"))
	}
}
