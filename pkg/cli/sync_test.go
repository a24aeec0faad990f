package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/purged"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
)

// dyingGit is git that is killed in its command SYNC_CUT: before it does anything, or after it
// has done all. The command stands behind four options for git itself and the repository.
const dyingGit = `#!/bin/sh
if [ "${11}" = "$SYNC_CUT" ] && [ "$SYNC_DIES" = before ]; then kill -9 $$; fi
"$SYNC_GIT" "$@"
code=$?
if [ "${11}" = "$SYNC_CUT" ]; then kill -9 $$; fi
exit $code
`

// machine is a user's machine with a daemon of its own.
func machine(t *testing.T, project string) *user {
	t.Helper()
	x := newUser(t)
	x.dir = project
	now := func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }
	store := surrealtest.Empty(t)
	x.served(t, func(ctx context.Context, listener net.Listener) error {
		return serveLocked(ctx, x.layout, store, listener, now, distillingAs(nil))
	})
	return x
}

// texts are all memories of a machine's project.
func (x *user) texts(t *testing.T) []string {
	t.Helper()
	_, stdout, stderr := x.run(t, "list", "--limit", "0", "--json")
	var memories []memory.Memory
	if err := json.Unmarshal([]byte(stdout), &memories); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	var all []string
	for _, m := range memories {
		all = append(all, m.Content)
	}
	slices.Sort(all)
	return all
}

// TestSyncSurvivesItsEndAtAnyCallOfGit has git killed in each of its commands, before its work on one machine and after it on
// the other, in turn; both learn something before each exchange, and one of
// them loses its record of the letters. In the end both have the union, and nothing twice.
func TestSyncSurvivesItsEndAtAnyCallOfGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip(err)
	}
	dir, project := t.TempDir(), t.TempDir()
	repository := filepath.Join(dir, "repository.git")
	if out, err := exec.CommandContext(t.Context(), git, "init", "--quiet", "--bare", repository).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	musttest.Do(t, os.WriteFile(filepath.Join(dir, "git"), []byte(dyingGit), 0o755))
	laptop, desk := machine(t, project), machine(t, project)
	laptop.ok(t, "sync", "--git", repository)
	key := filepath.Join(laptop.layout.Sync(), "key.txt")
	var want []string
	learn := func(x *user) {
		text := fmt.Sprintf("the port of service %d is %d", len(want), 6000+len(want))
		want = append(want, text)
		x.ok(t, "remember", text)
	}
	learn(laptop)
	laptop.ok(t, "sync")
	desk.ok(t, "sync", "--git", repository, "--key", key)
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("SYNC_GIT", git)
	for n, command := range []string{"rev-parse", "ls-remote", "fetch", "ls-tree", "cat-file", "hash-object", "mktree", "commit-tree", "push"} {
		t.Setenv("SYNC_CUT", command)
		failed := 0
		for i, dies := range []string{"before", "after"} {
			t.Setenv("SYNC_DIES", dies)
			x := []*user{laptop, desk}[(n+i)%2]
			learn(x)
			if code, _, _ := x.run(t, "sync"); code != exitOK {
				failed++
			}
		}
		if failed < 1 { // of a push that has done its work, the next exchange knows
			t.Errorf("with git %s killed, both exchanges succeeded", command)
		}
		musttest.Do(t, os.RemoveAll(filepath.Join(desk.layout.Sync(), "handled")))
	}
	t.Setenv("SYNC_CUT", "none")
	for _, x := range []*user{laptop, desk, laptop} {
		x.ok(t, "sync")
	}
	slices.Sort(want)
	for name, x := range map[string]*user{"laptop": laptop, "desk": desk} {
		musttest.Same(t, want, x.texts(t), "%s (-want +got)", name)
	}
}

// TestAnOldLetterBringsNoPurgedProjectBack from a repository that its host has rolled back: rows of before a purge in a letter of
// before it are left out, whichever machine purged. What is stored again later is in a later letter.
func TestAnOldLetterBringsNoPurgedProjectBack(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	old, later := noon.Add(-time.Hour), noon.Add(time.Hour)
	own := new(purged.List).WithProjects([]string{"p"}, noon)
	others := new(purged.List).Adding([]*purged.List{new(purged.List).WithProjects([]string{"q"}, old), new(purged.List).WithProjects([]string{"p"}, noon)})
	again := others.WithProjects([]string{"p"}, old)
	for _, c := range []struct {
		name      string
		list      *purged.List
		project   string
		written   time.Time
		said      time.Time
		isUntold  bool
		isLeftOut bool
	}{
		{"nothing was purged", new(purged.List), "p", old, old, true, false},
		{"an undated row and letter, nothing purged", new(purged.List), "p", time.Time{}, time.Time{}, true, false},
		{"purged here", own, "p", old, old, false, true},
		{"purged here at the same moment", own, "p", noon, noon, false, true},
		{"purged elsewhere", others, "p", old, old, false, true},
		{"purged on two machines, the last purge counts", again, "p", noon, noon, false, true},
		{"another project", own, "q", old, old, true, false},
		{"stored again", own, "p", later, old, false, false},
		{"stored again after a purge elsewhere", others, "p", later, old, false, false},
		{"said after the purge", own, "p", later, later, true, false},
		{"dated ahead in an old letter", own, "p", old, later, false, false},
		{"written by a machine that has not heard of the purge", own, "p", later, old, true, true},
	} {
		r := letterReader{purged: c.list, isUntold: c.isUntold, writtenAt: c.written, sessions: map[string]bool{}, memories: map[string]bool{}}
		var left []bool
		for _, row := range []memory.Import{
			{Session: &memory.Session{ID: "s", StartedAt: c.said}},
			{Prompt: &memory.Prompt{}},
			{Memory: &memory.Memory{ID: "m", LastSeenAt: c.said}},
			{Sighting: &memory.Sighting{Memory: "m"}},
		} {
			left = append(left, r.isPurged(memory.Event{Session: "s", Project: memory.Project{Key: c.project}, Import: &row}))
		}
		musttest.Same(t, slices.Repeat([]bool{c.isLeftOut}, len(left)), left, c.name+": left out (-want +got)")
	}
}
