//go:build linux

package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"filippo.io/age"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/mailbox"
)

var (
	syncPoints = flag.Int("sync.points", 12, "the number of exchanges between two machines that are killed or cut off")
	syncSeed   = flag.Uint64("sync.seed", 32, "of their instants")
)

// builtCLI builds the command line program beside memoryd.
var builtCLI = sync.OnceValues(func() (string, error) {
	p, err := built()
	if err != nil {
		return "", err
	}
	dir := filepath.Dir(p.memoryd)
	return filepath.Join(dir, "memory"), plugintest.Build(dir, "../memory")
})

func git(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// machine is one of a person's machines: a home with a daemon.
type machine struct {
	*home
	dir      string        // a project of the same path on each
	lifetime time.Duration // of an exchange
}

// newMachine starts the daemon of a machine and waits for it. A test of what is in the store's files needs the machine's own engine.
func newMachine(t *testing.T, dir string, isItsOwn bool) *machine {
	t.Helper()
	m := &machine{home: newHome(t), dir: dir}
	if !isItsOwn {
		m.serve(t)
	}
	m.start(t, "MEMORY_MAINTENANCE_ENABLED=false", "MEMORY_DAEMON_BATCH_SIZE=100") // a job would merge the rows that are compared
	m.await(t, "a daemon", func() bool {
		status, err := m.status(t)
		return err == nil && status.State == "ready"
	})
	return m
}

// exchanging returns a number of machines with a project in dir, which exchange their memories through a repository.
func exchanging(t *testing.T, dir string, count int, isItsOwn bool) (repository string, machines []*machine) {
	t.Helper()
	enginetest.Endpoint(t)
	repository = filepath.Join(t.TempDir(), "repository.git")
	git(t, "init", "--quiet", "--bare", repository)
	for i := range count {
		m, args := newMachine(t, dir, isItsOwn), []string{"sync", "--git", repository}
		if i > 0 {
			args = append(args, "--key", filepath.Join(machines[0].layout.Sync(), "key.txt"))
		}
		m.memory(t, args...)
		machines = append(machines, m)
	}
	return repository, machines
}

func (m *machine) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(musttest.Get(builtCLI())(t), args...)
	cmd.Dir, cmd.Env = m.dir, append(append(m.environment(t), m.env...), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	return cmd
}

func (m *machine) memory(t *testing.T, args ...string) string {
	t.Helper()
	cmd := m.command(t, args...)
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("memory %s: %v: %s%s", strings.Join(args, " "), err, out, problem.String())
	}
	return string(out)
}

// texts are the memories of the machine with one of the statuses, or all, each as often as it has it.
func (m *machine) texts(t *testing.T, statuses ...memory.Status) []string {
	t.Helper()
	var found []daemonapi.Listed
	m.call(t, daemonapi.MethodMemories.Call(memory.Filter{Statuses: statuses, Limit: 5000}, &found))
	var texts []string
	for _, one := range found {
		texts = append(texts, one.Content)
	}
	slices.Sort(texts)
	return texts
}

