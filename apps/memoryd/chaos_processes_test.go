//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	surrealdb "github.com/surrealdb/surrealdb.go"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

var hangFaults = []fault{
	{"daemon that hangs (SIGSTOP)", inFull(5), hangDaemons},
	{"engine that hangs (SIGSTOP)", inFull(5), hangEngines},
	{"engine whose threads block each other, and that says that it is healthy", inFull(1), deadlockEngines},
}

// hangLimit is the time within which a hanging process is replaced, while hooks run.
const hangLimit = 30 * time.Second

// freeze stops a process, which then neither ends nor answers: on a busy machine its threads run on for a while.
func freeze(t *testing.T, pid int) {
	t.Helper()
	musttest.Do(t, syscall.Kill(pid, syscall.SIGSTOP))
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(time.Minute); ; <-ticker.C {
		tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		running := slices.ContainsFunc(tasks, func(task string) bool {
			text, err := os.ReadFile(task)
			_, about, _ := strings.Cut(string(text), ") ")
			return err == nil && !strings.HasPrefix(about, "T")
		})
		if err != nil || !running {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d does not stop", pid)
		}
	}
}

// hooksUntil runs a hook each half second until something is so, which must be within hangLimit.
func (c *chaos) hooksUntil(t *testing.T, what string, so func() bool) {
	t.Helper()
	begun := time.Now()
	c.poll(t, 500*time.Millisecond, what, func() bool {
		c.prompt(t, never)
		return so()
	})
	if c.longest = max(c.longest, time.Since(begun)); c.longest > hangLimit {
		t.Errorf("%s took %v, want at most %v", what, c.longest, hangLimit)
	}
}

func hangDaemons(t *testing.T, c *chaos, runs int) {
	cli := filepath.Join(c.plug(t), "bin", "memory")
	for range runs {
		c.prompts(t, 5)
		hung := c.awaitReady(t)
		freeze(t, hung.PID)
		c.within(t, answerTime, "", cli, "status")
		c.hooksUntil(t, "the daemon that hangs to be replaced", func() bool { return isGoneProcess(hung.PID) })
		c.awaitReady(t, hung.PID)
	}
}

func hangEngines(t *testing.T, c *chaos, runs int) {
	cli := filepath.Join(c.plug(t), "bin", "memory")
	for range runs {
		c.prompts(t, 5)
		hung := c.awaitReady(t).Engine.PID
		freeze(t, hung)
		c.within(t, answerTime, "", cli, "status")
		c.hooksUntil(t, "the engine that hangs to be replaced", func() bool { return isGoneProcess(hung) })
		c.isStored(t)
	}
}

// deadlockEngines has the engine's own threads block each other.
func deadlockEngines(t *testing.T, c *chaos, runs int) {
	cli := filepath.Join(c.plug(t), "bin", "memory")
	for range runs {
		c.prompts(t, 5)
		blocked := c.awaitReady(t).Engine.PID
		c.deadlock(t)
		c.hooksUntil(t, "status and sessions to say that the engine does not answer", func() bool {
			const told = "has not answered since"
			return strings.Contains(c.within(t, answerTime, "", cli, "status"), told) || isGoneProcess(blocked)
		})
		c.hooksUntil(t, "the engine whose threads block each other to be replaced", func() bool { return isGoneProcess(blocked) })
		c.isStored(t)
	}
}

