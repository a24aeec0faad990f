package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal/terminaltest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths/plugintest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

// place is where a command is shown, and therefore run.
type place string

const (
	inTerminal place = "a terminal" // a person types it, and can be asked
	behindMark place = "the client" // a person types it, and nobody can be asked
	inModels   place = "the model"  // the model runs it
)

// forModel are the texts that have the model run a command.
var forModel = []string{"/plugin/commands/", "/plugin/agents/"}

// placesOf are those in which a command is shown. A person reads pages and the help in a terminal or a browser, and all that
// programs print wherever these were run.
func (m mention) placesOf() []place {
	switch {
	case slices.ContainsFunc(forModel, func(part string) bool { return strings.Contains(m.file, part) }):
		return []place{inModels}
	case m.isInClient():
		return []place{behindMark}
	case m.isForTerminal, strings.HasSuffix(m.file, ".html"), m.line != "", strings.HasSuffix(m.file, ".md"):
		return []place{inTerminal}
	}
	return []place{inTerminal, behindMark}
}

// isProse: a page mentions the command as a thing, whose arguments it need not have.
func (m mention) isProse() bool { return strings.HasSuffix(m.file, ".md") }

// late are commands after which others find less: they come last, in this order.
var late = []string{
	"sync", "daemon stop", "setup engine", "backup rebuild", "restore", "setup codex off", "purge secrets",
	"purge", "setup uninstall", "setup uninstall --data", "config set store.url", "config unset store.url", "projects off", "projects on",
}

// apart is the first of them that needs a home of its own: it ends or replaces what others need.
const apart = 2

// rank is the place of a command in the order, before or after the others, which have 0.
func rank(line string) int {
	rank := 0
	if strings.HasPrefix(line, "memory distill on") || strings.HasPrefix(line, "memory sync --git") {
		return -1
	}
	for n, beginning := range late {
		if strings.HasPrefix(line, "memory "+beginning) {
			rank = n + 1
		}
	}
	return rank
}

// shownHome is a person's machine with the plugin, a memory and past sessions.
type shownHome struct {
	t                  *testing.T
	root, home, plugin string
	layout             paths.Layout
	path               string // PATH, without that of memory
	ids                map[string][]string
}

const shownSession = "0123abcd-0000"

var isShown = flag.Bool("shown", false, "run every command that a text names")

// TestEveryNamedCommandRunsWhereItIsShown runs every command that a text names, by the built programs, a started daemon and the
// real engine. A command passes if it does what it is for, or says what is to be done: it must not be refused as wrong use.
func TestEveryNamedCommandRunsWhereItIsShown(t *testing.T) {
	if !*isShown {
		t.Skip("starts thirty engines: make walkthroughs runs it")
	}
	plugin := shownPlugin(t)
	type group struct {
		place
		isLate bool
	}
	lines := map[group]map[string][]mention{}
	for _, one := range mentions(t) {
		for _, where := range one.placesOf() {
			line := cmp.Or(one.line, "memory "+strings.Join(one.words, " "))
			g := group{where, rank(line) >= apart}
			if lines[g] == nil {
				lines[g] = map[string][]mention{}
			}
			lines[g][line] = append(lines[g][line], one)
		}
	}
	for g, named := range lines {
		where := g.place
		t.Run(fmt.Sprintf("%s, late: %v", where, g.isLate), func(t *testing.T) {
			t.Parallel()
			h := newShownHome(t, plugin)
			all := slices.SortedFunc(maps.Keys(named), func(a, b string) int { return cmp.Or(rank(a)-rank(b), strings.Compare(a, b)) })
			for _, line := range all {
				h.check(where, line, named[line])
			}
			t.Logf("%d commands in %s", len(all), where)
		})
	}
}

// commandNames is a pattern for the name of any command.
func commandNames() string {
	var names []string
	for _, one := range idle().app().Commands {
		names = append(names, one.Name)
	}
	return strings.Join(names, "|")
}