// TestSyncSurvivesKillsAndPartitions has two machines learn and exchange, while exchanges are killed at random instants, with and
// without their git, and their repository goes away at random instants. In the end both have the union, nothing twice, and the
// repository nothing that can be read.
func TestSyncSurvivesKillsAndPartitions(t *testing.T) {
	onlyInChaos(t)
	t.Parallel()
	enginetest.Endpoint(t)
	dice := rand.New(rand.NewPCG(*syncSeed, 0))
	repository, dir := filepath.Join(t.TempDir(), "repository.git"), t.TempDir()
	git(t, "init", "--quiet", "--bare", repository)
	machines := []*machine{newMachine(t, dir, true), newMachine(t, dir, true)}
	var want []string
	learn := func(m *machine) {
		text := fmt.Sprintf("the port of service %d is %d", len(want), 6000+len(want))
		want = append(want, text)
		m.memory(t, "remember", text)
	}
	learn(machines[0])
	machines[0].memory(t, "sync", "--git", repository)
	key := filepath.Join(machines[0].layout.Sync(), "key.txt")
	learn(machines[1])
	machines[1].memory(t, "sync", "--git", repository, "--key", key)
	ended := map[string]int{}
	for i := range *syncPoints {
		m := machines[dice.IntN(2)]
		switch dice.IntN(16) {
		case 0, 1:
			learn(m)
		case 2: // the same as one of the machines has learned before
			m.memory(t, "remember", want[dice.IntN(len(want))])
		}
		if dice.IntN(40) == 0 { // its record of the letters is lost
			musttest.Do(t, os.RemoveAll(filepath.Join(m.layout.Sync(), "handled")))
		}
		if i%25 == 0 { // as busy as the machine is now
			begun := time.Now()
			m.memory(t, "sync")
			machines[0].lifetime, machines[1].lifetime = time.Since(begun), time.Since(begun)
		}
		how := []string{"killed", "killed with its git", "cut off"}[dice.IntN(3)]
		m.interrupt(t, how, time.Duration(dice.Int64N(int64(m.lifetime*5/4))), repository, ended)
	}
	t.Logf("seed %d: %v", *syncSeed, ended)
	for _, m := range []*machine{machines[0], machines[1], machines[0]} {
		m.memory(t, "sync")
	}
	slices.Sort(want)
	var counts []memory.Stats
	for i, m := range machines {
		musttest.Same(t, want, m.texts(t), "seed %d: machine %d (-want +got)", *syncSeed, i)
		status, err := m.status(t)
		if err != nil || status.Store == nil {
			t.Fatalf("machine %d: %v", i, err)
		}
		counts = append(counts, *status.Store)
	}
	if counts[0].Memories != counts[1].Memories || counts[0].Sightings != counts[1].Sightings || counts[0].Sessions != counts[1].Sessions {
		t.Errorf("seed %d: the machines have %+v and %+v", *syncSeed, counts[0], counts[1])
	}
	if again := machines[1].memory(t, "sync", "--json"); !isIdle(t, again) {
		t.Errorf("seed %d: one exchange more does something: %s", *syncSeed, again)
	}
	unreadable(t, repository, "service", "port of")
	stranger := newMachine(t, dir, false)
	if out, err := stranger.command(t, "sync", "--git", repository).CombinedOutput(); err == nil || !strings.Contains(string(out), "copy that machine's key") {
		t.Errorf("without the key: %v, %s", err, out)
	}
}

// interrupt runs an exchange that is ended after a time, unless it has ended by then.
func (m *machine) interrupt(t *testing.T, how string, after time.Duration, repository string, ended map[string]int) {
	t.Helper()
	cmd := m.command(t, "sync")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	musttest.Do(t, cmd.Start())
	away := repository + ".away"
	timer := time.AfterFunc(after, func() {
		switch how {
		case "killed":
			_ = cmd.Process.Kill()
		case "killed with its git":
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		default:
			_ = os.Rename(repository, away)
		}
	})
	came := how
	if cmd.Wait() == nil {
		came = "whole"
	}
	ended[came]++
	timer.Stop()
	// Its git may go on after a kill, as the push does that a laptop has sent before its lid closes.
	m.await(t, "the processes of the exchange to end", func() bool { return isGoneGroup(cmd.Process.Pid) })
	if _, err := os.Stat(away); err == nil {
		musttest.Do(t, os.Rename(away, repository))
	}
	// The repository's own git was killed, too, as no host's is: its owner deletes the lock that the
	// message names. Those in the machine's copy are an hour old when the next exchange begins.
	for _, lock := range locks(t, repository) {
		ended["lock in the repository"]++
		musttest.Do(t, os.Remove(lock))
	}
	for _, lock := range locks(t, m.layout.Sync()) {
		ended["lock in the copy"]++
		then := time.Now().Add(-time.Hour)
		musttest.Do(t, os.Chtimes(lock, then, then))
	}
}

// locks are the locks that a killed git has left.
func locks(t *testing.T, dir string) (found []string) {
	t.Helper()
	musttest.Do(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if filepath.Ext(path) == ".lock" {
			found = append(found, path)
		}
		return err
	}))
	return found
}

