package automemory_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
)

// user is a person with a project, a client that keeps a memory of it, and a daemon.
type user struct {
	*testing.T
	*daemontest.Fixture
	root, client, folder string
	now                  time.Time
	events               int
}

// newUser makes a user whose daemon has a store.
func newUser(t *testing.T, store daemon.Store) *user {
	t.Helper()
	dir := musttest.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	u := &user{T: t, root: filepath.Join(dir, "shop"), client: filepath.Join(dir, "claude"), now: daemontest.Noon}
	for _, made := range []string{".git/objects", ".git/refs"} {
		u.mkdir(filepath.Join(u.root, made))
	}
	musttest.Do(t, os.WriteFile(filepath.Join(u.root, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
	u.folder = filepath.Join(u.client, filepath.Dir(importer.MemoryFile(u.root)))
	u.mkdir(u.folder)
	u.Fixture = daemontest.NewFixture(daemon.Options{
		Store: store, Spools: []*spool.Spool{spool.New(filepath.Join(dir, "spool"))}, Counter: daemontest.WordCounter{}, Config: config.Default(),
		Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return u.now },
		Client: u.client, Layout: paths.Layout{Home: dir},
	})
	return u
}

func (u *user) mkdir(dir string) {
	u.Helper()
	musttest.Do(u, os.MkdirAll(dir, 0o700))
}

// write writes a file of the client's memory, a minute after the last one.
func (u *user) write(name, text string) {
	u.Helper()
	u.now = u.now.Add(time.Minute)
	file := filepath.Join(u.folder, filepath.FromSlash(name))
	u.mkdir(filepath.Dir(file))
	musttest.Do(u, os.WriteFile(file, []byte(text), 0o600))
	musttest.Do(u, os.Chtimes(file, u.now, u.now))
}

// index writes a MEMORY.md that links to files.
func (u *user) index(names ...string) {
	u.Helper()
	var text strings.Builder
	for _, name := range names {
		_, _ = fmt.Fprintf(&text, "- [It](%s) — of interest\n", name)
	}
	u.write("MEMORY.md", text.String())
}

func (u *user) remove(name string) {
	u.Helper()
	musttest.Do(u, os.Remove(filepath.Join(u.folder, name)))
}

// topic is a file as the client writes it.
func topic(name, description, kind, body string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: %s\nmetadata:\n  node_type: memory\n  type: %s\n  originSessionId: 0a1b2c3d-0000-4000-8000-000000000000\n---\n\n%s\n", name, description, kind, body)
}

// happens has the daemon ingest an event of the project.
func (u *user) happens(kind memory.EventKind) {
	u.Helper()
	u.happensAt(kind, u.root)
}

func (u *user) happensAt(kind memory.EventKind, root string) {
	u.Helper()
	u.events++
	e := daemontest.Event(u.events, kind)
	e.Project, e.Dir, e.Source = memory.Project{Key: "p", Name: "p", Root: root}, root, "startup"
	daemontest.Put(u.T, u.Spools[0], e)
	musttest.Get(u.Intake.Ingest(u.Context()))(u)
	u.Auto.Check(u.Context())
}

// stored are the facts of the client's memory that are in a status, by content.
func (u *user) stored(status memory.Status) map[string]memory.Memory {
	u.Helper()
	all := musttest.Get(memory.Memories(u.Context(), u.Store, memory.Filter{Project: "p", Statuses: []memory.Status{status}, Limit: 10_000}))(u)
	found := map[string]memory.Memory{}
	for _, m := range all {
		if m.HasTag(memory.TagAutoMemory) {
			found[m.Content] = m
		}
	}
	return found
}

// expect compares the contents of the facts that are active.
func (u *user) expect(when string, want ...string) {
	u.Helper()
	var got []string
	for content := range u.stored(memory.StatusActive) {
		got = append(got, content)
	}
	slices.Sort(got)
	slices.Sort(want)
	musttest.Same(u, want, got, "%s, the facts are (-want +got)", when)
}

// given are the texts injected into a new session of a client, at its start, for a prompt, and for a subagent, in this order.
func (u *user) given(client, prompt string) (texts [3]string) {
	u.Helper()
	u.events++
	session := fmt.Sprint("given", u.events)
	start := musttest.Get(u.Briefing.SessionContext(u.Context(), daemonapi.SessionContextParams{
		Project: "p", Root: u.root, Client: client, Session: session, Source: "startup", TokenBudget: 2000, Before: "0",
	}))(u)
	texts[0] = start.Text
	for i, p := range []daemonapi.RecallParams{{Purpose: daemonapi.ForPrompt, Text: prompt, Session: session + "p"}, {Purpose: daemonapi.ForSubagent, Text: "reviewer", Session: session, Subagent: "a1"}} {
		u.Sessions.ExpectSubagent(session, "reviewer", prompt)
		p.Project, p.Root, p.Client, p.TokenBudget = "p", u.root, client, 1000
		answer := musttest.Get(u.Briefing.Recall(u.Context(), p))(u)
		texts[i+1] = answer.Text
	}
	return texts
}

const (
	staging = "The staging database listens on port 6543, because 5432 is taken by the proxy."
	mocks   = "Integration tests never mock the payment gateway."
	loose   = "Releases are cut on Tuesdays"
)

// The whole life of a client's memory.
func TestTheClientsMemoryBecomesFacts(t *testing.T) {
	u := newUser(t, surrealtest.Empty(t))
	u.write("staging_port.md", topic("staging-port", "Staging database is on port 6543", "project", staging))
	u.write("no_mocks.md", topic("no-mocks", "Never mock the payment gateway", "feedback", mocks))
	u.write("MEMORY.md", "# Memory\n\n- [Staging port](staging_port.md) — where it listens\n- [No mocks](no_mocks.md) — in tests\n- "+loose+"\n")
	u.happens(memory.EventPrompt)
	u.expect("after an event that is no moment to look")
	u.happens(memory.EventSessionStarted)
	u.expect("read", staging, mocks, loose)
	m := u.stored(memory.StatusActive)[staging]
	got := []any{m.Title, m.Area, m.Kind, m.Scope, m.Source, m.Importance, m.LastSeenAt.Equal(daemontest.Noon.Add(time.Minute))}
	want := []any{"Staging database is on port 6543", "project", memory.KindNote, memory.ScopeProject, memory.SourceImport, memory.FactImportance(2), true}
	if diff := cmp.Diff(want, got); diff != "" || !m.IsFact() {
		t.Errorf("the fact (-want +got):\n%s", diff)
	}
	if m := u.stored(memory.StatusActive)[mocks]; m.Kind != memory.KindConvention || m.IsUsersWord() {
		t.Errorf("the user's feedback in the client's words is a %s by %s", m.Kind, m.Attribution())
	}

	const prompt = "Which port does the staging database listen on?"
	for i, text := range u.given(client.Codex, prompt) {
		if !strings.Contains(text, staging) && (i == 0 || !strings.Contains(text, "6543")) {
			t.Errorf("Codex, answer %d:\n%s", i, text)
		}
	}
	claude := u.given("", prompt)
	if strings.Contains(claude[0]+claude[1], "6543") || strings.Contains(claude[0], "payment gateway") {
		t.Errorf("Claude Code gets the facts that it loads itself:\n%s%s", claude[0], claude[1])
	}
	if !strings.Contains(claude[2], "6543") {
		t.Errorf("a subagent of Claude Code, which loads no fact, is given:\n%s", claude[2])
	}

	const moved = "The staging database listens on port 7000 now, because 5432 is taken by the proxy."
	u.write("staging_port.md", topic("staging-port", "Staging database is on port 7000", "project", moved))
	u.remove("no_mocks.md")
	u.happens(memory.EventTurnEnded)
	u.expect("after a turn it is not read", staging, mocks, loose)
	u.happens(memory.EventSessionEnded)
	u.expect("a file has changed and one is gone", moved, loose, "[No mocks](no_mocks.md) — in tests")
	away := u.stored(memory.StatusArchived)
	if len(away) != 2 || away[staging].ID == "" || away[mocks].ID == "" {
		t.Errorf("the archived facts are %+v", away)
	}
	if strings.Contains(u.given(client.Codex, prompt)[0], "6543") {
		t.Error("Codex is given the fact of before")
	}

	u.write("staging_port.md", topic("staging-port", "Where staging listens", "project", staging))
	u.write("no_mocks.md", topic("no-mocks", "Never mock the payment gateway", "feedback", mocks))
	u.happens(memory.EventSessionStarted)
	u.expect("both are as before", staging, mocks, loose)
	musttest.Same(t, "Where staging listens", u.stored(memory.StatusActive)[staging].Title, "the title (-want +got)")
}

// TestOnlyWhoLoadsAFactIsNotGivenIt: another checkout of the project has another folder.
func TestOnlyWhoLoadsAFactIsNotGivenIt(t *testing.T) {
	u := newUser(t, surrealtest.Empty(t))
	u.write("staging_port.md", topic("staging-port", "Staging database is on port 6543", "project", staging))
	u.index("staging_port.md")
	u.happens(memory.EventSessionStarted)
	const prompt = "Which port does the staging database listen on?"
	isGiven := func() bool { return strings.Contains(u.given("", prompt)[0], staging) }
	if isGiven() {
		t.Error("it is given where the client loads it")
	}
	u.Rebuild() // the daemon starts anew
	if isGiven() {
		t.Error("it is given after a restart of the daemon")
	}
	home, worktree := u.root, u.root+"-wt"
	git := filepath.Join(home, ".git", "worktrees", "wt")
	u.mkdir(git)
	u.mkdir(worktree)
	for file, text := range map[string]string{
		filepath.Join(git, "commondir"): "../..\n", filepath.Join(git, "HEAD"): "ref: refs/heads/wt\n", filepath.Join(git, "gitdir"): filepath.Join(worktree, ".git") + "\n",
		filepath.Join(worktree, ".git"): "gitdir: " + git + "\n",
	} {
		musttest.Do(t, os.WriteFile(file, []byte(text), 0o600))
	}
	u.happensAt(memory.EventSessionStarted, worktree)
	u.expect("a worktree has the same folder", staging)
	if u.root = worktree; isGiven() {
		t.Error("it is given in a worktree, where the client loads it")
	}
	if u.root = home + "-clone"; !isGiven() {
		t.Error("it is not given in another checkout, where the client does not load it")
	}
	u.root = home
	file := filepath.Join(u.folder, "staging_port.md")
	explained, err := u.Answers.Explain(t.Context(), daemonapi.ExplainParams{Project: "p", Root: u.root, ID: u.stored(memory.StatusActive)[staging].ID, Text: prompt})
	if err != nil || !strings.Contains(explained.Start.Why, file) || explained.Query == nil || !strings.Contains(explained.Query.Why, file) {
		t.Errorf("explained as %+v, %v", explained, err)
	}
	why := musttest.Get(u.Answers.Why(t.Context(), daemonapi.WhyParams{Project: "p", Root: u.root, Text: prompt}))(t)
	musttest.Same(t, 0, len(why.Injected), "why: %+v", why)
	found := daemontest.Found(t, u.Fixture, daemonapi.FindParams{Text: "staging database port"})
	if !slices.Contains(found, staging) {
		t.Errorf("search finds %q", found)
	}
}

// The user's switch in the client's settings holds, and so does the folder that they name; a project's settings name none.
func TestTheClientsSettings(t *testing.T) {
	u := newUser(t, surrealtest.Empty(t))
	settings := func(dir string, values map[string]any) {
		t.Helper()
		text := musttest.Get(json.Marshal(values))(t)
		u.mkdir(dir)
		musttest.Do(t, os.WriteFile(filepath.Join(dir, "settings.json"), text, 0o600))
	}
	usual := u.folder
	u.write("staging_port.md", topic("staging-port", "Staging database is on port 6543", "project", staging))
	u.index("staging_port.md")
	settings(u.client, map[string]any{"autoMemoryEnabled": false})
	u.happens(memory.EventSessionStarted)
	u.expect("it is switched off")

	settings(u.client, map[string]any{"autoMemoryDirectory": "relative"})
	u.folder = t.TempDir()
	u.write("no_mocks.md", topic("no-mocks", "Never mock the payment gateway", "feedback", mocks))
	u.index("no_mocks.md")
	settings(filepath.Join(u.root, ".claude"), map[string]any{"autoMemoryDirectory": u.folder})
	u.happens(memory.EventSessionEnded)
	u.expect("a path that is not absolute, and a project's, count for nothing", staging)

	settings(u.client, map[string]any{"autoMemoryDirectory": u.folder})
	u.happens(memory.EventSessionEnded)
	u.expect("the user's counts", staging, mocks)

	settings(u.client, map[string]any{"autoMemoryEnabled": false})
	u.happens(memory.EventSessionEnded)
	u.expect("it is switched off later", staging, mocks)
	if !strings.Contains(u.given("", "how are integration tests of the payment gateway written?")[0], mocks) {
		t.Error("a client whose own memory is off does not get its facts")
	}

	u.folder = usual
	settings(u.client, nil)
	u.remove("staging_port.md")
	u.index()
	u.happens(memory.EventSessionEnded)
	u.expect("a folder counts for itself", mocks)
}

// A renamed file makes no duplicate, nor do two files with the same text.
func TestARenamedFile(t *testing.T) {
	u := newUser(t, surrealtest.Empty(t))
	u.write("a.md", topic("a", "Staging database is on port 6543", "project", staging))
	u.write("b.md", topic("b", "Never mock the payment gateway", "feedback", mocks))
	u.write("c.md", topic("c", "Never mock the gateway", "feedback", mocks))
	u.index("a.md", "b.md", "c.md")
	u.happens(memory.EventSessionStarted)
	u.expect("read", staging, mocks)
	musttest.Do(t, os.Rename(filepath.Join(u.folder, "a.md"), filepath.Join(u.folder, "z.md")))
	u.remove("b.md")
	u.index("z.md", "c.md")
	u.happens(memory.EventSessionEnded)
	u.expect("one is renamed, and one of two is gone", staging, mocks)
	musttest.Same(t, 0, len(u.stored(memory.StatusArchived)), "archived")
	u.remove("c.md")
	u.remove("z.md")
	u.index()
	u.happens(memory.EventSessionEnded)
	u.expect("all are gone")
}

// The user's decision about a fact stays, whatever happens to the files.
func TestTheUserDecides(t *testing.T) {
	u := newUser(t, surrealtest.Empty(t))
	change := func(content string, c memory.Change) {
		t.Helper()
		c.ID, c.At, c.By, c.Reason = memory.NewEventID(u.now), u.now, memory.ByPerson, "the user wants it"
		musttest.Get(u.Intake.Amend(t.Context(), daemonapi.AmendParams{Project: "p", ID: u.stored(memory.StatusActive)[content].ID, Change: c}))(t)
	}
	const forgotten, pinned, edited, undone = "Carol deploys by hand.", "The sandbox resets at night.", "Invoices are rounded to cents.", "The ledger has three replicas."
	files := map[string]string{"forgotten.md": forgotten, "pinned.md": pinned, "edited.md": edited, "undone.md": undone}
	for name, body := range files {
		u.write(name, topic(name, body, "project", body))
	}
	u.index(slices.Collect(maps.Keys(files))...)
	u.happens(memory.EventSessionStarted)
	isPinned := true
	change(forgotten, memory.Change{Status: memory.StatusArchived})
	change(pinned, memory.Change{Pinned: &isPinned})
	change(edited, memory.Change{Content: "Invoices are rounded to whole cents, half up."})
	for name, body := range files { // touched, and the same
		u.write(name, topic(name, body, "project", body))
	}
	u.happens(memory.EventTurnEnded)
	const after = "Invoices are rounded to whole cents, half up."
	u.expect("the files were written again", pinned, after, undone)
	for name := range files {
		u.remove(name)
	}
	u.remove("MEMORY.md")
	u.happens(memory.EventSessionEnded)
	u.expect("the files are gone", pinned, after)

	runs := musttest.Get(u.Store.Runs(t.Context(), memory.RunQuery{Limit: 100}))(t)
	back := 0
	for _, run := range runs {
		if run.Trigger == "auto-memory" {
			musttest.Get(u.Upkeep.Undo(t.Context(), daemonapi.UndoParams{Run: run.ID}))(t)
			back++
		}
	}
	musttest.Same(t, 1, back, "how many runs are undone")
	u.expect("undone", pinned, after, undone)
	u.happens(memory.EventSessionEnded)
	u.expect("it stays", pinned, after, undone)
}

// A text that the user typed stays the user's, with or without a file.
func TestTheUsersWordsStayTheirs(t *testing.T) {
	u := newUser(t, surrealtest.Empty(t))
	kept := daemontest.Noted(1, staging)
	kept.Project.Root = u.root
	u.events = 1
	before := daemontest.Kept(t, u.Fixture, kept)
	u.write("staging_port.md", topic("staging-port", "Staging database is on port 6543", "project", staging))
	u.index("staging_port.md")
	u.happens(memory.EventSessionStarted)
	u.remove("staging_port.md")
	u.remove("MEMORY.md")
	u.happens(memory.EventSessionEnded)
	after, err := memory.Find(t.Context(), u.Store, before.ID)
	if err != nil || after.Status != memory.StatusActive || !after.IsUsersWord() || after.Kind != before.Kind {
		t.Errorf("the user's memory is %+v, %v", after, err)
	}
}

// Whatever lies in the folder, the rest is imported.
func TestAFolderOfAnything(t *testing.T) {
	u := newUser(t, surrealtest.Empty(t))
	outside := filepath.Join(t.TempDir(), "outside.md")
	musttest.Do(t, os.WriteFile(outside, []byte(topic("outside", "A file elsewhere", "project", "It is not of the folder.")), 0o600))
	u.write("plain.md", "No header here.\n")
	u.write("bom.md", "\ufeff"+topic("bom", "With a mark", "project", "The byte order mark is no text."))
	u.write("crlf.md", strings.ReplaceAll(topic("crlf", "With returns", "project", "Lines end as on Windows."), "\n", "\r\n"))
	u.write("broken.md", "---\nname: broken\ndescription: never closed\n\nThe header goes on.\n")
	u.write("empty.md", "")
	u.write("headed.md", topic("headed", "Nothing below", "project", ""))
	u.write("binary.md", "text\x00\x01")
	u.write("huge.md", strings.Repeat("It is long. ", 100_000))
	u.write("secret.md", topic("secret", "The token of the shop", "reference", "Sign in with AKIAIOSFODNN7EXAMPLQ."))
	u.write("deep/er/nested.md", topic("nested", "In folders", "", "It lies deep."))
	u.write("team/others.md", topic("others", "Of others", "project", "Somebody else says this."))
	u.write(".hidden/x.md", topic("x", "hidden", "project", "It is hidden."))
	u.write("notes.txt", "It is no Markdown.")
	for name, target := range map[string]string{"link.md": outside, "loop.md": "loop.md", "self": ".", "inside.md": "plain.md"} {
		musttest.Do(t, os.Symlink(target, filepath.Join(u.folder, name)))
	}
	musttest.Do(t, os.Mkdir(filepath.Join(u.folder, "folder.md"), 0o700))
	u.write("not_linked.md", topic("not-linked", "No link leads here", "project", "The index does not name it."))
	u.index("plain.md", "bom.md", "crlf.md", "broken.md", "empty.md", "headed.md", "binary.md", "huge.md", "secret.md", "deep/er/nested.md", "team/others.md",
		"notes.txt", "link.md", "loop.md", "inside.md", "folder.md", "../outside.md", outside, "none.md", "two%20words.md#part", "MEMORY.md")
	u.write("two words.md", topic("two", "With a space", "project", "Its name has a space."))
	u.happens(memory.EventSessionStarted)
	u.expect("read", "No header here.", "The byte order mark is no text.", "Lines end as on Windows.", "It lies deep.", "Its name has a space.",
		"Sign in with [redacted:aws-key].", "name: broken description: never closed", "The header goes on.",
		"[It](team/others.md) — of interest", "[It](notes.txt) — of interest", "[It](link.md) — of interest", "[It](loop.md) — of interest", "[It](folder.md) — of interest",
		"[It](../outside.md) — of interest", "[It]("+outside+") — of interest", "[It](none.md) — of interest")
	if m := u.stored(memory.StatusActive)["It lies deep."]; m.Area != "er" {
		t.Errorf("its area is %q", m.Area)
	}
}

// A thousand files are imported once, and an index of more archives none of those that are beyond the bound.
func TestAThousandFiles(t *testing.T) {
	u := newUser(t, surrealtest.Empty(t))
	var names []string
	for i := range 999 { // with the index a thousand
		names = append(names, fmt.Sprintf("n%04d.md", i))
		u.write(names[i], topic(fmt.Sprint("n", i), fmt.Sprintf("Service %d has port %d", i, 2000+i), "project", fmt.Sprintf("The service %d listens on port %d.", i, 2000+i)))
	}
	u.index(names...)
	u.happens(memory.EventSessionStarted)
	musttest.Same(t, 999, len(u.stored(memory.StatusActive)), "how many facts")
	before := runsOf(u)
	u.happens(memory.EventSessionEnded)
	musttest.Same(t, 0, runsOf(u)-before, "how many changes where nothing has changed")
	u.write("a.md", topic("a", "One more", "project", "One more than fits."))
	u.index(append([]string{"a.md"}, names...)...)
	u.happens(memory.EventSessionEnded)
	musttest.Same(t, 1000, len(u.stored(memory.StatusActive)), "how many facts")
}

func runsOf(u *user) int {
	u.Helper()
	runs := musttest.Get(u.Store.Runs(u.Context(), memory.RunQuery{Limit: 10_000}))(u)
	return len(runs)
}

// A folder that cannot be seen is not an empty one.
func TestAFolderThatCannotBeSeen(t *testing.T) {
	u := newUser(t, surrealtest.Empty(t))
	u.write("staging_port.md", topic("staging-port", "Staging database is on port 6543", "project", staging))
	u.index("staging_port.md")
	u.happens(memory.EventSessionStarted)
	away := u.client + "-away"
	musttest.Do(t, os.Rename(u.client, away))
	u.happens(memory.EventSessionEnded)
	u.expect("the client's directory is away", staging)
	musttest.Do(t, os.Rename(away, u.client))
	musttest.Do(t, os.RemoveAll(u.folder))
	u.happens(memory.EventSessionEnded)
	u.expect("the folder alone is gone")
}

// A store that is away, or a daemon that ends in the middle, loses nothing.
func TestAStoreThatIsAway(t *testing.T) {
	store := &daemontest.FaultyStore{Store: surrealtest.Empty(t)}
	u := newUser(t, store)
	u.write("staging_port.md", topic("staging-port", "Staging database is on port 6543", "project", staging))
	u.index("staging_port.md")
	store.Fail = func(b memory.Batch) error {
		if len(b.Memories) > 0 {
			return memory.ErrUnavailable
		}
		return nil
	}
	u.happens(memory.EventSessionStarted)
	u.expect("the store is away")
	store.Fail = nil
	u.Auto.Check(t.Context())
	u.expect("it is back", staging)

	u.write("staging_port.md", topic("staging-port", "Staging database is on port 7000", "project", "It listens on port 7000."))
	u.Rebuild()
	u.happens(memory.EventSessionStarted)
	u.expect("it has changed while the daemon was away", "It listens on port 7000.")
}