// check runs a command in the place, and judges the outcome.
func (h *shownHome) check(where place, line string, named []mention) {
	h.t.Helper()
	filled := h.filled(named[0].command, line)
	began := time.Now()
	code, output := h.run(where, filled)
	if code == exitUsage && strings.Contains(output, "add --yes") {
		code, output = h.run(where, filled+" --yes")
	}
	h.t.Logf("%s: %s (as %s): %d after %s\n%s", where, line, filled, code, time.Since(began).Round(time.Millisecond), output)
	isProse := !slices.ContainsFunc(named, func(m mention) bool { return !m.isProse() })
	switch {
	case code == exitOK, code == exitFindings:
	case code == exitUsage && !isProse:
		h.t.Errorf("%s shows %s, which is wrong use in %s: %s: %s", named[0].file, line, where, filled, output)
	case !remedy.MatchString(output):
		h.t.Errorf("%s shows %s, which ends in %s with %d and without a remedy: %s: %s", named[0].file, line, where, code, filled, output)
	}
}

// remedy is the end of an error that names what is to be done.
var remedy = regexp.MustCompile(`memory (` + commandNames() + `)\b|--[a-z]+|it was not confirmed|name (one|the|a)\b|restore it first|git init|give some|give the|still that of|is there already|exists already|a file with|begins with !|ends with its id`)

// shownPlugin builds the plugin.
func shownPlugin(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "plugin")
	for _, dir := range []string{"bin", "hooks", "commands", "agents", ".claude-plugin"} {
		musttest.Do(t, plugintest.CopyPrograms(filepath.Join(root, dir), filepath.Join("../../plugin", dir)))
	}
	sources, packages, err := enginetest.Dirs()
	if _, missing := os.Stat(filepath.Join(packages, "node_modules")); missing != nil && os.Getenv("CI") == "" {
		t.Skipf("no engine is installed, run make engine: %v", missing)
	}
	if err = errors.Join(err, os.Symlink(sources, filepath.Join(root, "engine")), plugintest.Build(filepath.Join(root, "libexec"),
		"../../apps/memory", "../../apps/memoryd", "../../apps/memory-mcp")); err != nil {
		t.Fatal(err)
	}
	return root
}

func newShownHome(t *testing.T, plugin string) *shownHome {
	t.Helper()
	root := musttest.Get(os.MkdirTemp("", "shown-"))(t) // a name without a blank: a person's command is literal
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	h := &shownHome{t: t, root: root, home: filepath.Join(root, "home"), plugin: plugin, ids: map[string][]string{}}
	h.layout = paths.Layout{Home: filepath.Join(h.home, ".claude", "surrealdb-memory")}
	stubs := filepath.Join(root, "stubs")
	h.path = stubs + ":/usr/local/bin:/usr/bin:/bin"
	if node, err := exec.LookPath("node"); err == nil {
		h.path = stubs + ":" + filepath.Dir(node) + ":/usr/bin:/bin"
	}
	for _, dir := range []string{stubs, h.dir("src/website"), h.dir("src/old"), h.dir("src/other"), h.dir("src/web"), h.dir("backups"), h.dir(".claude/shell-snapshots"), h.dir(".local/share/man/man1"), h.dir(".local/bin")} {
		musttest.Do(t, os.MkdirAll(dir, 0o700))
	}
	musttest.Do(t, os.WriteFile(h.snapshot(), nil, 0o600))
	for name, script := range map[string]string{
		"claude": "test \"$1\" = plugin && exit; echo 'Invalid API key' >&2; exit 1", "systemctl": "exit 0", "xdg-open": "exit 0", "npm": "exit 1",
	} {
		musttest.Do(t, plugintest.WriteProgram(filepath.Join(stubs, name), []byte("#!/bin/sh\n"+script+"\n")))
	}
	t.Cleanup(func() { h.run(behindMark, "memory daemon stop") })
	h.fill()
	return h
}

func (h *shownHome) dir(name string) string { return filepath.Join(h.home, name) }

// snapshot is the file that each shell of the client reads.
func (h *shownHome) snapshot() string {
	return h.dir(".claude/shell-snapshots/snapshot-bash-1-shown.sh")
}

