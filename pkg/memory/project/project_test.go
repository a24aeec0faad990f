package project_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// git runs the real git without the machine's and the user's configuration.
func git(t testing.TB, dir string, args ...string) {
	t.Helper()
	base := []string{"-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", "-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false"}
	cmd := exec.CommandContext(t.Context(), "git", append(base, args...)...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s in %s: %v\n%s", strings.Join(args, " "), dir, err, out)
	}
}

// home is a fresh directory without symlinks in its own path.
func home(t testing.TB) string {
	t.Helper()
	return musttest.Get(filepath.EvalSymlinks(t.TempDir()))(t)
}

func mkdir(t testing.TB, elements ...string) string {
	t.Helper()
	dir := filepath.Join(elements...)
	musttest.Do(t, os.MkdirAll(dir, 0o755))
	return dir
}

func write(t testing.TB, name, text string) {
	t.Helper()
	mkdir(t, filepath.Dir(name))
	musttest.Do(t, os.WriteFile(name, []byte(text), 0o600))
}

func symlink(t testing.TB, target, name string) {
	t.Helper()
	musttest.Do(t, os.Symlink(target, name))
}

// repo makes a repository with one commit and, when given, an origin.
func repo(t testing.TB, dir, origin string) string {
	t.Helper()
	mkdir(t, dir)
	git(t, dir, "init", "-q")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
	if origin != "" {
		git(t, dir, "remote", "add", "origin", origin)
	}
	return dir
}

func identify(t testing.TB, dir string) project.Project {
	t.Helper()
	p, err := project.Identify(dir)
	if err != nil {
		t.Fatalf("Identify(%s): %v", dir, err)
	}
	return p
}

func same(t *testing.T, want, got project.Project) {
	t.Helper()
	musttest.Same(t, want, got, "(-want +got)")
}

const (
	origin = "https://user:s3cret@GitHub.com:443/Org/Repo.git/"
	key    = "github.com/Org/Repo"
)

func TestOneRepositoryHasOneKeyEverywhere(t *testing.T) {
	base := home(t)
	main := repo(t, filepath.Join(base, "main"), origin)
	sub := mkdir(t, main, "a", "b")
	git(t, main, "worktree", "add", "-q", filepath.Join(base, "trees", "feature"))
	inWorktree := mkdir(t, base, "trees", "feature", "c")
	symlink(t, sub, filepath.Join(base, "link"))
	clone := repo(t, filepath.Join(base, "elsewhere"), "git@github.com:Org/Repo.git")

	for name, tc := range map[string]struct{ dir, root, resolved string }{
		"top":               {main, main, main},
		"subdirectory":      {sub, main, sub},
		"worktree":          {filepath.Dir(inWorktree), filepath.Dir(inWorktree), filepath.Dir(inWorktree)},
		"in a worktree":     {inWorktree, filepath.Dir(inWorktree), inWorktree},
		"symlinked":         {filepath.Join(base, "link"), main, sub},
		"another clone":     {clone, clone, clone},
		"git directory":     {filepath.Join(main, ".git", "refs"), main, filepath.Join(main, ".git", "refs")},
		"missing directory": {filepath.Join(sub, "gone", "deeper"), main, filepath.Join(sub, "gone", "deeper")},
	} {
		t.Run(name, func(t *testing.T) {
			same(t, project.Project{Key: key, Name: "Repo", Root: tc.root, Dir: tc.resolved}, identify(t, tc.dir))
		})
	}

	moved := filepath.Join(base, "moved")
	musttest.Do(t, os.Rename(main, moved))
	musttest.Same(t, key, identify(t, moved).Key, "moved repository: key")
}

