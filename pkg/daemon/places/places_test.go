package places_test

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/places"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// world is a folder with projects, which the daemon sees.
type world struct {
	t      *testing.T
	dir    string
	known  *places.Places
	stored []string // keys
}

func newWorld(t *testing.T) *world {
	dir := musttest.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	t.Setenv("HOME", dir)
	w := &world{t: t, dir: dir}
	w.open()
	return w
}

// open starts a daemon, which reads what the one before has written.
func (w *world) open() {
	w.known = places.New(filepath.Join(w.dir, "places.json"), w.mark, slog.New(slog.DiscardHandler))
	w.known.IsStored = func(key string) bool { return slices.Contains(w.stored, key) }
}

func (w *world) mark(key string) string {
	return filepath.Join(w.dir, "off-"+strings.ReplaceAll(strings.TrimPrefix(key, w.dir), "/", "_"))
}

func (w *world) run(name string, arguments ...string) {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), name, arguments...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@localhost", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@localhost",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=maintenance.auto", "GIT_CONFIG_VALUE_0=false") // or each commit starts another process
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("%s %q: %v: %s", name, arguments, err, out)
	}
}

func (w *world) git(folder string, arguments ...string) {
	w.run("git", append([]string{"-C", folder}, arguments...)...)
}

// repo makes a repository with a first commit of its own.
func (w *world) repo(folder string) {
	w.run("git", "init", "-q", folder)
	w.git(folder, "commit", "-q", "--allow-empty", "-m", folder)
}

// see has the daemon see a folder, whose project is stored then, and returns the key that is meant.
func (w *world) see(folder string) string {
	w.t.Helper()
	where, _ := project.Identify(filepath.Join(w.dir, folder))
	w.known.Record(w.t.Context(), where.Key, where.Root)
	key := w.known.Resolve(w.known.Here(where.Key, where.Root, time.Now()))
	if !slices.Contains(w.stored, key) {
		w.stored = append(w.stored, key)
	}
	return strings.TrimPrefix(key, w.dir)
}

// happen runs lines of a shell, of which "see f" is a session in f.
func (w *world) happen(lines string) {
	w.t.Helper()
	for i, part := range strings.Split(lines, "see ") {
		if i > 0 {
			folder, rest, _ := strings.Cut(part, "; ")
			w.see(folder)
			part = rest
		}
		if part != "" {
			w.shell(part)
		}
	}
}