// fill makes a memory of each kind that commands are about.
func (h *shownHome) fill() {
	h.t.Helper()
	for _, file := range []string{"src/website/CLAUDE.md", ".claude/CLAUDE.md"} {
		musttest.Do(h.t, os.WriteFile(h.dir(file), []byte("# Rules\n\n- amounts are integer cents\n"), 0o600))
	}
	at := time.Now().Add(-time.Hour)
	where := memory.Project{Key: h.dir("src/website"), Name: "website", Root: h.dir("src/website")}
	for n, e := range []memory.Event{
		{Kind: memory.EventPrompt, Prompt: "we must never join on the account, guests have none"},
		{Kind: memory.EventTurnEnded, Text: "The query joined on the account. It joins on the session now."},
		{Kind: memory.EventSessionEnded, Reason: "other"},
	} {
		e.At, e.Session, e.Project = at.Add(time.Duration(n)*time.Minute), shownSession, where
		e.ID = memory.NewEventID(e.At)
		musttest.Do(h.t, spool.New(h.layout.Spool()).Put(e))
	}
	h.must(behindMark, "memory daemon start")
	h.must(behindMark, "memory setup link "+h.dir(".local/bin"))
	for _, name := range strings.Fields("staging billing search mail cache queue login images maps orders prices stock users logs carts taxes press shops mails audits ports docks ships crews boats lamps ropes nets tides winds maps2 coasts piers buoys") {
		h.must(behindMark, "memory remember --kind convention the owner of "+name+" signs its releases")
	}
	h.must(behindMark, "memory remember --project "+h.dir("src/other")+" the port of the other is 7000")
	h.must(behindMark, "memory daemon ingest")
	h.ids["active"] = h.listed("memory list --kind convention --limit 100 --json")
	old := h.ids["active"][0]
	h.ids["active"], h.ids["archived"] = h.ids["active"][1:], []string{old}
	h.must(behindMark, "memory forget "+old)
	h.ids["project"] = []string{"website", "other"}
	h.ids["run"] = h.listed("memory daemon runs --json")
	for _, command := range []string{"git init --quiet", "git config user.name Anna", "git config user.email anna@example.org", "git commit --quiet --allow-empty --message start", "git init --quiet --bare " + h.dir("memory.git")} {
		h.must(behindMark, command)
	}
	h.must(behindMark, "memory backup "+h.dir("backups/memory.jsonl"))
	h.must(behindMark, "memory export "+h.dir("backups/all.jsonl"))
}

// listed are the ids of the rows that a command prints.
func (h *shownHome) listed(line string) (ids []string) {
	h.t.Helper()
	var rows []struct{ ID string }
	if err := json.Unmarshal([]byte(h.must(behindMark, line)), &rows); err != nil || len(rows) == 0 {
		h.t.Fatalf("%s: %d rows: %v", line, len(rows), err)
	}
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	return ids
}

// next is an id of a kind, each in turn.
func (h *shownHome) next(kind string) string {
	all := h.ids[kind]
	h.ids[kind] = append(all[1:len(all):len(all)], all[0])
	return all[0]
}

func (h *shownHome) must(where place, line string) string {
	h.t.Helper()
	code, output := h.run(where, line)
	if code != exitOK {
		h.t.Fatalf("%s: %d\n%s", line, code, output)
	}
	return output
}

// filled is a command with values in the place of its placeholders and of the values of examples.
func (h *shownHome) filled(command []string, line string) string {
	line = strings.ReplaceAll(line, `\|`, "|")
	if after, is := strings.CutPrefix(line, `eval "$(`); is { // of another shell
		line = strings.TrimSuffix(after, `)"`)
	}
	line = strings.TrimSuffix(line, " | source")
	words := strings.Split(line, " ")
	for n, word := range words {
		words[n] = h.value(strings.Join(command, " "), word)
	}
	return strings.Join(words, " ")
}

// anID is an id in an example.
var anID = regexp.MustCompile(`^[0-9a-f]{6,12}$`)

// value is the value for a placeholder or for an id of a command; any other word stays.
func (h *shownHome) value(command, word string) string {
	if isID := anID.MatchString(word) || slices.Contains([]string{"ID", "RUN", "SESSION"}, word); isID || strings.HasPrefix(word, "%") {
		return h.id(command, isID)
	}
	if value := h.values(command)[word]; value != "" {
		return value
	}
	return word
}

// id is one of the kind that a command is about, or the name that it takes in the place of one.
func (h *shownHome) id(command string, isID bool) string {
	switch command {
	case "undo", "daemon runs":
		return h.next("run")
	case "sessions", "distill":
		return shownSession
	case "restore":
		return h.next("archived")
	case "projects merge":
		return h.next("project")
	case "setup engine":
		return "status"
	case "config set", "config unset":
		return "hooks.user_prompt.token_budget"
	case "edit", "forget", "purge": // then it is another one, or none
		defer func() { h.ids["active"] = h.ids["active"][:len(h.ids["active"])-1] }()
	}
	return h.next("active")
}

