package places_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// identities is what a folder is recognised by, as git and the file system say.
type identities struct {
	key, path, birth string
	roots            []string
}

func (w *world) output(folder string, arguments ...string) string {
	cmd := exec.CommandContext(w.t.Context(), "git", append([]string{"-C", filepath.Join(w.dir, folder)}, arguments...)...)
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+w.dir)
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

func (w *world) identities(folder string) identities {
	where, _ := project.Identify(filepath.Join(w.dir, folder))
	is := identities{key: where.Key, path: where.Root}
	if text, err := os.ReadFile(filepath.Join(where.Root, ".git")); err == nil { // a worktree
		gitDir := strings.TrimSpace(strings.TrimPrefix(string(text), "gitdir: "))
		is.path = filepath.Dir(filepath.Dir(filepath.Dir(gitDir)))
	}
	if common := w.output(where.Root[len(w.dir):], "rev-parse", "--path-format=absolute", "--git-common-dir"); common != "" {
		if info, err := os.Stat(filepath.Join(common, "description")); err == nil {
			is.birth = info.ModTime().String()
		}
		is.roots = strings.Fields(w.output(where.Root[len(w.dir):], "rev-list", "--max-parents=0", "HEAD"))
	}
	return is
}

// switched is what the rule of docs/projects.md says: the identities that are off.
type switched struct {
	is    map[string]bool
	paths map[string]string // with the births of the repositories that were there
}

func (s *switched) add(f identities, withRoots bool) {
	if s.is[f.key], s.is[f.birth] = true, true; withRoots {
		for _, root := range f.roots {
			s.is[root] = true
		}
	}
	if _, isMarked := s.paths[f.path]; f.birth != "" || !isMarked {
		s.paths[f.path] = f.birth
	}
	delete(s.is, "")
	delete(s.is, f.path)
}

// has reports whether a folder is off, and whether a hook knows it.
func (s *switched) has(f identities) (isOff, isKnown bool) {
	birth, isMarked := s.paths[f.path]
	isOther := birth != "" && f.birth != "" && birth != f.birth
	_, isPath := s.paths[f.key]
	switch {
	case isMarked && !isOther, s.is[f.key], isPath && f.key != f.path:
		return true, true
	case s.is[f.birth], slices.ContainsFunc(f.roots, func(root string) bool { return s.is[root] }):
		return true, false
	}
	return isMarked && len(f.roots) == 0, false
}

// session has a session in a folder, and reports whether something of it is stored. The daemon runs already, or is started if a hook
// captures something.
func (w *world) session(folder string, runs bool) (isStored bool) {
	where, _ := project.Identify(filepath.Join(w.dir, folder))
	mark := w.known.OffMarker(where.Key)
	isUnsure := where.IsUnsure(mark)
	if where.IsOff(mark) && !isUnsure {
		if _, _, err := where.OffSince(mark, mark, nil); err != nil {
			w.t.Error(err)
		}
		if runs {
			w.known.Recheck(w.t.Context(), where.Key, where.Root)
		}
		return false
	}
	if !runs {
		w.open()
	}
	w.known.Record(w.t.Context(), where.Key, where.Root)
	if w.known.WasOff(where.Key, where.Root, time.Now(), isUnsure) {
		return false
	}
	if !slices.Contains(w.stored, where.Key) {
		w.stored = append(w.stored, where.Key)
	}
	if where.IsOff(mark) {
		w.t.Errorf("%s is captured, and its next hook believes that it is off", folder)
	}
	return true
}

func (w *world) shell(lines string) {
	w.run("sh", "-ec", lines)
}

func (w *world) off(folder string) {
	where, _ := project.Identify(filepath.Join(w.dir, folder))
	if err := where.SwitchOff(project.FirstCommits(w.t.Context(), where.Root), w.known.OffMarker(where.Key)); err != nil {
		w.t.Fatal(err)
	}
}

// on switches memory on in a folder, and under the other keys that the daemon knows.
func (w *world) on(folder string) {
	where, _ := project.Identify(filepath.Join(w.dir, folder))
	whole := w.known.Resolve(where.Key)
	if err := where.SwitchOn(w.known.OffMarker(where.Key), append(w.known.Parts(whole), where.Key, whole)...); err != nil {
		w.t.Fatal(err)
	}
}