// A folder that was a project is that project when its key has changed, if that is certain; where it is not, that is said.
func TestAProjectIsWhatItWas(t *testing.T) {
	const remote = "remote add origin git@example.org:"
	for name, c := range map[string]struct {
		change string // by a shell; "see f": a session in f
		folder string // that is seen then
		want   string // the key that is meant
		doubt  string // the project that it may be
	}{
		"a remote is added":                     {"git -C p " + remote + "a/p.git", "p", "/p", ""},
		"a remote, and it is moved":             {"git -C p " + remote + "a/p.git; mv p q", "q", "/p", ""},
		"it is renamed":                         {"mv p q", "q", "/p", ""},
		"it is moved, and a folder of it":       {"mkdir -p p/a deep; mv p deep/r", "deep/r/a", "/p", ""},
		"it is copied":                          {"cp -r p q", "q", "/q", "/p"},
		"its .git is gone":                      {"rm -rf p/.git", "p", "/p", ""},
		"its .git is gone, in a folder":         {"mkdir -p p/a/b; rm -rf p/.git", "p/a/b", "/p", ""},
		"it is another repository now":          {"rm -rf p; git init -q p; git -C p commit -q --allow-empty -m other; git -C p " + remote + "b/q.git", "p", "example.org/b/q", ""},
		"another one, elsewhere":                {"git init -q q; git -C q commit -q --allow-empty -m other", "q", "/q", ""},
		"a fork of it, beside it":               {"git clone -q p q; git -C q remote set-url origin git@example.org:c/fork.git", "q", "example.org/c/fork", "/p"},
		"a part of a larger one":                {"git init -q m; git -C m commit -q --allow-empty -m m; git -C m pull -q --no-rebase --no-edit --allow-unrelated-histories ../p HEAD; rm -rf p", "m", "/m", "/p"},
		"its history is cut":                    {"git -C p commit -q --allow-empty -m 2; git clone -q --depth 1 file://$PWD/p q; git -C q remote remove origin", "q", "/q", ""},
		"a remote that is a project already":    {"git clone -q p q; git -C q remote set-url origin git@example.org:a/other.git; see q; git -C p " + remote + "a/other.git", "p", "example.org/a/other", "/p"},
		"a plain folder becomes a repository":   {"mkdir f; see f; git init -q f; git -C f commit -q --allow-empty -m f; git -C f " + remote + "a/f.git", "f", "/f", ""},
		"a plain folder is renamed":             {"mkdir f; see f; mv f g", "g", "/g", "/f"},
		"the folder above becomes a repository": {"mkdir -p f/sub; see f/sub; git init -q f; git -C f commit -q --allow-empty -m f", "f/sub", "/f", "/f/sub"},
		"one far above, with a remote":          {"mkdir -p f/a/sub; see f/a/sub; git init -q f; git -C f commit -q --allow-empty -m f; git -C f " + remote + "a/f.git", "f", "example.org/a/f", "/f/a/sub"},
		"one above, a repository in it":         {"mkdir f; git init -q f/sub; git -C f/sub commit -q --allow-empty -m sub; see f/sub; git init -q f; git -C f commit -q --allow-empty -m f", "f", "/f", ""},
		"a folder beside it":                    {"mkdir f f2; see f2; git init -q f; git -C f commit -q --allow-empty -m f", "f", "/f", ""},
		"home becomes a repository":             {"mkdir f; see f; git init -q; git commit -q --allow-empty -m home", ".", "", ""},
		"without a commit, a remote is added":   {"git init -q n; see n; git -C n " + remote + "a/n.git", "n", "/n", ""},
		"the remote has another address":        {"git -C p " + remote + "a/p.git; see p; git -C p remote set-url origin https://example.com/b/p", "p", "/p", ""},
		"the remote is gone again":              {"git -C p " + remote + "a/p.git; see p; git -C p remote remove origin", "p", "/p", ""},
		"the main worktree of a linked one":     {"git -C p worktree add -q ../tree; see tree; mv p moved", "tree", "/p", ""},
		"it is moved twice":                     {"mv p q; see q; mv q r", "r", "/p", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.repo("p")
			if got := w.see("p"); got != "/p" {
				t.Fatalf("it is %q", got)
			}
			w.happen(c.change)
			w.open()
			musttest.Same(t, c.want, w.see(c.folder), "its key")
			where, _ := project.Identify(filepath.Join(w.dir, c.folder))
			musttest.Same(t, c.doubt, strings.TrimPrefix(w.known.Doubt(where.Key), w.dir), "it may be (-want +got)")
		})
	}
}