// deadlock writes transactions at the same time that are each larger than the engine's buffers, which is known to make
// SurrealDB 3.0.2 stand still, until nothing is answered.
func (c *chaos) deadlock(t *testing.T) {
	t.Helper()
	endpoint := c.engineEndpoint(t)
	fill := c.connectEngine(t, endpoint)
	for part := range 4 {
		sql := fmt.Sprintf("FOR $i IN %d..%d { UPSERT type::record('filler', $i) SET text = string::repeat('word ', 40), n = $i }", part*20000, (part+1)*20000)
		if _, err := surrealdb.Query[any](t.Context(), fill, sql, nil); err != nil {
			t.Logf("the engine stands still, perhaps: %v", err) // the query below decides
			break
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	for range 3 {
		db := c.connectEngine(t, endpoint)
		go func() {
			for ctx.Err() == nil { // it fails: of transactions that change the same rows one is refused
				_, _ = surrealdb.Query[any](ctx, db, "UPDATE filler SET n += 1 RETURN NONE", nil)
			}
		}()
	}
	for ctx.Err() == nil {
		asked, stop := context.WithTimeout(ctx, 3*time.Second)
		_, err := surrealdb.Query[any](asked, fill, "SELECT VALUE n FROM filler LIMIT 1", nil)
		stop()
		if err != nil {
			break
		}
	}
	response, err := http.Get("http" + strings.TrimPrefix(endpoint.URL, "ws") + "/health")
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("the engine says of its health: %v, %v", response, err)
	}
	_ = response.Body.Close()
}

// connectEngine signs in to the engine of the home, to a database of its own.
func (c *chaos) connectEngine(t *testing.T, endpoint engine.Endpoint) *surrealdb.DB {
	t.Helper()
	db, err := surrealdb.FromEndpointURLString(t.Context(), endpoint.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close(context.Background()) }) // the engine is gone
	if _, err = db.SignIn(t.Context(), surrealdb.Auth{Username: endpoint.User, Password: endpoint.Pass}); err == nil {
		_, err = surrealdb.Query[any](t.Context(), db, "DEFINE NAMESPACE IF NOT EXISTS filler; USE NS filler; DEFINE DATABASE IF NOT EXISTS filler;", nil)
	}
	if err == nil {
		err = db.Use(t.Context(), "filler", "filler")
	}
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// engineEndpoint is where the engine of the home is, by its own record.
func (c *chaos) engineEndpoint(t *testing.T) engine.Endpoint {
	t.Helper()
	return musttest.Get(enginetest.ReadEndpoint(filepath.Join(c.layout.Run(), "engine.json")))(t)
}

var killFaults = []fault{
	{"hook killed at any instant (kill -9)", perThousand(850), killHooks},
	{"daemon killed while it ingests (kill -9)", perThousand(100), killDaemons},
	{"engine killed while it ingests (kill -9)", perThousand(50), killEngines},
	{"several daemons started at once", times(4, 4), startMany},
}

// killHooks kills hooks at instants from before their first instruction to after their last, as long as they take here and now.
func killHooks(t *testing.T, c *chaos, runs int) {
	c.serve(t)
	a := c.start(t)
	for i := range runs {
		if i%10 == 0 { // as busy as the machine is now
			c.lifetime = c.took(t)
		}
		c.prompt(t, time.Duration(c.dice.Int64N(int64(c.lifetime*3/2))))
	}
	a.stop(t)
}

// took is how long a hook takes that nobody kills.
func (c *chaos) took(t *testing.T) time.Duration {
	t.Helper()
	begun := time.Now()
	c.prompt(t, never)
	return time.Since(begun)
}

func killDaemons(t *testing.T, c *chaos, runs int) {
	for range runs {
		c.prompts(t, 10)
		a := c.start(t)
		c.awaitIngest(t)
		pause(time.Duration(c.dice.Int64N(int64(10 * time.Millisecond))))
		enginePID := c.enginePID(t)
		kill(t, a.cmd.Process.Pid)
		_ = a.cmd.Wait() // the error is that it was killed
		c.awaitClosely(t, "the engine to end with its daemon", func() bool { return isGoneProcess(enginePID) })
	}
}

func killEngines(t *testing.T, c *chaos, runs int) {
	a := c.start(t)
	for range runs {
		c.await(t, "the store", func() bool {
			status, err := c.status(t)
			return err == nil && status.Store != nil
		})
		c.prompts(t, 10)
		pid := c.enginePID(t)
		kill(t, pid)
		c.await(t, "another engine", func() bool {
			status, err := c.status(t)
			return err == nil && status.Engine.PID != pid && status.Engine.PID != 0
		})
	}
	if !c.hasNoNotice() {
		t.Error("a store that had lost nothing was rebuilt")
	}
	a.stop(t)
}

// awaitIngest waits until the daemon has begun to empty the spool.
func (c *chaos) awaitIngest(t *testing.T) {
	t.Helper()
	before := c.waiting(t)
	c.awaitClosely(t, "ingest to begin", func() bool { return c.waiting(t) < before || before == 0 })
}

// pause waits for a random instant, which is part of the test.
func pause(d time.Duration) { <-time.After(d) }

func startMany(t *testing.T, c *chaos, runs int) {
	c.prompts(t, 20)
	var daemons []*runningDaemon
	for range runs {
		daemons = append(daemons, c.start(t))
	}
	c.await(t, "one of the daemons", func() bool { _, err := c.status(t); return err == nil })
	status := musttest.Get(c.status(t))(t)
	for _, a := range daemons {
		if a.cmd.Process.Pid == status.PID {
			defer a.stop(t)
			continue
		}
		musttest.Is(t, nil, a.cmd.Wait(), "a daemon too many")
	}
	c.prompts(t, 20)
}

var homeFaults = []fault{{"home deleted under the daemon (events since then)", inFull(5), deleteHome}, {"home replaced under the daemon while it ingests", inFull(5), replaceHome}}

// deleteHome deletes a home with its contents: only later events count.
func deleteHome(t *testing.T, c *chaos, runs int) {
	c.plug(t)
	for range runs {
		c.prompts(t, 10)
		c.isStored(t)
		first := c.awaitReady(t)
		c.poll(t, 20*time.Millisecond, "the home to be gone", func() bool { return os.RemoveAll(c.layout.Home) == nil }) // the engine writes to it
		c.in, c.most = 0, 0
		c.prompts(t, 10)
		c.await(t, "daemon and engine to end", func() bool { return isGoneProcess(first.PID) && isGoneProcess(first.Engine.PID) })
		c.prompts(t, 10)
		c.isStored(t)
	}
}

// replaceHome moves a home away, under a daemon that has events to ingest, and later back: the events of both count.
func replaceHome(t *testing.T, c *chaos, runs int) {
	c.plug(t)
	aside := c.layout.Home + ".aside"
	for range runs {
		var first daemonapi.StatusResult
		c.poll(t, 200*time.Millisecond, "a daemon to be ready", func() (isReady bool) {
			c.prompts(t, 5) // a home that came back may contain the mark of a recent start, that of the ended daemon
			status, err := c.status(t)
			first = status
			return err == nil && status.State == "ready"
		})
		c.prompts(t, 20)
		musttest.Do(t, os.Rename(c.layout.Home, aside))
		c.prompts(t, 10)
		c.await(t, "the daemon whose home is gone to end", func() bool { return isGoneProcess(first.PID) && isGoneProcess(first.Engine.PID) })
		c.prompts(t, 10)
		rows := c.count(t, 20)
		if rows.Memories != 20 {
			t.Errorf("the new home has %d memories, want 20", rows.Memories)
		}
		c.out += rows.Memories
		musttest.Do(t, os.RemoveAll(c.layout.Home))
		musttest.Do(t, os.Rename(aside, c.layout.Home))
	}
}

var clockFaults = []fault{{"daemon that hangs after a heartbeat a year ahead, or a year ago", inFull(4), beatWrongly}, {"events dated in 2099 and in 1970", inFull(5), dateWrongly}}

func beatWrongly(t *testing.T, c *chaos, runs int) {
	c.plug(t)
	for n := range runs {
		c.prompts(t, 5)
		hung := c.awaitReady(t).PID
		freeze(t, hung)
		wrong := time.Now().AddDate(1-2*(n%2), 0, 0)
		musttest.Do(t, os.Chtimes(c.layout.Heartbeat(), wrong, wrong))
		c.hooksUntil(t, "the daemon whose heartbeat is of another time to be replaced", func() bool { return isGoneProcess(hung) })
		c.awaitReady(t, hung)
	}
}

func dateWrongly(t *testing.T, c *chaos, runs int) {
	c.start(t)
	for range runs {
		c.prompts(t, 5)
		for _, year := range []int{2099, 1970} {
			c.most++
			at := time.Date(year, 6, 1, 0, 0, 0, c.most, time.UTC)
			musttest.Do(t, spool.New(c.layout.Spool()).Put(memory.Event{
				ID: memory.NewEventID(at), At: at, Kind: memory.EventPrompt, Session: "s",
				Project: memory.Project{Key: "p", Name: "p", Root: "/p"}, Prompt: fmt.Sprintf("remember: the number of this fact is %d", c.most),
			}))
			c.in++
		}
		c.prompts(t, 5)
		c.isStored(t)
		var found []daemonapi.Listed
		c.call(t, daemonapi.MethodMemories.Call(memory.Filter{Project: "p", Limit: 100}, &found))
		latest := time.Now().Add(5 * time.Minute) // so far ahead may the clock of a hook be
		for _, m := range found {
			if m.LastSeenAt.After(latest) || m.CreatedAt.After(latest) {
				t.Errorf("%s is dated %s and %s", m.Content, m.CreatedAt, m.LastSeenAt)
			}
		}
		if len(found) == 0 {
			t.Error("no memory is there")
		}
	}
}

var descriptorFaults = []fault{{"no descriptor free in the daemon (EMFILE), and 200 idle connections to the dashboard", inFull(5), takeDescriptors}}

// takeDescriptors has the daemon open no further file, socket or connection, while hooks come and connections wait for
// the pages. It must still be the same daemon in the end.
func takeDescriptors(t *testing.T, c *chaos, runs int) {
	a := c.start(t)
	pid := c.awaitReady(t).PID
	at := c.dashboard(t)
	for range runs {
		var idle []net.Conn
		for range 200 {
			conn := musttest.Get(net.Dial("tcp4", at))(t)
			idle = append(idle, conn)
		}
		most := limitDescriptors(t, pid, openDescriptors(t, pid))
		c.prompts(t, 10)
		limitDescriptors(t, pid, most)
		for _, conn := range idle {
			_ = conn.Close()
		}
		c.prompts(t, 10)
		c.isStored(t)
	}
	if status, err := c.status(t); err != nil || status.PID != pid {
		t.Errorf("the daemon is %d, %v; it was %d", status.PID, err, pid)
	}
	a.stop(t)
}

// dashboard has the pages served and returns their host and port.
func (c *chaos) dashboard(t *testing.T) string {
	t.Helper()
	client := musttest.Get(daemonclient.Dial(t.Context(), c.layout.Socket()))(t)
	defer func() { _ = client.Close() }()
	var opened daemonapi.DashboardResult
	musttest.Do(t, client.Call(t.Context(), daemonapi.MethodDashboard.Call(daemonapi.DashboardParams{}, &opened)))
	return musttest.Get(url.Parse(opened.URL))(t).Host
}

func openDescriptors(t *testing.T, pid int) uint64 {
	t.Helper()
	open := musttest.Get(os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid)))(t)
	return uint64(len(open))
}