// isGoneGroup reports whether no process of a group runs; a zombie waits for a parent that is not ours.
func isGoneGroup(leader int) bool {
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range all {
		stat, err := os.ReadFile(name)
		_, after, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(after); err == nil && len(fields) > 2 && fields[0] != "Z" && fields[2] == strconv.Itoa(leader) {
			return false
		}
	}
	return true
}

// isIdle reports whether an exchange received nothing and sent nothing.
func isIdle(t *testing.T, report string) bool {
	t.Helper()
	var r struct {
		Letters int `json:"letters"`
		Sent    int `json:"sent"`
	}
	musttest.Do(t, json.Unmarshal([]byte(report), &r))
	return r.Letters == 0 && r.Sent == 0
}

// unreadable looks for words in all objects of a repository, unpacked, and in all its files.
func unreadable(t *testing.T, repository string, words ...string) {
	t.Helper()
	all, err := exec.CommandContext(t.Context(), "git", "--git-dir", repository, "cat-file", "--batch-all-objects", "--batch").Output()
	if err != nil || !bytes.Contains(all, []byte("age-encryption.org")) {
		t.Fatalf("the repository has no letters: %v", err)
	}
	musttest.Do(t, filepath.WalkDir(repository, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			content, readErr := os.ReadFile(path)
			all, err = append(all, content...), readErr
		}
		return err
	}))
	for _, word := range words {
		if bytes.Contains(all, []byte(word)) {
			t.Errorf("the repository says %q to everybody", word)
		}
	}
}

// TestMachinesExchangeByThemselves sets an exchange up on two machines, and then only lives sessions on them: what one
// was asked to keep is in the other's store without a command.
func TestMachinesExchangeByThemselves(t *testing.T) {
	t.Parallel()
	repository, machines := exchanging(t, t.TempDir(), 2, false)
	laptop, desk := machines[0], machines[1]
	plugins := map[*machine]string{laptop: laptop.newPlugin(t), desk: desk.newPlugin(t)}
	live := func(m *machine, session, prompt string) {
		t.Helper()
		one := conversation{m.home, plugins[m], session}
		one.begin(t)
		one.prompt(t, prompt)
		one.end(t)
	}
	live(laptop, "s-laptop", "Remember: the staging port is 6543")
	laptop.await(t, "a letter of the laptop", func() bool {
		_, err := os.Stat(filepath.Join(repository, "refs", "heads", "surrealdb-memory"))
		return err == nil
	})
	live(desk, "s-desk", "hello")
	desk.await(t, "the laptop's memory", func() bool { return slices.Contains(desk.texts(t), "the staging port is 6543") })

	musttest.Do(t, os.Rename(repository, repository+".away"))
	live(desk, "s-offline", "hello again")
	desk.await(t, "the reason in the status", func() bool {
		return regexp.MustCompile(`(?m)^sync +failed .*not appear to be a git repo`).MatchString(desk.memory(t, "status"))
	})
	desk.memory(t, "sync", "--off")
	if status := desk.memory(t, "status"); strings.Contains(status, "sync ") {
		t.Errorf("after --off the status is\n%s", status)
	}
}

// agree checks that all machines have the same texts with some statuses, or any, that another exchange does nothing, and that no file has
// the purged name.
func agree(t *testing.T, when string, machines []*machine, statuses []memory.Status, want ...string) {
	t.Helper()
	for i, m := range machines {
		name := fmt.Sprintf("machine %d, %s", i, when)
		musttest.Same(t, want, m.texts(t, statuses...), "%s (-want +got)", name)
		if again := m.memory(t, "sync", "--json"); !isIdle(t, again) {
			t.Errorf("%s: one exchange more does something: %s", name, again)
		}
		m.hasNot(t, name, "lindqvist")
	}
}