func TestWithoutOriginTheMainRepositoryIsTheKey(t *testing.T) {
	base := home(t)
	main := repo(t, filepath.Join(base, "main"), "")
	git(t, main, "worktree", "add", "-q", filepath.Join(base, "tree"))
	for _, dir := range []string{main, mkdir(t, main, "sub"), filepath.Join(base, "tree"), mkdir(t, base, "tree", "sub")} {
		p := identify(t, dir)
		if p.Key != main || p.Name != "main" {
			t.Errorf("%s: key %q, name %q; want %q, main", dir, p.Key, p.Name, main)
		}
	}
	clone := filepath.Join(base, "clone")
	git(t, base, "clone", "-q", main, clone)
	if p := identify(t, clone); p.Key != main || p.Root != clone {
		t.Errorf("clone of a path: key %q, root %q; want %q, %q", p.Key, p.Root, main, clone)
	}
	relative := repo(t, filepath.Join(base, "relative"), "../main/.git")
	musttest.Same(t, main, identify(t, relative).Key, "origin %q: key", "../main/.git")
}

func TestRelativeWorktreeLinks(t *testing.T) {
	base := home(t)
	main := repo(t, filepath.Join(base, "main"), origin)
	tree := filepath.Join(base, "tree")
	git(t, main, "worktree", "add", "-q", tree)
	// The form that git 2.48 writes with worktree.useRelativePaths.
	write(t, filepath.Join(tree, ".git"), "gitdir: ../main/.git/worktrees/tree\n")
	if p := identify(t, tree); p.Key != key || p.Root != tree {
		t.Errorf("key %q, root %q; want %q, %q", p.Key, p.Root, key, tree)
	}
}

func TestBareRepositories(t *testing.T) {
	base := home(t)
	source := repo(t, filepath.Join(base, "source"), "")
	bare := filepath.Join(base, "bare.git")
	git(t, base, "clone", "-q", "--bare", source, bare)
	git(t, bare, "remote", "set-url", "origin", origin)
	for _, dir := range []string{bare, filepath.Join(bare, "hooks")} {
		if p := identify(t, dir); p.Key != bare || p.Root != bare {
			t.Errorf("%s: key %q, root %q; want %q", dir, p.Key, p.Root, bare)
		}
	}
	clone := filepath.Join(base, "clone")
	git(t, bare, "worktree", "add", "-q", clone)
	musttest.Same(t, key, identify(t, clone).Key, "a worktree of the bare repository: key")
	inside := filepath.Join(source, "lib")
	musttest.Do(t, os.CopyFS(inside, os.DirFS(bare)))
	git(t, inside, "remote", "set-url", "origin", "https://example.com/victim/shop.git")
	for _, dir := range []string{inside, filepath.Join(inside, "hooks")} {
		if p := identify(t, dir); p.Key != source || p.Root != source {
			t.Errorf("%s, in a clone: key %q, root %q; want %q", dir, p.Key, p.Root, source)
		}
	}
	git(t, bare, "remote", "remove", "origin")
	tree := filepath.Join(base, "tree")
	git(t, bare, "worktree", "add", "-q", tree)
	for _, dir := range []string{bare, tree} {
		musttest.Same(t, bare, identify(t, dir).Key, "%s without origin: key", dir)
	}
}

// TestABareRepositoryIsOnlyItself: an archive can have the files of a bare repository anywhere. They name neither a remote nor another
// repository.
func TestABareRepositoryIsOnlyItself(t *testing.T) {
	base := home(t)
	victim := repo(t, filepath.Join(base, "victim"), origin)
	config := "[core]\n\tbare = true\n[remote \"origin\"]\n\turl = " + origin + "\n"
	for i, files := range []map[string]string{
		{"config": config},
		{"sub/config": config},
		{"sub.git/config": config},
		{"a/b/config": config},
		{"config": "[remote \"origin\"]\n\turl = " + victim + "\n"},
		{"config": config, "commondir": victim + "/.git"},
		{"config": "", "commondir": "../victim/.git"},
		{"sub/config": config, "sub/commondir": "../../victim/.git\n"},
		{"config": config, "commondir": ""},
		{"config": config, "gitdir": victim + "/.git"},
		{"sub/config": config, "config": config},
	} {
		archive := filepath.Join(base, "archive"+strconv.Itoa(i))
		for name, text := range files {
			dir := filepath.Dir(filepath.Join(archive, name))
			mkdir(t, dir, "objects", "x")
			mkdir(t, dir, "refs")
			write(t, filepath.Join(dir, "HEAD"), "ref: refs/heads/main\n")
			write(t, filepath.Join(archive, name), text)
		}
		for name := range files {
			dir := filepath.Dir(filepath.Join(archive, name))
			for _, dir := range []string{dir, filepath.Join(dir, "objects", "x")} {
				p := identify(t, dir)
				if !strings.HasPrefix(p.Key, archive) || p.Root != p.Key || project.MainRoot(dir) != p.Key {
					t.Errorf("%v: %s has key %q, root %q, main root %q", files, dir, p.Key, p.Root, project.MainRoot(dir))
				}
			}
		}
	}
}