// limitDescriptors sets how many a process may have, and returns the limit before.
func limitDescriptors(t *testing.T, pid int, most uint64) uint64 {
	t.Helper()
	var before syscall.Rlimit
	if _, _, code := syscall.Syscall6(syscall.SYS_PRLIMIT64, uintptr(pid), syscall.RLIMIT_NOFILE, 0, uintptr(unsafe.Pointer(&before)), 0, 0); code != 0 {
		t.Fatal(code)
	}
	next := syscall.Rlimit{Cur: most, Max: before.Max}
	if _, _, code := syscall.Syscall6(syscall.SYS_PRLIMIT64, uintptr(pid), syscall.RLIMIT_NOFILE, uintptr(unsafe.Pointer(&next)), 0, 0, 0); code != 0 {
		t.Fatal(code)
	}
	return before.Cur
}

var mcpFaults = []fault{{"MCP lines that are no messages, between calls", inFull(100), garble}}

// garbled are lines that are no messages of the protocol.
var garbled = []string{
	"hello", `{"jsonrpc":"2.0","id":7,"meth`, "\xff\xfe{}", "42", "{}", "[]", "null", `{"jsonrpc":"1.0","id":1,"method":"x"}`,
	`{"jsonrpc":"2.0","id":1,"method":{}}`, strings.Repeat("[", 5000), "",
}