// TestDecisionsAndPurgesTravel has two machines change the same memories while their repository is away, and then exchange: what was
// forgotten on one is forgotten on both, and what was purged is in no file of both, and in no letter. What an old letter
// says does not come back.
func TestDecisionsAndPurgesTravel(t *testing.T) {
	t.Parallel()
	repository, machines := exchanging(t, t.TempDir(), 2, true)
	laptop, desk := machines[0], machines[1]
	laptop.memory(t, "remember", "our customer is Zora Lindqvist")
	laptop.memory(t, "remember", "the port is 6543")
	laptop.memory(t, "remember", "the lift is out of order")
	laptop.memory(t, "sync")
	desk.memory(t, "sync")
	musttest.Do(t, os.Rename(repository, repository+".away"))
	desk.memory(t, "remember", "call zora-lindqvist before noon")
	desk.memory(t, "remember", "the office closes at six")
	desk.memory(t, "backup")
	desk.memory(t, "forget", memory.NewID(memory.ScopeProject, desk.dir, "the lift is out of order"))
	laptop.memory(t, "edit", memory.NewID(memory.ScopeProject, laptop.dir, "the port is 6543"), "--content", "the port is 6544")
	laptop.memory(t, "purge", "--words", "Zora Lindqvist", "--yes")
	musttest.Do(t, os.Rename(repository+".away", repository))
	if report := laptop.memory(t, "sync"); !strings.Contains(report, "deleted 1 encrypted file from the repository because of a purge") {
		t.Errorf("the report is %q", report)
	}
	for _, m := range []*machine{desk, laptop, desk} {
		if report := m.memory(t, "sync"); strings.Contains(report, "rolled back") {
			t.Errorf("the report is %q", report)
		}
	}
	agree(t, "exchanged", machines, []memory.Status{memory.StatusActive}, "the office closes at six", "the port is 6544")
	git(t, "--git-dir", repository, "gc", "--quiet", "--prune=now") // as docs/security.md says
	for _, copied := range []string{repository, filepath.Join(desk.layout.Sync(), "repository"), filepath.Join(laptop.layout.Sync(), "repository")} {
		if letters := lettersWith(t, copied, laptop, "lindqvist"); letters > 0 {
			t.Errorf("%s has %d letters with the purged words", copied, letters)
		}
	}
}