func TestSubmoduleIsItsOwnProject(t *testing.T) {
	base := home(t)
	library := repo(t, filepath.Join(base, "library"), "")
	super := repo(t, filepath.Join(base, "super"), origin)
	git(t, super, "submodule", "--quiet", "add", library, "vendor/lib")
	sub := mkdir(t, super, "vendor", "lib", "deep")
	if p := identify(t, sub); p.Key != library || p.Root != filepath.Dir(sub) {
		t.Errorf("key %q, root %q; want %q, %q", p.Key, p.Root, library, filepath.Dir(sub))
	}
	git(t, filepath.Dir(sub), "remote", "set-url", "origin", "ssh://git@Host:22/Lib.git")
	musttest.Same(t, "host/Lib", identify(t, sub).Key, "key")
	musttest.Same(t, key, identify(t, super).Key, "the outer repository: key")
}

func TestWithoutGit(t *testing.T) {
	base := home(t)
	dir := mkdir(t, base, "plain", "sub")
	symlink(t, dir, filepath.Join(base, "link"))
	want := project.Project{Key: dir, Name: "sub", Root: dir, Dir: dir}
	same(t, want, identify(t, dir))
	same(t, want, identify(t, filepath.Join(base, "link", "..", "link")))
	gone := filepath.Join(base, "link", "gone")
	real := filepath.Join(dir, "gone")
	same(t, project.Project{Key: real, Name: "gone", Root: real, Dir: real}, identify(t, gone))

	mkdir(t, dir, ".git") // empty: git does not take it for a repository either
	same(t, want, identify(t, dir))

	if p := identify(t, "/"); p.Key != "/" || p.Name != "/" {
		t.Errorf("root of the file system: key %q, name %q", p.Key, p.Name)
	}
}

// A home that is a repository has the dotfiles; other folders in it are their own projects.
func TestAHomeThatIsARepository(t *testing.T) {
	at := repo(t, home(t), "https://example.org/me/dotfiles.git")
	t.Setenv("HOME", at)
	for dir, want := range map[string]string{
		at: "example.org/me/dotfiles", mkdir(t, at, ".config", "nvim"): "example.org/me/dotfiles", mkdir(t, at, "work", "shop"): filepath.Join(at, "work", "shop"),
		mkdir(t, at, "notes"): filepath.Join(at, "notes"), repo(t, filepath.Join(at, "src", "x"), origin): key,
	} {
		musttest.Same(t, want, identify(t, dir).Key, "%s: key", dir)
	}
}

// Git's own variables name another repository, as in its hooks: the directory alone decides.
func TestGitsVariablesChangeNothing(t *testing.T) {
	base := home(t)
	main := repo(t, filepath.Join(base, "main"), origin)
	t.Setenv("GIT_DIR", filepath.Join(repo(t, filepath.Join(base, "other"), ""), ".git"))
	t.Setenv("GIT_WORK_TREE", filepath.Join(base, "other"))
	if p := identify(t, main); p.Key != key || p.Root != main {
		t.Errorf("key %q, root %q", p.Key, p.Root)
	}
}

func TestRelativeDirectory(t *testing.T) {
	dir := home(t)
	t.Chdir(dir)
	musttest.Same(t, dir, identify(t, "").Key, "the key of no path")
}

func TestDamagedRepositoryStillHasAKey(t *testing.T) {
	for name, content := range map[string]string{
		"dangling": "gitdir: /no/such/place\n",
		"garbage":  "hello",
		"empty":    "",
		"nul":      "gitdir: a\x00b",
	} {
		t.Run(name, func(t *testing.T) {
			dir := home(t)
			write(t, filepath.Join(dir, ".git"), content)
			sub := mkdir(t, dir, "sub")
			p, err := project.Identify(sub)
			musttest.Is(t, project.ErrRepository, err, "the error")
			same(t, project.Project{Key: dir, Name: filepath.Base(dir), Root: dir, Dir: sub}, p)
		})
	}
}