// Equal first commits are public: while a project's folder is away, somebody else's clone of them does not become the project, whatever
// its remote and wherever it lies. It is offered; the project itself is found again, moved as it may be.
func TestAForkIsNoProjectThatIsAway(t *testing.T) {
	const fork = "git clone -q pub %[1]s; git -C %[1]s remote set-url origin https://evil.example/fork.git; git -C %[1]s commit -q --allow-empty -m theirs; "
	const other = "https://example.org/mine.git"
	for name, c := range map[string]struct {
		change string
		remote string // of the project before
		seen   string
		isMine bool
	}{
		"renamed, and a fork":                   {change: "mv mine away; " + fmt.Sprintf(fork, "q"), seen: "q"},
		"unmounted, and a fork":                 {change: "mkdir m; mv mine m/; mv m .m; " + fmt.Sprintf(fork, "q"), seen: "q"},
		"deleted, and a fork":                   {change: "rm -rf mine; " + fmt.Sprintf(fork, "q"), seen: "q"},
		"a fork in its place":                   {change: "mv mine away; " + fmt.Sprintf(fork, "mine"), seen: "mine"},
		"a fork in a folder of the fork":        {change: "mv mine away; " + fmt.Sprintf(fork, "q") + "mkdir q/a", seen: "q/a"},
		"a fork without a remote":               {change: "mv mine away; " + fmt.Sprintf(fork, "q") + "git -C q remote remove origin", seen: "q"},
		"a copy of a fork":                      {change: "mv mine away; " + fmt.Sprintf(fork, "f") + "cp -a f q; git -C q remote remove origin", seen: "q"},
		"a fork with a local remote":            {change: "mv mine away; git clone -q pub q", seen: "q"},
		"a worktree of a fork":                  {change: "mv mine away; " + fmt.Sprintf(fork, "f") + "git -C f worktree add -q ../q", seen: "q"},
		"it had a remote":                       {remote: other, change: "mv mine away; " + fmt.Sprintf(fork, "q"), seen: "q"},
		"it had a remote, a fork in its place":  {remote: other, change: "mv mine away; " + fmt.Sprintf(fork, "mine"), seen: "mine"},
		"its copy, with a fork's remote":        {change: "cp -a mine q; rm -rf mine; git -C q remote add origin https://evil.example/fork.git", seen: "q"},
		"renamed":                               {change: "mv mine q", seen: "q", isMine: true},
		"renamed twice":                         {change: "mv mine p; mv p q", seen: "q", isMine: true},
		"moved to another disk":                 {change: "cp -a mine q; rm -rf mine", seen: "q", isMine: true},
		"renamed, and new commits":              {change: "mv mine q; git -C q commit -q --allow-empty -m more", seen: "q", isMine: true},
		"renamed, and published":                {change: "mv mine q; git -C q remote add origin " + other, seen: "q", isMine: true},
		"renamed, and a worktree of it":         {change: "mv mine p; git -C p worktree add -q ../q", seen: "q", isMine: true},
		"published in its place":                {change: "git -C mine remote add origin " + other, seen: "mine", isMine: true},
		"it had a remote, that has another now": {remote: "https://example.net/old.git", change: "git -C mine remote set-url origin " + other, seen: "mine", isMine: true},
		"renamed, after a fork was seen":        {change: "mv mine away; " + fmt.Sprintf(fork, "f") + "see f; mv away q", seen: "q", isMine: true},
		"renamed, beside a copy of it":          {change: "cp -a mine f; see f; mv mine q", seen: "q"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.shell("git init -q pub; git -C pub commit -q --allow-empty -m public; git clone -q pub mine; git -C mine remote remove origin")
			if c.remote != "" {
				w.git("mine", "remote", "add", "origin", c.remote)
			}
			w.shell("touch -d 2026-01-01T10:11:12.5 mine/.git/description")
			mine := w.see("mine")
			w.happen(c.change)
			w.open()
			where, _ := project.Identify(filepath.Join(w.dir, c.seen))
			got, may := w.see(c.seen), strings.TrimPrefix(w.known.Doubt(where.Key), w.dir)
			if (got == mine) != c.isMine || !c.isMine && may != mine {
				t.Errorf("it is %q and may be %q; the project is %q, and is it? %t", got, may, mine, c.isMine)
			}
		})
	}
}