// says has the user state something in a session of the machine.
func (m *machine) says(t *testing.T, session, text string) {
	t.Helper()
	cmd := m.command(t, "remember", text)
	cmd.Env = append(cmd.Env, "CLAUDE_CODE_SESSION_ID="+session)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// TestAPurgedSessionTravels has a machine purge a session whose sentences a session of another machine has stated, too, before the
// exchange or while the letter with them waits, in each order: these stay on both, with the session that is left.
func TestAPurgedSessionTravels(t *testing.T) {
	t.Parallel()
	_, machines := exchanging(t, t.TempDir(), 2, true)
	laptop, desk := machines[0], machines[1]
	desk.says(t, "desk", "the port is 6543")
	laptop.says(t, "laptop", "the port is 6543")
	laptop.says(t, "laptop", "our customer is Zora Lindqvist")
	laptop.says(t, "laptop", "the lift is out of order")
	laptop.says(t, "laptop", "the gate is green")
	laptop.memory(t, "backup")
	laptop.memory(t, "sync")
	desk.memory(t, "sync")
	desk.says(t, "desk", "the lift is out of order")
	desk.memory(t, "sync")
	desk.says(t, "desk", "the gate is green")
	laptop.memory(t, "purge", "--session", "laptop", "--yes")
	for _, m := range []*machine{laptop, desk, laptop, desk, laptop} {
		m.memory(t, "sync")
	}
	both := func(when string, want ...string) {
		t.Helper()
		for i, m := range machines {
			m.memory(t, "list") // starts a daemon
			var found []daemonapi.Listed
			m.call(t, daemonapi.MethodMemories.Call(memory.Filter{Limit: 100}, &found))
			for _, one := range found {
				if one.Session == "laptop" || one.Session == "" {
					t.Errorf("machine %d, %s: %q is of the session %q", i, when, one.Content, one.Session)
				}
			}
		}
		agree(t, when, machines, nil, want...)
	}
	both("purged", "the gate is green", "the lift is out of order", "the port is 6543")
	// What another session states is its own, also if only the purged one had stated it.
	laptop.says(t, "later", "our customer is Nils Holm")
	laptop.memory(t, "purge", "--session", "later", "--yes")
	laptop.says(t, "last", "our customer is Nils Holm")
	for _, m := range []*machine{laptop, desk, laptop} {
		m.memory(t, "sync")
	}
	both("stated again", "our customer is Nils Holm", "the gate is green", "the lift is out of order", "the port is 6543")
	laptop.memory(t, "backup", "rebuild", "--yes")
	laptop.memory(t, "sync") // brings all letters again
	both("rebuilt", "our customer is Nils Holm", "the gate is green", "the lift is out of order", "the port is 6543")
}

// TestAPurgedProjectTravels has a machine purge a project while a letter of the other with more of it waits, and the other work on
// in the project: everything of before goes on both, and what was kept after the purge stays.
func TestAPurgedProjectTravels(t *testing.T) {
	t.Parallel()
	repository, machines := exchanging(t, t.TempDir(), 2, true)
	laptop, desk, other := machines[0], machines[1], t.TempDir()
	laptop.memory(t, "remember", "our customer is Zora Lindqvist")
	laptop.memory(t, "remember", "--project", other, "the tide tables are of 2026")
	laptop.memory(t, "remember", "the port is 6543")
	laptop.memory(t, "sync")
	desk.memory(t, "sync")
	saved := filepath.Join(t.TempDir(), "saved.jsonl")
	laptop.memory(t, "export", saved)
	desk.memory(t, "remember", "call Zora Lindqvist before noon")
	desk.memory(t, "backup")
	desk.memory(t, "sync")
	laptop.memory(t, "purge", "--project", laptop.dir, "--yes")
	desk.memory(t, "remember", "the lift is repaired")
	for _, m := range []*machine{laptop, desk, laptop, desk} {
		m.memory(t, "sync")
	}
	agree(t, "purged", machines, nil, "the lift is repaired", "the tide tables are of 2026")
	// What is stored again on purpose is purged by no old letter.
	laptop.memory(t, "import", "export", saved)
	for _, word := range []string{"Lindqvist", "tide tables"} {
		laptop.memory(t, "purge", "--words", word, "--yes")
		for _, m := range []*machine{laptop, desk, laptop} {
			m.memory(t, "sync")
		}
	}
	for name, m := range map[string]*machine{"laptop": laptop, "desk": desk} {
		musttest.Same(t, []string{"the lift is repaired", "the port is 6543"}, m.texts(t), "%s (-want +got)", name)
	}
	// A purge of a project that is not stored here purges it nowhere.
	only := t.TempDir()
	desk.memory(t, "remember", "--project", only, "the crane is broken")
	if out, err := laptop.command(t, "purge", "--project", only, "--yes").CombinedOutput(); err == nil {
		t.Errorf("a project that is not here was purged: %s", out)
	}
	laptop.memory(t, "sync")
	desk.memory(t, "sync")
	if list := desk.memory(t, "list", "--project", only); !strings.Contains(list, "crane") {
		t.Errorf("after the other machine's refused purge the desk has %s", list)
	}
	// An empty project goes whole, and no old letter that the repository's host puts back brings it again.
	laptop.says(t, "late", "the gate is green")
	laptop.memory(t, "sync")
	desk.memory(t, "sync")
	git(t, "--git-dir", repository, "branch", "before", "surrealdb-memory")
	laptop.memory(t, "purge", "--project", laptop.dir, "--yes")
	laptop.memory(t, "sync")
	desk.memory(t, "sync")
	git(t, "--git-dir", repository, "branch", "--force", "surrealdb-memory", "before")
	for _, m := range []*machine{laptop, desk, laptop} {
		m.memory(t, "sync")
	}
	agree(t, "rolled back", machines, nil, "the crane is broken")
	if list := desk.memory(t, "projects", "--json"); strings.Contains(list, laptop.dir) {
		t.Errorf("the desk still lists the project: %s", list)
	}
}

// TestAPurgedProjectStaysGoneOnThree has a third machine push more of a project before the exchange that tells of its purge, which
// happens while this exchange runs: what was pushed does not bring the project back.
func TestAPurgedProjectStaysGoneOnThree(t *testing.T) {
	t.Parallel()
	_, machines := exchanging(t, t.TempDir(), 3, false)
	laptop, desk, server := machines[0], machines[1], machines[2]
	laptop.says(t, "laptop", "our customer is Zora Lindqvist")
	laptop.memory(t, "sync")
	server.says(t, "server", "Zora Lindqvist pays on Mondays")
	server.memory(t, "sync")
	desk.memory(t, "sync")
	server.says(t, "server", "call Zora Lindqvist before noon")
	server.memory(t, "sync")
	desk.memory(t, "sync")
	exchange := laptop.command(t, "sync")
	program := musttest.Get(exec.LookPath("git"))(t)
	bin := t.TempDir()
	purging := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *' fetch '*) %q purge --project %q --yes >>%q ;; esac\nexec %q \"$@\"\n", exchange.Path, laptop.dir, filepath.Join(bin, "purge"), program)
	musttest.Do(t, os.WriteFile(filepath.Join(bin, "git"), []byte(purging), 0o700))
	exchange.Env = append(exchange.Env, "PATH="+bin+":"+os.Getenv("PATH"))
	if out, err := exchange.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if said, err := os.ReadFile(filepath.Join(bin, "purge")); !strings.HasPrefix(string(said), "deleted from ") {
		t.Fatalf("the purge: %v, %s", err, said)
	}
	for _, m := range []*machine{laptop, server, desk, laptop, server, desk} {
		m.memory(t, "sync")
	}
	for name, m := range map[string]*machine{"laptop": laptop, "desk": desk, "server": server} {
		if list := m.memory(t, "projects", "--json"); strings.Contains(list, laptop.dir) {
			t.Errorf("the %s lists the project: %s", name, list)
		}
		if again := m.memory(t, "sync", "--json"); !isIdle(t, again) {
			t.Errorf("%s: one exchange more does something: %s", name, again)
		}
		m.hasNot(t, name, "lindqvist")
	}
}