// values are those of placeholders, and local ones for what examples have elsewhere.
func (h *shownHome) values(command string) map[string]string {
	values := map[string]string{
		"DIR": h.dir(".local/bin"), "/usr/local/bin": h.dir(".local/bin"), "FILE": h.dir("backups/memory.jsonl"), "~/memories.jsonl": h.dir("backups/all.jsonl"), "key.txt": filepath.Join(h.layout.Sync(), "key.txt"),
		"URL": h.dir("memory.git"), "git@example.org:me/memory.git": h.dir("memory.git"), "wss://memory.example.org": "ws://127.0.0.1:9", "wss://…": "ws://127.0.0.1:9",
		"KEY": "hooks.user_prompt.token_budget", "VALUE": "2", "WORDS": "staging", "QUESTION": "staging", "TEXT": "staging", "WHY": "wrong", "SHELL": "bash",
		"INTO": "website", "PROJECT": "website", "FROM": "other", "NAME": "site", "FOLDER": h.dir("vault/memory"), "~/vault/memory": h.dir("vault/memory"),
		"decision|convention|note|preference": "decision",
	}
	switch command {
	case "sync":
		values["FILE"] = values["key.txt"]
	case "config set":
		values["URL"] = "ws://127.0.0.1:9"
	case "import transcripts":
		values["FOLDER"] = h.dir(".claude/projects")
	case "import export":
		values["all.jsonl"] = h.dir("backups/all.jsonl")
	}
	return values
}

// run runs a line in a place, at most a minute.
func (h *shownHome) run(where place, line string) (code int, output string) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	env := []string{"HOME=" + h.home, "LANG=C.UTF-8", "TERM=xterm", "USER=user", "MANPAGER=cat", "PAGER=cat", "EDITOR=true", enginetest.Setting(), enginetest.NoRegistry}
	if where == inTerminal {
		if _, err := os.Stat(h.dir(".local/bin/memory")); err != nil { // the command before has removed it
			h.must(behindMark, "memory setup link "+h.dir(".local/bin"))
		}
		return h.typed(ctx, line, append(env, "PATH="+h.dir(".local/bin")+":"+h.path))
	}
	marker := "" // which is written before the command's shell starts
	if where == behindMark {
		marker = "mkdir -p " + h.layout.FailedMarkers() + "; touch " + filepath.Join(h.layout.FailedMarkers(), "$$.idle") + "; "
	}
	shell := "source " + h.snapshot() + " 2>/dev/null || true && eval '" + strings.ReplaceAll(line, "'", `'"'"'`) + "' < /dev/null && pwd -P >| /dev/null"
	cmd := exec.CommandContext(ctx, "/bin/bash", "-c", `exec -a claude /bin/sh -c '`+marker+`CLAUDECODE=1 CLAUDE_CODE_SESSION_ID=shown /bin/bash -c "$0"; exit $?' "$0"`, shell)
	cmd.Env, cmd.Dir = append(env, "PATH="+filepath.Join(h.plugin, "bin")+":"+h.path), h.dir("src/website")
	cmd.WaitDelay = time.Second
	text, _ := cmd.CombinedOutput()
	return cmd.ProcessState.ExitCode(), string(text)
}

// typed runs a line on a terminal, where every question is answered with y.
func (h *shownHome) typed(ctx context.Context, line string, env []string) (code int, output string) {
	h.t.Helper()
	mine, theirs, err := terminaltest.Open()
	musttest.Do(h.t, err)
	cmd := exec.CommandContext(ctx, "/bin/bash", "-c", line)
	cmd.Env, cmd.Dir, cmd.WaitDelay = env, h.dir("src/website"), time.Second
	terminaltest.On(cmd, theirs)
	musttest.Do(h.t, cmd.Start())
	_ = theirs.Close()
	_, _ = io.WriteString(mine, strings.Repeat("y\n", 8)+"\x04")
	read := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(mine) // it fails when the terminal is closed
		read <- strings.TrimLeft(string(text), "y\r\n^D\b")
	}()
	_ = cmd.Wait()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	output = <-read
	_ = mine.Close()
	return cmd.ProcessState.ExitCode(), output
}