func TestRel(t *testing.T) {
	base := home(t)
	main := repo(t, filepath.Join(base, "main"), "")
	sub := mkdir(t, main, "sub")
	other := mkdir(t, base, "other")
	write(t, filepath.Join(other, "f"), "")
	symlink(t, main, filepath.Join(base, "alias"))
	symlink(t, sub, filepath.Join(main, "sublink"))
	symlink(t, other, filepath.Join(main, "out"))
	symlink(t, filepath.Join(other, "f"), filepath.Join(main, "linked-file"))
	p := identify(t, sub)
	for file, want := range map[string]string{
		filepath.Join(main, "a.go"):            "a.go",
		filepath.Join(sub, "..", "b", "c.go"):  "b/c.go",
		"d.go":                                 "sub/d.go",
		"../e.go":                              "e.go",
		main:                                   ".",
		filepath.Join(base, "alias", "x", "y"): "x/y",
		filepath.Join(main, "sublink", "z"):    "sub/z",
		filepath.Join(main, "out", "f"):        "out/f",
		filepath.Join(main, "linked-file"):     "linked-file",
		filepath.Join(other, "f"):              filepath.Join(other, "f"),
		filepath.Join(base, "main-2", "f"):     filepath.Join(base, "main-2", "f"),
		filepath.Join(main, "..foo"):           "..foo",
		"/etc/../etc/hosts":                    "/etc/hosts",
	} {
		musttest.Same(t, want, p.Rel(file), "Rel(%s)", file)
	}
}

// While memory is on in listed projects only, every other one is off, and the off switch of a listed one holds.
func TestListedProjectsOnly(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	p := project.Project{Key: dir, Root: dir}
	mark := filepath.Join(home, "off", "0123")
	for _, step := range []struct {
		file  string
		isOff bool
	}{
		{"", false},
		{project.OnlyMarker(filepath.Join(home, "off", "4567")), true},
		{project.OnlyMarker(mark), false},
		{mark, true},
	} {
		if step.file != "" {
			write(t, step.file, "")
		}
		musttest.Same(t, step.isOff, p.IsOff(mark), "with %s it is off", step.file)
	}
}

// A repository may be a listed project that was moved, until the daemon has looked at it.
func TestWhatMayBeListed(t *testing.T) {
	home, dir, plain := t.TempDir(), t.TempDir(), t.TempDir()
	mark := filepath.Join(home, "off", "0123")
	write(t, filepath.Join(dir, ".git", "description"), "")
	p := project.Project{Key: dir, Root: dir}
	looked := filepath.Join(filepath.Dir(mark), "on-"+filepath.Base(p.FolderMarker(mark)))
	for _, step := range []struct {
		name  string
		do    func()
		of    project.Project
		maybe bool
	}{
		{"memory is on everywhere", func() {}, p, false},
		{"a repository", func() { write(t, project.OnlyMarker(filepath.Join(home, "off", "4567")), "") }, p, true},
		{"with a remote", func() {}, project.Project{Key: "example.org/a/p", Root: dir}, true},
		{"a plain folder", func() {}, project.Project{Key: plain, Root: plain}, false},
		{"looked at", func() { write(t, looked, "\n\n"+p.Stamp()) }, p, false},
		{"another repository at its path", func() { write(t, looked, "\n\nlong ago") }, p, true},
		{"off", func() { write(t, mark, "") }, p, false},
		{"listed", func() { _ = os.Remove(mark); write(t, project.OnlyMarker(mark), "") }, p, false},
	} {
		if step.do(); step.of.IsUnsure(mark) != step.maybe {
			t.Errorf("%s: want %t", step.name, step.maybe)
		}
	}
}