// TestPurgedWordsAreInNoFile has words in every kind of row, name and file, and in events that wait or can never be stored.
func TestPurgedWordsAreInNoFile(t *testing.T) {
	t.Parallel()
	enginetest.Endpoint(t)
	m := newMachine(t, t.TempDir(), true)
	at := time.Now().UTC()
	where := memory.Project{Key: m.dir, Name: "p", Root: m.dir}
	put := func(into *spool.Spool, e memory.Event) string {
		t.Helper()
		e.ID, e.At, e.Project = memory.NewEventID(at), at, where
		musttest.Do(t, into.Put(e))
		return e.ID
	}
	m.says(t, "s-quiet", "the port is 6543")
	m.memory(t, "remember", "--file", "docs/zora_lindqvist.md", "the file has the prices")
	m.memory(t, "remember", "--tag", "ZoraLindqvist", "the gate is green")
	box := spool.New(m.layout.Spool())
	note := memory.Memory{
		Kind: memory.KindNote, Scope: memory.ScopeProject, Project: m.dir, Content: "the tariff is in cents", Title: "tariff", Cues: []string{"what does Zora Lindqvist pay"},
		CreatedAt: at, LastSeenAt: at, Session: "s-cue",
	}
	session := memory.Session{ID: "s-sum", StartedAt: at, LastEventAt: at, State: memory.SessionCompleted, Summary: memory.Summary{Text: "Talked with Zora Lindqvist; done: nothing."}}
	for i, row := range []memory.Import{{Memory: &note}, {Session: &session}} {
		e := memory.Event{ID: memory.NewImportID("test", fmt.Sprint(i)), At: at, Kind: memory.EventImported, Session: "s-sum", Project: where, Import: &row}
		var done daemonapi.ImportResult
		m.call(t, daemonapi.MethodImport.Call(daemonapi.ImportParams{Events: []memory.Event{e}}, &done))
		if len(done.Refused) > 0 {
			t.Fatalf("refused: %+v", done.Refused)
		}
	}
	m.memory(t, "backup")
	put(box, memory.Event{Kind: memory.EventFileChanged, Session: "s-work", File: m.dir + "/Zora Lindqvist/a.go"})
	put(box, memory.Event{Kind: memory.EventCommandFailed, Session: "s-work", Command: "mail zora.lindqvist@example.org", Error: "no"})
	put(box, memory.Event{Kind: "unknown", Session: "s-work", Prompt: "hello Zora Lindqvist"})
	m.memory(t, "daemon", "ingest")
	put(box, memory.Event{Kind: memory.EventPrompt, Session: "s-work", Prompt: "Remember: call Zora Lindqvist"})
	m.memory(t, "purge", "--words", "Zora Lindqvist", "--yes")
	m.hasNot(t, "after the purge", "lindqvist")
	// The id of a session cannot be changed: it goes whole, and is not stored again.
	elsewhere := newMachine(t, m.dir, false)
	elsewhere.says(t, "s-zora-lindqvist", "the lift is out of order")
	elsewhere.memory(t, "purge", "--words", "Zora Lindqvist", "--yes")
	elsewhere.says(t, "s-quiet", "the port is 6543")
	if out := elsewhere.memory(t, "sessions", "--json"); strings.Contains(out, "lindqvist") || !strings.Contains(out, "s-quiet") {
		t.Errorf("the sessions are %s", out)
	}
	for _, args := range [][]string{{"list"}, {"sessions"}, {"list", "--events"}, {"recall", "what does Zora pay"}} {
		if out := m.memory(t, args...); strings.Contains(strings.ToLower(out), "lindqvist") {
			t.Errorf("memory %s shows %s", strings.Join(args, " "), out)
		}
	}
	for _, one := range []*machine{m, elsewhere} {
		musttest.Same(t, []string{"the port is 6543"}, one.texts(t), "left (-want +got)")
	}
}