// isOn has a session in each folder, and checks in which of them memory is on.
func (w *world) isOn(want string) {
	w.t.Helper()
	var on []string
	for _, folder := range w.folders() {
		if w.session(folder, true) {
			on = append(on, folder)
		}
	}
	if got := strings.Join(on, " "); got != want {
		w.t.Errorf("memory is on in %q, want %q", got, want)
	}
}

func (w *world) folders() (names []string) {
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, entry := range entries {
		if info, err := os.Stat(filepath.Join(w.dir, entry.Name())); err == nil && info.IsDir() && len(entry.Name()) < 3 {
			names = append(names, entry.Name())
		}
	}
	return names
}

// TestWhatIsOffStaysOff: whatever happens to the folders of a project that is off, memory is off in a folder if and only if one of its
// identities is off.
func TestWhatIsOffStaysOff(t *testing.T) {
	type step struct {
		name string
		do   func(w *world, at, next string) (now string)
	}
	put := func(lines ...string) func(*world, string, string) string {
		return func(w *world, at, next string) string {
			w.shell(strings.NewReplacer("AT", at, "NEXT", next).Replace(strings.Join(lines, "; ")))
			return at
		}
	}
	steps := []step{
		{"moved", func(w *world, at, next string) string { put("mv AT NEXT")(w, at, next); return next }},
		{"copied", put("cp -r AT NEXT")},
		{"copied with its times", put("cp -a AT NEXT")},
		{"cloned", put("git clone -q AT NEXT || mkdir NEXT")},
		{"cloned, without a remote", put("git clone -q AT NEXT || mkdir NEXT", "git -C NEXT remote remove origin || true")},
		{"a worktree", put("git -C AT worktree add -q ../NEXT 2>/dev/null || mkdir NEXT")},
		{"a remote", put("git -C AT remote add origin git@example.org:a/NEXT.git 2>/dev/null || git -C AT remote set-url origin git@example.org:a/NEXT.git || true")},
		{"no remote", put("git -C AT remote remove origin 2>/dev/null || true")},
		{"deleted", func(w *world, at, _ string) string {
			put("rm -rf AT")(w, at, "")
			if left := w.folders(); len(left) > 0 {
				return left[0]
			}
			return put("mkdir AT")(w, at, "")
		}},
		{"another at p", put("[ -e p ] || { git init -q p; git -C p commit -q --allow-empty -m NEXT; }")},
		{"an empty one at p", put("[ -e p ] || git init -q p")},
		{"a folder at p", put("mkdir -p p")},
		{"a link at p", put("[ -e p ] || ln -s AT p")},
		{"a clone at p", put("[ -e p ] || { git clone -q AT p && git -C p remote remove origin; } || mkdir p")},
		{"history anew", put("[ ! -d AT/.git ] || { cd AT; git checkout -q --orphan NEXT; git commit -q --allow-empty -m NEXT; git for-each-ref --format='%(refname)' refs/heads | grep -v /NEXT | xargs -r -n1 git update-ref -d; }")},
		{"not git any more", put("rm -rf AT/.git")},
		{"a session", nil},
	}
	states := map[string]string{
		"a folder":           "mkdir p",
		"no commits":         "git init -q p",
		"a repository":       "git init -q p; git -C p commit -q --allow-empty -m p",
		"with a remote":      "git init -q p; git -C p commit -q --allow-empty -m p; git -C p remote add origin git@example.org:a/p.git",
		"with a worktree":    "git init -q p; git -C p commit -q --allow-empty -m p; git -C p worktree add -q ../wt",
		"with a clone":       "git init -q p; git -C p commit -q --allow-empty -m p; git clone -q p c; git -C c remote remove origin",
		"linked":             "git init -q l; git -C l commit -q --allow-empty -m p; ln -s l p",
		"beside another one": "git init -q p; git -C p commit -q --allow-empty -m p; git init -q o; git -C o commit -q --allow-empty -m o",
	}
	names := slices.Sorted(maps.Keys(states))
	for seed := range uint64(2 * len(steps)) {
		random := rand.New(rand.NewPCG(seed, 56))
		state := names[seed%uint64(len(names))]
		chosen := []step{steps[seed%uint64(len(steps))]}
		for range random.IntN(3) {
			chosen = append(chosen, steps[random.IntN(len(steps))])
		}
		runs := random.IntN(2) == 0
		title := fmt.Sprint(seed, " ", state, ", daemon ", runs)
		for _, one := range chosen {
			title += ", " + one.name
		}
		t.Run(title, func(t *testing.T) {
			w := newWorld(t)
			put(states[state])(w, "p", "p")
			w.session("p", true)
			rule := switched{is: map[string]bool{}, paths: map[string]string{}}
			w.off("p")
			rule.add(w.identities("p"), true)
			check := func(folder string) {
				is := w.identities(folder)
				isOff, isKnown := rule.has(is)
				if isOff {
					rule.add(is, runs || !isKnown)
				}
				if isStored := w.session(folder, runs); isStored == isOff {
					t.Errorf("%s (%+v) is stored: %t; off are %v", folder, is, isStored, rule)
				}
			}
			at := "p"
			for i, one := range chosen {
				if one.do == nil {
					check(at)
					continue
				}
				at = one.do(w, at, fmt.Sprint("n", i))
			}
			for _, folder := range w.folders() {
				check(folder)
			}
		})
	}
}