// TestNamedFilesAreOfTheProject, however they are written.
func TestNamedFilesAreOfTheProject(t *testing.T) {
	t.Setenv("HOME", "/home/dev")
	p := project.Project{Root: "/home/dev/p", Dir: "/home/dev/p"}
	for written, want := range map[string]string{
		"cmd/a.go": "cmd/a.go", "./cmd/a.go": "cmd/a.go", "/home/dev/p/cmd/a.go": "cmd/a.go", "file:///home/dev/p/cmd/a.go": "cmd/a.go",
		"FILE://localhost/home/dev/p/cmd/a.go": "cmd/a.go", "cmd/a.go:42": "cmd/a.go", "cmd/a.go:42:7": "cmd/a.go", "cmd/a.go:42-60": "cmd/a.go",
		"cmd/a.go#L42-L60": "cmd/a.go", "file:///home/dev/p/my%20notes/a.md": "my notes/a.md", "cmd/../cmd/a.go": "cmd/a.go", " cmd/a.go ": "cmd/a.go",
		"~/p/cmd/a.go:3": "cmd/a.go", "~/q/a.go": "/home/dev/q/a.go", `cmd\sub\a.go`: "cmd/sub/a.go", `.\cmd\a.go:7`: "cmd/a.go", "`cmd/a.go`": "cmd/a.go", `"cmd/a.go:42"`: "cmd/a.go", "<file:///home/dev/p/cmd/a.go>": "cmd/a.go",
		`C:\x\a.go`: `C:\x\a.go`, "~b/a.go": "~b/a.go", "file:/home/dev/p/cmd/a.go": "cmd/a.go", "vscode://file/home/dev/p/cmd/a.go:3:1": "cmd/a.go", "cmd/a.go(12,3)": "cmd/a.go", "cmd/a.go(7)": "cmd/a.go", "app/(group)/page.tsx": "app/(group)/page.tsx",
		"/etc/hosts": "/etc/hosts", "a:b.txt": "a:b.txt", "issue#L": "issue#L", "100%.txt": "100%.txt",
	} {
		musttest.Same(t, want, p.Named(written), "%q", written)
	}
}

// TestTheOffFileOfTheMainCheckoutHoldsForItsWorktrees, and one of a worktree for that alone.
func TestTheOffFileOfTheMainCheckoutHoldsForItsWorktrees(t *testing.T) {
	main := t.TempDir()
	linked, other := filepath.Join(main, "trees", "a"), filepath.Join(t.TempDir(), "b")
	write(t, filepath.Join(main, ".git", "HEAD"), "ref: refs/heads/main\n")
	for name, root := range map[string]string{"a": linked, "b": other} {
		git := filepath.Join(main, ".git", "worktrees", name)
		write(t, filepath.Join(git, "HEAD"), "ref: refs/heads/x\n")
		write(t, filepath.Join(git, "commondir"), "../..\n")
		write(t, filepath.Join(root, ".git"), "gitdir: "+git+"\n")
	}
	isOff := func(root string) bool { return project.Project{Root: root}.IsOff(filepath.Join(main, "no-mark")) }
	off := func(root string) string { return filepath.Join(root, project.OffFile) }
	write(t, off(linked), "")
	if !isOff(linked) || isOff(main) || isOff(other) {
		t.Errorf("off in one worktree: it %v, the main checkout %v, another %v", isOff(linked), isOff(main), isOff(other))
	}
	musttest.Do(t, os.Remove(off(linked)))
	write(t, off(main), "")
	if !isOff(linked) || !isOff(main) || !isOff(other) {
		t.Errorf("off in the main checkout: it %v, its worktrees %v, %v", isOff(main), isOff(linked), isOff(other))
	}
	musttest.Do(t, os.Rename(filepath.Join(main, ".git"), filepath.Join(main, ".moved")))
	if where, err := project.Identify(other); where.Key != main || err == nil || !isOff(other) {
		t.Errorf("the worktree of a repository that was moved: project %q, %v, off %v", where.Key, err, isOff(other))
	}
	for _, broken := range []string{"", "gitdir:", "gitdir: /nowhere"} {
		root := t.TempDir()
		write(t, filepath.Join(root, ".git"), broken)
		if isOff(root) {
			t.Errorf("%q is off", broken)
		}
	}
}