// TestAReplacedStoreTakesTheLettersAgain has a machine lose its store, or a part of it, in each way that the program knows: the next
// exchange brings what the lost store had received and sent. What was decided or purged meanwhile holds. make chaos has all the ways.
func TestAReplacedStoreTakesTheLettersAgain(t *testing.T) {
	t.Parallel()
	_, machines := exchanging(t, t.TempDir(), 2, true)
	laptop, desk, other := machines[0], machines[1], t.TempDir()
	exchange := func() {
		t.Helper()
		for _, m := range []*machine{laptop, desk, laptop} {
			m.memory(t, "sync")
		}
	}
	id := func(text string) string { return memory.NewID(memory.ScopeProject, laptop.dir, text) }
	for _, text := range []string{"the gate is green", "the lift is out of order", "the port is 6543", "the tariff is in cents", "call Zora Lindqvist before noon"} {
		laptop.memory(t, "remember", text)
	}
	laptop.memory(t, "remember", "--project", other, "the tide tables are of 2026")
	exchange()
	saved := filepath.Join(t.TempDir(), "saved.jsonl.gz")
	laptop.memory(t, "backup", saved)
	desk.memory(t, "remember", "the office closes at six")
	laptop.memory(t, "remember", "deploy on Tuesdays only")
	laptop.memory(t, "forget", id("the gate is green"))
	desk.memory(t, "forget", id("the lift is out of order"))
	desk.memory(t, "edit", id("the port is 6543"), "--content", "the port is 6544")
	desk.memory(t, "purge", id("the tariff is in cents"), "--yes")
	desk.memory(t, "purge", "--project", other, "--yes")
	laptop.memory(t, "purge", "--words", "Zora Lindqvist", "--yes")
	exchange()
	want := []string{"deploy on Tuesdays only", "the office closes at six", "the port is 6544"}
	for _, lost := range []struct {
		how    string
		isRare bool
		by     func()
	}{
		{"restored", false, func() { laptop.memory(t, "restore", saved, "--yes") }},
		{"rebuilt", true, func() { laptop.memory(t, "backup", "rebuild", "--force", "--yes") }},
		{"another database", true, func() {
			laptop.memory(t, "config", "set", "store.database", "memories_2")
			laptop.memory(t, "daemon", "stop")
		}},
		{"no data, journal and backups", false, func() {
			laptop.memory(t, "daemon", "stop")
			laptop.remove(t, laptop.layout.Data(), laptop.layout.Journal(), laptop.layout.Backups(), laptop.layout.StoreNotice())
		}},
		{"no data", true, func() {
			laptop.memory(t, "daemon", "stop")
			laptop.remove(t, laptop.layout.Data(), laptop.layout.StoreNotice())
		}},
	} {
		if lost.isRare && isShort() {
			continue
		}
		lost.by()
		exchange()
		agree(t, lost.how, machines, []memory.Status{memory.StatusActive}, want...)
		for name, m := range map[string]*machine{"laptop": laptop, "desk": desk} {
			if list := m.memory(t, "list", "--project", other); strings.Contains(list, "tide") {
				t.Errorf("%s: the %s has the purged project: %s", lost.how, name, list)
			}
		}
	}
}

