package instructions_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/instructions"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a project and the client's directory.
type world struct {
	t            *testing.T
	root, client string
	*instructions.Instructions
}

// inWorld runs a test in a bubble: its clock stands still while files are read.
func inWorld(t *testing.T, test func(w world)) {
	t.Helper()
	root, client := t.TempDir(), t.TempDir()
	synctest.Test(t, func(t *testing.T) { test(world{t, root, client, instructions.New(client, time.Now)}) })
}

func (w world) write(file, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

const fact = "Database migrations are numbered with four digits"

// byUser is the file with words that the user typed.
func (w world) byUser(text string) string {
	w.t.Helper()
	time.Sleep(time.Second) // of the bubble's clock
	find := w.FileFinder(w.t.Context(), "", w.root)
	if find == nil {
		return ""
	}
	return find(memory.Memory{ID: memory.NewID(memory.ScopeProject, "p", text), Content: text, Source: memory.SourceUser})
}

// by is the file with a text, a second after the last check.
func (w world) by(text string) string {
	w.t.Helper()
	time.Sleep(time.Second) // of the bubble's clock
	return w.byAtOnce(text)
}

func (w world) byAtOnce(text string) string {
	find := w.FileFinder(w.t.Context(), "", w.root)
	if find == nil {
		return ""
	}
	return find(memory.Memory{ID: memory.NewID(memory.ScopeProject, "p", text), Content: text})
}

func TestFilesThatTheClientLoads(t *testing.T) {
	for name, c := range map[string]struct {
		file    string // in the project; in the client's directory behind "client/"
		text    string
		another map[string]string // files beside it
		want    bool
	}{
		"the project's file":                         {file: "CLAUDE.md", want: true},
		"the user's for the project":                 {file: "CLAUDE.local.md", want: true},
		"the project's in its folder":                {file: ".claude/CLAUDE.md", want: true},
		"another agent's":                            {file: "AGENTS.md", want: true},
		"another agent's in the folder":              {file: ".claude/AGENTS.md", want: true},
		"another agent's beside the client's":        {file: "AGENTS.md", another: map[string]string{"CLAUDE.md": "Be brief.\n"}},
		"another agent's that is included":           {file: "AGENTS.md", another: map[string]string{"CLAUDE.md": "@AGENTS.md\n"}, want: true},
		"a file in UTF-16":                           {file: "CLAUDE.md", text: "\xfe\xff" + strings.TrimSuffix(strings.ReplaceAll(fact, "", "\x00"), "\x00"), want: true},
		"the user's":                                 {file: "client/CLAUDE.md", want: true},
		"the user's other file":                      {file: "client/agents/sql.md"},
		"the client's memory":                        {file: "client/MEMORY", want: true},
		"the client's memory of another":             {file: "client/projects/-elsewhere/memory/MEMORY.md"},
		"a file that the client's memory only names": {file: "client/TOPIC"},
		"the end of the client's memory":             {file: "client/MEMORY", text: strings.Repeat("- other\n", 200) + "- " + fact + "\n"},
		"any other file":                             {file: "docs/db.md"},
		"an item of a list":                          {file: "CLAUDE.md", text: "# Rules\n\n- Use tabs.\n- The database's migrations: numbered, with four digits.\n", want: true},
		"one of several sentences":                   {file: "CLAUDE.md", text: "Be brief. " + fact + ". Use tabs.\n", want: true},
		"words of two sentences":                     {file: "CLAUDE.md", text: "Database migrations are reviewed. Invoices are numbered with four digits.\n"},
		"a negation":                                 {file: "CLAUDE.md", text: "Database migrations are never numbered with four digits.\n"},
		"a comment":                                  {file: "CLAUDE.md", text: "<!-- " + fact + " -->\n"},
		"too large":                                  {file: "CLAUDE.md", text: fact + ".\n" + strings.Repeat("x", 256<<10)},
		"binary":                                     {file: "CLAUDE.md", text: fact + ".\n\x00"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w world) {
				place := func(name string) string {
					folder := filepath.Join(w.client, "projects", strings.NewReplacer("/", "-", ".", "-", "_", "-").Replace(w.root), "memory")
					switch name {
					case "client/MEMORY":
						return filepath.Join(folder, "MEMORY.md")
					case "client/TOPIC":
						return filepath.Join(folder, "sql.md")
					}
					if below, isClients := strings.CutPrefix(name, "client/"); isClients {
						return filepath.Join(w.client, below)
					}
					return filepath.Join(w.root, name)
				}
				if c.text == "" {
					c.text = fact + ".\n"
				}
				w.write(place(c.file), c.text)
				for name, text := range c.another {
					w.write(place(name), text)
				}
				want := ""
				if c.want {
					want = strings.TrimPrefix(place(c.file), w.root+string(filepath.Separator))
				}
				musttest.Same(t, want, w.by(fact), "the fact is (-want +got)")
			})
		})
	}
}