// garble has a client store memories, each as an event of its own, and send garbage in between.
func garble(t *testing.T, c *chaos, runs int) {
	server := filepath.Join(c.plug(t), "libexec", "memory-mcp")
	c.start(t)
	c.awaitReady(t)
	cmd := exec.Command(server)
	cmd.Env = append(append([]string{}, c.env...), "CLAUDE_PROJECT_DIR="+t.TempDir(), "CLAUDE_CODE_SESSION_ID=s")
	cmd.Stderr = os.Stderr
	input := musttest.Get(cmd.StdinPipe())(t)
	output := musttest.Get(cmd.StdoutPipe())(t)
	musttest.Do(t, cmd.Start())
	answers := bufio.NewReader(output)
	ask(t, input, answers, 1, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	send(t, input, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for n := range runs {
		send(t, input, garbled[n%len(garbled)])
		c.most++
		said := ask(t, input, answers, 2+n, "tools/call", fmt.Sprintf(`{"name":"store_memory","arguments":{"content":"The number of this fact is %d"}}`, n))
		if strings.Contains(said, `"stored":true`) {
			c.in++
		} else {
			t.Errorf("call %d after garbage: %s", n, said)
		}
	}
	_ = input.Close()
	musttest.Is(t, nil, cmd.Wait(), "memory-mcp")
}

func send(t *testing.T, to io.Writer, line string) {
	t.Helper()
	musttest.Get(io.WriteString(to, line+"\n"))(t)
}

// ask sends a request and returns its answer, past those to garbage.
func ask(t *testing.T, to io.Writer, answers *bufio.Reader, id int, method, params string) string {
	t.Helper()
	send(t, to, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
	for {
		line := musttest.Get(answers.ReadString('\n'))(t)
		var answer struct{ ID *int }
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if answer.ID != nil && *answer.ID == id {
			return line
		}
	}
}

var poisonFaults = []fault{
	{"events about what is never read to its end (/proc/kmsg in the project /, a pipe)", inFull(5), nameEndlessFiles},
	{"events about a file system that hangs (FUSE that nobody serves)", times(1, 3), hangFileSystem},
	{"event at which three daemons end (kill -9)", inFull(3), poisonDaemons},
}

// about puts an event into the spool that asks for something to be kept, and that names a file.
func (c *chaos) about(t *testing.T, root, file string) {
	t.Helper()
	c.most++
	now := time.Now()
	musttest.Do(t, spool.New(c.layout.Spool()).Put(memory.Event{
		ID: memory.NewEventID(now), At: now, Kind: memory.EventPrompt, Session: "s", Dir: root, File: file,
		Project: memory.Project{Key: "p", Name: "p", Root: root}, Prompt: fmt.Sprintf("remember: the number of this fact is %d", c.most),
	}))
}

func nameEndlessFiles(t *testing.T, c *chaos, runs int) {
	root := t.TempDir()
	musttest.Do(t, syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600))
	c.start(t)
	for range runs {
		c.prompts(t, 5)
		c.about(t, "/", "/proc/kmsg")
		c.about(t, "/proc", "kmsg")
		c.about(t, root, "pipe")
		c.in += 3
		c.prompts(t, 5)
		c.isStored(t)
	}
}

// hungFolder is where a file system is mounted that answers nothing.
func hungFolder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "net")
	daemontest.Hang(t, dir)
	return dir
}