// Another repository at the path of one without a remote is a new project, whenever it is seen; the same repository is not, whatever was done to it.
func TestAnotherRepositoryAtThePathIsANewProject(t *testing.T) {
	const another, again = "rm -rf p; git init -q p; ", "git -C p commit -q --allow-empty -m "
	for name, c := range map[string]struct {
		first, change string // shell lines; sessions in p come between
		seen          string // a folder seen last
		isNew         bool
	}{
		"deleted, and another":             {first: another + again + "other", isNew: true},
		"another, without a commit yet":    {first: another, isNew: true},
		"its first commit comes later":     {first: another, change: again + "other", isNew: true},
		"moved away, and another":          {first: "mv p q; " + another + again + "other", isNew: true},
		"its .git is made again":           {first: "rm -rf p/.git; git init -q p; " + again + "other", isNew: true},
		"a folder of another":              {first: another + again + "other; mkdir p/a", seen: "p/a", isNew: true},
		"a worktree of another":            {first: another + again + "other", change: "git -C p worktree add -q ../t", seen: "t", isNew: true},
		"another twice":                    {first: another + again + "other", change: another + again + "third", isNew: true},
		"moved away, and seen there":       {first: "mv p q; " + another + again + "other", seen: "q"},
		"moved away, and seen there later": {first: "mv p q; " + another + again + "other", change: "true", seen: "q"},
		"moved back":                       {first: "mv p q; " + another + again + "other", change: "rm -rf p; mv q p"},
		"copied over itself":               {first: "cp -r p q; rm -rf p; mv q p"},
		"cloned again":                     {first: "git clone -q p q; git -C q remote remove origin; rm -rf p; mv q p"},
		"a shallow clone of it":            {first: "git clone -q --depth 1 file://$PWD/p q; git -C q remote remove origin; rm -rf p; mv q p"},
		"its history is rewritten":         {first: "git -C p commit -q --amend --allow-empty -m rewritten"},
		"its .git is gone":                 {first: "rm -rf p/.git"},
		"an unreadable history":            {first: another + again + "other; echo broken > p/.git/HEAD"},
		"the first commit of its own":      {first: "rm -rf p; mkdir p; true", change: "git init -q p; " + again + "first"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.shell("git init -q p; " + again + "first; touch -d 2026-01-01 p/.git/description")
			w.see("p")
			before := time.Now()
			for _, lines := range []string{c.first, c.change} {
				if lines == "" {
					continue
				}
				w.shell(lines)
				if c.seen != "q" || c.change != "" {
					w.see("p")
				}
				w.open()
			}
			got := w.see(cmp.Or(c.seen, "p"))
			if isNew := strings.HasPrefix(got, "/p@"); isNew != c.isNew || !isNew && got != "/p" {
				t.Errorf("it is %q; is it new: %t", got, c.isNew)
			}
			if c.seen == "q" {
				return
			}
			path := filepath.Join(w.dir, "p")
			musttest.Same(t, path, w.known.Here(path, path, before.Add(-time.Hour)), "what was said before is of (-want +got)")
			w.known.Forget(func(key string) bool { return c.isNew && key == w.dir+got })
			musttest.Same(t, got, w.see(cmp.Or(c.seen, "p")), "seen again, also after it was purged (-want +got)")
		})
	}
}

// What is purged is forgotten, and joins nothing later.
func TestAPurgedProjectIsForgotten(t *testing.T) {
	w := newWorld(t)
	w.repo("p")
	w.see("p")
	w.git("p", "remote", "add", "origin", "git@example.org:a/p.git")
	w.see("p")
	whole := filepath.Join(w.dir, "p")
	w.known.Forget(func(key string) bool { return key == whole })
	w.open()
	musttest.Same(t, "example.org/a/p", w.known.Resolve("example.org/a/p"), "its key")
}

// A letter of another machine may name a folder that is another project here: it stays what it is, and joins nothing.
func TestTheSamePathOnAnotherMachineIsNoOtherName(t *testing.T) {
	w := newWorld(t)
	w.repo("p")
	w.see("p")
	w.known.Record(t.Context(), "example.org/b/other", filepath.Join(w.dir, "p"))
	musttest.Same(t, "example.org/b/other", w.known.Resolve("example.org/b/other"), "the other machine's project became (-want +got)")
	musttest.Same(t, "", w.known.Doubt("example.org/b/other"), "it may be (-want +got)")
}

// What somebody has written into the file costs the known folders at most.
func TestAnOddFileIsReplaced(t *testing.T) {
	for _, content := range []string{"", "null", "[]", `{"places":null,"parts":null,"doubts":null}`, `{"places":7}`} {
		w := newWorld(t)
		w.repo("p")
		musttest.Do(t, os.WriteFile(filepath.Join(w.dir, "places.json"), []byte(content), 0o600))
		w.open()
		w.see("p")
		w.run("mv", "p", "q")
		w.open()
		musttest.Same(t, "/p", w.see("q"), "%q: its key (-want +got)", content)
	}
}