// remove deletes files and folders.
func (m *machine) remove(t *testing.T, paths ...string) {
	t.Helper()
	for _, path := range paths {
		musttest.Do(t, os.RemoveAll(path))
	}
}

// TestARenamedRemoteIsOneProjectOnAllMachines has a remote renamed on one machine, and the new address cloned on another.
func TestARenamedRemoteIsOneProjectOnAllMachines(t *testing.T) {
	t.Parallel()
	_, machines := exchanging(t, t.TempDir(), 2, false)
	laptop, desk := machines[0], machines[1]
	desk.dir = t.TempDir()
	git(t, "init", "--quiet", laptop.dir)
	git(t, "init", "--quiet", desk.dir)
	git(t, "-C", laptop.dir, "remote", "add", "origin", "https://example.org/o/p.git")
	laptop.memory(t, "remember", "the port is 6543")
	for _, m := range machines {
		git(t, "-C", laptop.dir, "remote", "set-url", "origin", "https://example.org/neworg/p.git")
		if m == desk {
			git(t, "-C", desk.dir, "remote", "add", "origin", "https://example.org/neworg/p.git")
			laptop.memory(t, "sync")
			desk.memory(t, "sync")
		}
		m.memory(t, "remember", "the tariff is in cents")
		if list := m.memory(t, "list"); !strings.Contains(list, "port") || !strings.Contains(list, "tariff") {
			t.Errorf("the machine %s lists\n%s", m.dir, list)
		}
	}
}

// hasNot looks for a word in all files of a machine's home.
func (m *machine) hasNot(t *testing.T, name, word string) {
	t.Helper()
	musttest.Do(t, filepath.WalkDir(m.layout.Home, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil // a file that the daemon has deleted
		}
		if content, _ := os.ReadFile(path); bytes.Contains(bytes.ToLower(content), []byte(word)) {
			t.Errorf("%s: %s has the word %q", name, path, word)
		}
		return nil
	}))
}

// lettersWith counts the letters among all objects of a repository that have a word, opened with a machine's key.
func lettersWith(t *testing.T, repository string, m *machine, word string) (letters int) {
	t.Helper()
	key := musttest.Get(mailbox.ReadKey(filepath.Join(m.layout.Sync(), "key.txt")))(t)
	list := musttest.Get(exec.CommandContext(t.Context(), "git", "--git-dir", repository, "cat-file", "--batch-all-objects", "--batch-check").Output())(t)
	opened := 0
	for line := range strings.Lines(string(list)) {
		id, kind, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.HasPrefix(kind, "blob") {
			continue
		}
		sealed := musttest.Get(exec.CommandContext(t.Context(), "git", "--git-dir", repository, "cat-file", "blob", id).Output())(t)
		open := musttest.Get(age.Decrypt(bytes.NewReader(sealed), key))(t)
		unpacked := musttest.Get(gzip.NewReader(open))(t)
		text := musttest.Get(io.ReadAll(unpacked))(t)
		opened++
		if bytes.Contains(bytes.ToLower(text), []byte(word)) {
			letters++
		}
	}
	if opened == 0 {
		t.Errorf("%s has no letter", repository)
	}
	return letters
}