func hangFileSystem(t *testing.T, c *chaos, runs int) {
	c.serve(t)
	c.start(t)
	for range runs {
		hung := hungFolder(t)
		c.prompts(t, 5)
		for range 5 {
			c.about(t, hung, "main.go")
			c.about(t, filepath.Dir(hung), "net/main.go")
			c.in += 2
		}
		c.prompts(t, 5)
		c.isStored(t)
	}
}

// poisonDaemons has each daemon end while it has the same event. The wait for a file system that hangs makes time for it.
func poisonDaemons(t *testing.T, c *chaos, runs int) {
	for range runs {
		hung := hungFolder(t)
		c.about(t, hung, "main.go")
		c.most--
		for _, taken := range []string{"*.json", "*.t1.json", "*.t2.json"} {
			a := c.start(t)
			c.awaitClosely(t, "the event to be taken", func() bool {
				files, err := filepath.Glob(filepath.Join(c.layout.Spool(), "claimed", taken))
				return err == nil && len(files) == 1
			})
			kill(t, a.cmd.Process.Pid)
			_ = a.cmd.Wait() // the error is that it was killed
		}
		c.dead++
		c.prompts(t, 10)
		c.start(t)
		c.await(t, "the event to be put aside", func() bool {
			counts, err := spool.New(c.layout.Spool()).Counts()
			return err == nil && counts.Dead == c.dead
		})
		c.count(t, c.in)
	}
}