// Another machine's address of a project stands for it here, too, unless memories are stored under it, which stay seen.
func TestAnAddressOfAnotherMachineStandsForItsProject(t *testing.T) {
	const old, renamed, other = "example.org/o/p", "example.org/neworg/p", "example.org/o/q"
	for name, c := range map[string]struct {
		stored      []string
		heard       [][2]string // each address, and its project
		want, doubt string      // of the address
	}{
		"it is new":              {heard: [][2]string{{renamed, old}}, want: old},
		"heard again":            {heard: [][2]string{{renamed, old}, {renamed, old}}, want: old},
		"its project is stored":  {stored: []string{old}, heard: [][2]string{{renamed, old}}, want: old},
		"it is stored":           {stored: []string{renamed}, heard: [][2]string{{renamed, old}}, want: renamed, doubt: old},
		"it is another's":        {heard: [][2]string{{renamed, other}, {renamed, old}}, want: other},
		"both stand for another": {heard: [][2]string{{renamed, old}, {old, renamed}}, want: old},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.stored = c.stored
			for _, one := range c.heard {
				w.known.RecordAddresses(one[1], []string{one[0]})
			}
			w.open()
			if got, doubt := w.known.Resolve(renamed), w.known.Doubt(renamed); got != c.want || doubt != c.doubt {
				t.Errorf("it is %q and may be %q, want %q and %q", got, doubt, c.want, c.doubt)
			}
		})
	}
}

// A folder without a commit is looked at again, so that it is recognised by its first commits later.
func TestAFolderIsLookedAtUntilItHasACommit(t *testing.T) {
	w := newWorld(t)
	w.run("git", "init", "-q", "n")
	w.see("n")
	w.git("n", "commit", "-q", "--allow-empty", "-m", "n")
	w.known.LookAgain(filepath.Join(w.dir, "n"))
	w.see("n")
	w.run("cp", "-r", "n", "copy")
	w.see("copy")
	musttest.Same(t, filepath.Join(w.dir, "n"), w.known.Doubt(filepath.Join(w.dir, "copy")), "the copy may be (-want +got)")
}

// A folder that is gone is the project that it was in when it was seen, and so is what lay in it; nothing else changes its project.
func TestAFolderThatIsGoneIsWhatItWas(t *testing.T) {
	for name, c := range map[string]struct{ change, folder, want string }{
		"a worktree is removed":         {"git -C p worktree remove ../tree", "tree", "/p"},
		"a folder in it":                {"git -C p worktree remove ../tree", "tree/a/b", "/p"},
		"its folder is deleted":         {"rm -rf tree", "tree", "/p"},
		"both are deleted":              {"rm -rf tree p", "tree/a", "/p"},
		"the main checkout is moved":    {"mv p q; rm -rf tree", "tree", "/p"},
		"a folder of a moved one":       {"mv p q", "p/a", "/p"},
		"a folder of one that is there": {"true", "p/a", "/p/a"},
		"a worktree that is there":      {"true", "tree", "/tree"},
		"another repository is there":   {"rm -rf tree; git init -q tree; git -C tree commit -q --allow-empty -m other", "tree", "/tree"},
		"a plain folder is there":       {"rm -rf tree; mkdir tree", "tree/a", "/tree/a"},
		"one that nobody saw":           {"true", "never/a", "/never/a"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.repo("p")
			w.git("p", "worktree", "add", "-q", "../tree")
			w.see("p")
			w.see("tree")
			w.happen(c.change)
			w.open()
			if got := w.known.Here(filepath.Join(w.dir, c.folder), filepath.Join(w.dir, c.folder), time.Now()); got != w.dir+c.want {
				t.Errorf("%s was %s, want %s", c.folder, strings.TrimPrefix(got, w.dir), c.want)
			}
		})
	}
}