// TestWhatIsSwitchedOnIsThatProject: on again is the project that is switched on, under all its keys, and none that it has commits of, or
// whose path it has.
func TestWhatIsSwitchedOnIsThatProject(t *testing.T) {
	const repository = "git init -q p; git -C p commit -q --allow-empty -m p; "
	for name, c := range map[string]struct {
		before, on, after string // lines of a shell, before a session in each folder, and before the last ones; the folder that is switched on
		want              string // the folders where memory is on then
	}{
		"the project":             {"", "p", "mv p q", "q"},
		"moved":                   {"mv p q", "q", "mv q r", "r"},
		"with a remote since":     {"git -C p remote add origin git@example.org:a/p.git", "p", "git -C p remote remove origin", "p"},
		"a copy":                  {"cp -r p q", "q", "", "q"},
		"what was copied":         {"cp -r p q", "p", "", "p q"},
		"another at its path":     {"mv p q; git init -q p; git -C p commit -q --allow-empty -m o", "p", "mv q r", "p"},
		"a copy, off again":       {"cp -r p q; git -C q remote add origin git@example.org:a/q.git", "q", "git clone -q q r; git -C r remote set-url origin git@example.org:a/q.git", "q r"},
		"a clone with its remote": {"git -C p remote add origin git@example.org:a/p.git; git clone -q p q; git -C q remote set-url origin git@example.org:a/p.git", "q", "", "p q"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.shell(repository)
			w.session("p", true)
			w.off("p")
			if c.before != "" {
				w.shell(c.before)
			}
			for _, folder := range w.folders() {
				w.session(folder, true)
			}
			if w.on(c.on); c.after != "" {
				w.shell(c.after)
			}
			w.isOn(c.want)
		})
	}
}

// TestWhatIsListedStaysListed while memory is on in listed projects only, if it is certainly the same project, and nothing else is.
func TestWhatIsListedStaysListed(t *testing.T) {
	for name, c := range map[string]struct{ change, want string }{
		"nothing":                     {"", "p"},
		"a remote":                    {"git -C p remote add origin git@example.org:a/p.git", "p"},
		"moved":                       {"mv p q", "q"},
		"moved, with a remote":        {"git -C p remote add origin git@example.org:a/p.git; mv p q", "q"},
		"a worktree":                  {"git -C p worktree add -q ../q", "p q"},
		"copied":                      {"cp -r p q", "p"},
		"a copy instead":              {"cp -r p q; rm -rf p; mv q p", "p"},
		"another repository instead":  {"rm -rf p; mv o p", ""},
		"another, which has a remote": {"git -C o remote add origin git@example.org:a/o.git; rm -rf p; mv o p", ""},
		"history anew":                {"cd p; git checkout -q --orphan n; git commit -q --allow-empty -m n; git branch -q -D master main 2>/dev/null || true", "p"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.shell("git init -q p; git -C p commit -q --allow-empty -m p; git init -q o; git -C o commit -q --allow-empty -m o")
			w.session("p", true)
			where, _ := project.Identify(filepath.Join(w.dir, "p"))
			musttest.Do(t, where.List(w.known.OffMarker(where.Key)))
			if c.change != "" {
				w.shell(c.change)
			}
			for range 2 {
				w.isOn(c.want)
			}
		})
	}
}