func TestANumberOrANegationMakesItNew(t *testing.T) {
	inWorld(t, func(w world) {
		w.write(filepath.Join(w.root, "CLAUDE.md"), "The staging server listens on port 6543. Push to the main branch.\n")
		for text, want := range map[string]string{
			"the staging server listens on port 6543":                                      "CLAUDE.md",
			"the staging server listens on port 7000":                                      "",
			"push to the main branch":                                                      "CLAUDE.md",
			"never push to the main branch":                                                "",
			"The staging server listens on port 6543. Push to the main branch; test it.":   "",
			"Push to the main branch! The staging server listens on port 6543. That's it.": "CLAUDE.md",
			"Never push to the main branch. The staging server listens on port 6543.":      "",
		} {
			musttest.Same(t, want, w.by(text), "%q is in", text)
		}
	})
}

// TestAMemoryInTheBlockOfRulesIsFoundByItsID, whatever people have made of its words, and by its words.
func TestAMemoryInTheBlockOfRulesIsFoundByItsID(t *testing.T) {
	inWorld(t, func(w world) {
		id := memory.NewID(memory.ScopeProject, "p", fact)
		block := "# Rules\n\n<!-- surrealdb-memory:rules -->\n- Ask Ann about migrations <!-- " + id[:12] + " -->\n- the port is 6543 <!-- 0123456789ab -->\n<!-- /surrealdb-memory:rules -->\n"
		w.write(filepath.Join(w.root, "CLAUDE.md"), block)
		for text, want := range map[string]string{
			fact: "CLAUDE.md", "ask Ann about migrations": "CLAUDE.md", "the port is 6543": "CLAUDE.md", "the port is 7000": "", "use tabs": "",
		} {
			musttest.Same(t, want, w.by(text), "%q is in", text)
		}
		w.write(filepath.Join(w.root, "CLAUDE.md"), strings.ReplaceAll(block, "<!-- /surrealdb-memory:rules -->\n", ""))
		musttest.Same(t, "", w.by(fact), "in a broken block the fact is (-want +got)")
		w.write(filepath.Join(w.root, "CLAUDE.md"), "Be brief.\n")
		w.write(filepath.Join(w.root, "AGENTS.md"), block)
		musttest.Same(t, "", w.by(fact), "in a file that the client does not load the fact is (-want +got)")
	})
}

// What the user typed is in a file only if the file says that and nothing else: the same words, in the same order, as an item or a
// paragraph that holds.
func TestTheUsersWordsAreInAFileThatSaysThemAlone(t *testing.T) {
	inWorld(t, func(w world) {
		for _, c := range []struct {
			file, typed string
			want        bool
		}{
			{"- use tabs\n", "use tabs", true},
			{"* Use **tabs**.\r\n* sort imports\r\n", "use tabs", true},
			{"# Rules\n\n1. *Use tabs,* for “Go”!\n", "use tabs for Go", true},
			{"Run `make test` before\neach commit.\n", "run `make test` before each commit", true},
			{"Use _two_ spaces: no tabs\n", "Use two spaces, no tabs.", true},
			{"- use npm rather than pnpm\n", "use pnpm rather than npm", false},
			{"- Ask before you push a branch\n", "push a branch before you ask", false},
			{"- run the linter after the tests\n", "run the tests after the linter", false},
			{"- Use npm for the web app; never use yarn in CI\n", "use npm in CI", false},
			{"- It used to be: deploy on Friday\n", "deploy on Friday", false},
			{"Deploy on Friday. That is over.\n", "deploy on Friday", false},
			{"- use tabs, except in YAML\n", "use tabs", false},
			{"## Never\n\n- use tabs\n", "use tabs", false},
			{"No longer:\n- use tabs\n", "use tabs", false},
			{"- use tabs?\n", "use tabs", false},
			{"- ~~use tabs~~\n- <del>use spaces</del>\n", "use tabs", false},
			{"- ~~use tabs~~\n- <del>use spaces</del>\n", "use spaces", false},
			{"<!-- use tabs -->\n", "use tabs", false},
			{"Old:\n```\nuse tabs\n```\n", "use tabs", false},
			{"~~~\nuse tabs\n~~~\n", "use tabs", false},
			{"Be brief.\n\n    use tabs\n\n\tuse spaces\n", "use tabs", false},
			{"Be brief.\n\n    use tabs\n\n\tuse spaces\n", "use spaces", false},
			{"- `use tabs`\n", "use tabs", false},
			{"> use tabs\n", "use tabs", false},
			{"| never |\n|---|\n| use tabs |\n", "use tabs", false},
			{"- lint *.go and *.js\n", "lint .go and .js", false},
			{"- the variable is _private\n", "the variable is private", false},
			{"- the port is 6543\n", "the port is 6544", false},
		} {
			w.write(filepath.Join(w.root, "CLAUDE.md"), c.file)
			if got := w.byUser(c.typed); (got == "CLAUDE.md") != c.want {
				t.Errorf("%q with %q: in %q, want %t", c.typed, c.file, got, c.want)
			}
		}
	})
}

func TestChangesAreSeen(t *testing.T) {
	inWorld(t, func(w world) {
		file := filepath.Join(w.root, "CLAUDE.md")
		expect := func(when, want string) {
			t.Helper()
			musttest.Same(t, want, w.by(fact), "%s: in", when)
		}
		expect("no file", "")
		w.write(file, fact+".\n")
		expect("it is written", "CLAUDE.md")
		w.write(file, "Use tabs.\n")
		expect("it has another rule", "")
		w.write(file, strings.Repeat("x", len(fact)+2))
		expect("it has the length of the fact", "")
		w.write(file, fact+".\n")
		past := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
		musttest.Do(t, os.Chtimes(file, past, past))
		expect("the same length at another time", "CLAUDE.md")
		musttest.Do(t, os.Remove(file))
		musttest.Same(t, "CLAUDE.md", w.byAtOnce(fact), "within a second the file was read again: the rule is (-want +got)")
		expect("it is removed", "")
	})
}

func TestOnlyFilesOfTheProjectAreRead(t *testing.T) {
	for name, plant := range map[string]func(w world, outside string) error{
		"a link out of the project": func(w world, outside string) error { return os.Symlink(outside, filepath.Join(w.root, "CLAUDE.md")) },
		"a link to a folder outside": func(w world, outside string) error {
			return os.Symlink(filepath.Dir(outside), filepath.Join(w.root, ".claude"))
		},
		"a pipe":   func(w world, _ string) error { return syscall.Mkfifo(filepath.Join(w.root, "CLAUDE.md"), 0o644) },
		"a folder": func(w world, _ string) error { return os.Mkdir(filepath.Join(w.root, "CLAUDE.md"), 0o755) },
		"a user's link out of the client's directory": func(w world, outside string) error { return os.Symlink(outside, filepath.Join(w.client, "CLAUDE.md")) },
	} {
		t.Run(name, func(t *testing.T) {
			outside := filepath.Join(t.TempDir(), "CLAUDE.md")
			inWorld(t, func(w world) {
				w.write(outside, fact+".\n")
				musttest.Do(t, plant(w, outside))
				w.write(filepath.Join(w.root, "CLAUDE.local.md"), "Use tabs in every file.\n")
				musttest.Same(t, "", w.by(fact), "found in")
				musttest.Same(t, "CLAUDE.local.md", w.by("use tabs in every file"), "the text beside it is (-want +got)")
			})
		})
	}
}

func TestALinkInsideTheProjectIsFollowed(t *testing.T) {
	inWorld(t, func(w world) {
		w.write(filepath.Join(w.root, "AGENTS.md"), fact+".\n")
		musttest.Do(t, os.Symlink("AGENTS.md", filepath.Join(w.root, "CLAUDE.md")))
		musttest.Same(t, "CLAUDE.md", w.by(fact), "found in")
	})
}
