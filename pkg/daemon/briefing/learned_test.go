package briefing_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// transcript is a session in the format of the client's transcripts.
type transcript struct {
	session string
	at      time.Time
	lines   []string
}

func (x *transcript) line(kind string, content any) {
	x.at = x.at.Add(time.Second)
	text, err := json.Marshal(map[string]any{
		"type": kind, "uuid": fmt.Sprint(x.session, "-", len(x.lines)), "sessionId": x.session, "cwd": "/p", "timestamp": x.at.Format(time.RFC3339Nano),
		"message": map[string]any{"role": kind, "content": content},
	})
	if err != nil {
		panic(err)
	}
	x.lines = append(x.lines, string(text))
}

// tool is a call with its result.
func (x *transcript) tool(name string, input map[string]any, output string, failed bool) {
	id := fmt.Sprint("t", len(x.lines))
	x.line("assistant", []any{map[string]any{"type": "tool_use", "id": id, "name": name, "input": input}})
	x.line("user", []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": output, "is_error": failed}})
}

func (x *transcript) says(text string) {
	x.line("assistant", []any{map[string]any{"type": "text", "text": text}})
}

func (x *transcript) fails(c, e string) {
	x.tool("Bash", map[string]any{"command": c}, "Exit code 1\n"+e, true)
}

func (x *transcript) refused(c string) {
	x.tool("Bash", map[string]any{"command": c}, "Permission to use Bash with command "+c+" has been denied.", true)
}
func (x *transcript) works(c string) { x.tool("Bash", map[string]any{"command": c}, "ok", false) }
func (x *transcript) started(c string) {
	x.tool("Bash", map[string]any{"command": c, "run_in_background": true}, "started", false)
}

func (x *transcript) edited(file string) {
	x.tool("Write", map[string]any{"file_path": "/p/" + file, "content": "x"}, "ok", false)
}

// livedDays are sessions of a project that went on one day after the other, in a daemon that
// has read their transcripts and done its maintenance.
func livedDays(t *testing.T, sessions ...func(*transcript)) *daemontest.Fixture {
	t.Helper()
	a, _, _ := daemontest.New(t)
	var events []memory.Event
	for i, tells := range sessions {
		x := &transcript{session: fmt.Sprint("s", i+1), at: daemontest.Noon.AddDate(0, 0, i-len(sessions))}
		tells(x)
		file := filepath.Join(t.TempDir(), x.session+".jsonl")
		musttest.Do(t, os.WriteFile(file, []byte(strings.Join(x.lines, "\n")+"\n"), 0o600))
		one := importer.Transcript{File: file, Session: x.session, Dir: "/p"}
		some, _, err := one.Events(t.Context(), func(string) (project.Project, bool) { return project.Project{Key: "p", Name: "p", Root: "/p"}, false })
		events = append(events, some...)
		if err != nil {
			t.Fatal(err)
		}
	}
	if result, err := a.Intake.Import(t.Context(), daemonapi.ImportParams{Events: events}); err != nil || len(result.Refused) > 0 {
		t.Fatalf("%+v, %v", result, err)
	}
	for _, job := range []string{schedule.Dedup, schedule.Promote}[:min(2, 2*(len(sessions)-1))] { // one session has nothing to merge
		musttest.Get(a.Upkeep.Maintain(t.Context(), consolidate.Request{Job: job, Trigger: "manual"}))(t)
	}
	return a
}

// Before a command runs again, a later session is shown how it was made to work, whatever the
// command is for. TestAFixDescribesTheDifference has the usual ways.
func TestTheFixOfACommandIsInjectedBeforeItRunsAgain(t *testing.T) {
	for name, c := range map[string]struct {
		tells   func(*transcript)
		command string
		want    string // empty: no fix
	}{
		"an export": {func(x *transcript) {
			x.fails("bin/deploy", "no credentials")
			x.works("export AWS_PROFILE=x && bin/deploy")
		}, "bin/deploy", "it worked with `AWS_PROFILE=x`"},
		"an argument": {func(x *transcript) { x.fails("make build", "TOKEN is not set"); x.works("make build TARGET=1") }, "make build", "it worked with `TARGET=1`"},
		"a server": {func(x *transcript) {
			x.fails("bin/probe", "refused")
			x.started("bin/serve -p 1")
			x.works("bin/probe")
		}, "bin/probe", "it worked after: `bin/serve -p 1`"},
		"a step in the same chain":  {func(x *transcript) { x.fails("bin/api", "no relation"); x.works("./seed.sh && bin/api") }, "bin/api", "it worked after: `./seed.sh`"},
		"a step before a semicolon": {func(x *transcript) { x.fails("rake db:seed", "refused"); x.works("service db start; rake db:seed") }, "rake db:seed", "it worked after: `service db start`"},
		"before a chain":            {func(x *transcript) { x.fails("bin/api", "no relation"); x.works("./seed.sh && bin/api") }, "cd /p && bin/lint && bin/api -v", "it worked after: `./seed.sh`"},
		"another interpreter":       {func(x *transcript) { x.fails("python gen.py", "not found"); x.works("python3 gen.py") }, "python gen.py", "it worked with `python3`"},
		"a login": {func(x *transcript) {
			x.fails("gh pr create --fill", "not logged in")
			x.works("gh auth login")
			x.works("gh pr create --fill")
		}, "gh pr create --fill", "it worked after: `gh auth login`"},
		"a setting, by the shell": {func(x *transcript) {
			x.fails("bin/api", "PORT is not set")
			x.works("echo PORT=1 >> .env")
			x.works("bin/api")
		}, "bin/api", "it worked after: `echo PORT=1 >> .env`"},
		"the source, by the shell": {func(x *transcript) {
			x.fails("bin/check", "undefined: x")
			x.works("sed -i s/x/y/ a.go")
			x.works("bin/check")
		}, "bin/check", ""},
		"another runner": {func(x *transcript) { x.fails("bin2 run", "no module"); x.works("uv run bin2 run") }, "bin2 run", "it worked with `uv run`"},
		"a secret": {func(x *transcript) {
			x.fails("bin/deploy", "401")
			x.works("API_TOKEN=ghp_16C7e42F292c6912E7710c838347Ae178B4a bin/deploy")
		}, "bin/deploy", "it worked with `API_TOKEN=[redacted:"},
		"a permission": {func(x *transcript) { x.refused("bin/deploy"); x.works("bin/deploy") }, "bin/deploy", ""},
		"something of a tool": {func(x *transcript) {
			x.fails("bin/probe", "down")
			x.tool("mcp__db__start", nil, "ok", false)
			x.works("bin/probe")
		}, "bin/probe", ""},
		"a subagent's work": {func(x *transcript) {
			x.fails("bin/probe", "down")
			x.tool("Task", map[string]any{"prompt": "mend it"}, "I mended it.", false)
			x.works("bin/probe")
		}, "bin/probe", ""},
		"what another command": {func(x *transcript) {
			x.fails("bin/probe", "down")
			x.fails("./initdb.sh", "half done")
			x.works("bin/probe")
		}, "bin/probe", ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := livedDays(t, func(x *transcript) { x.line("user", "please go on"); c.tells(x); x.says("It is done.") })
			got := daemontest.Recalled(t, a, daemonapi.RecallParams{Session: "next", Purpose: daemonapi.ForCommand, Command: c.command})
			if c.want == "" && strings.Contains(got, "it worked") || !strings.Contains(got, c.want) || strings.Contains(got, "ghp_16C7") {
				t.Errorf("got %q, want %q", got, c.want)
			}
			sessions, err := a.Store.Sessions(t.Context(), memory.SessionIDs{"s1"})
			if err != nil || len(sessions) != 1 {
				t.Fatal(err)
			}
			if summary := sessions[0].Summary.Text; strings.Contains(summary, c.command+"`") && strings.Contains(summary, "open:") {
				t.Errorf("the session's summary is %q, and not an open problem", summary)
			}
		})
	}
}

// The summary of a session names the files that were only read; no memory is made of them.
func TestAReadFileIsNoMemory(t *testing.T) {
	a, _, _ := daemontest.New(t)
	read := daemontest.Event(2, memory.EventToolUsed)
	read.Tool, read.File = "Read", "shop/price.go"
	says := daemontest.Event(3, memory.EventTurnEnded)
	says.Text = "The price is rounded in the shop, once for each line."
	daemontest.Ingested(t, a, daemontest.Prompt(1, "where is the price rounded?"), read, says, daemontest.Event(4, memory.EventSessionEnded))
	record := daemontest.RecordNamed(t, a, "s1")
	for _, seen := range record.Seen {
		t.Errorf("kept %q", seen.Memory.Content)
	}
	if got := record.Session.Summary.Digest.FilesRead; len(got) != 1 || got[0] != "price.go" {
		t.Errorf("the session read %q", got)
	}
}

// The fix of this very command and error comes first, each fix is listed once, and a recurring
// failure has the fix of its own error.
func TestTheExactCureComesFirstAndOnce(t *testing.T) {
	const redis, disk = "connect ECONNREFUSED 127.0.0.1:6380", "no space left on device: /tmp/cache"
	const byStart, byRemoval, byCompose = "it worked after: `systemctl start redis`", "it worked after: `rm -rf /tmp/cache`", "it worked after: `docker compose up -d redis`"
	session := func(command, why, cure string) func(*transcript) {
		return func(x *transcript) {
			x.line("user", "run the tests please")
			x.fails(command, why)
			x.works(cure)
			x.works(command)
			x.says("They pass.")
		}
	}
	a := livedDays(t, session("make test", redis, "systemctl start redis"), session("make test", redis, "systemctl start redis"),
		session("make test", disk, "rm -rf /tmp/cache"), session("make test-e2e", redis, "docker compose up -d redis"))
	for name, c := range map[string]struct {
		ask   daemonapi.RecallParams
		first string
	}{
		"it fails by redis":         {daemonapi.RecallParams{Purpose: daemonapi.ForFailure, Command: "make test", Text: "Exit code 2\n" + redis}, byStart},
		"it fails by the disk":      {daemonapi.RecallParams{Purpose: daemonapi.ForFailure, Command: "make test", Text: "Exit code 2\n" + disk}, byRemoval},
		"another fails by redis":    {daemonapi.RecallParams{Purpose: daemonapi.ForFailure, Command: "make test-e2e", Text: "Exit code 2\n" + redis}, byCompose},
		"before it runs":            {daemonapi.RecallParams{Purpose: daemonapi.ForCommand, Command: "make test"}, byRemoval},
		"before it runs in a chain": {daemonapi.RecallParams{Purpose: daemonapi.ForCommand, Command: "make build && make test"}, byRemoval},
	} {
		c.ask.Session = "next " + name
		text := daemontest.Recalled(t, a, c.ask)
		_, lines, _ := strings.Cut(text, "\n- ")
		if first, _, _ := strings.Cut(lines, "\n"); !strings.Contains(first, c.first) {
			t.Errorf("%s: the first line has not %q:\n%s", name, c.first, text)
		}
		for _, cure := range []string{byStart, byRemoval, byCompose} {
			if strings.Count(text, cure) > 1 {
				t.Errorf("%s: a fix is listed twice:\n%s", name, text)
			}
		}
	}
	for _, line := range strings.Split(daemontest.StartOf(t, a, "last"), "\n") {
		if strings.Contains(line, "mostly: "+redis) && strings.Contains(line, byRemoval) {
			t.Errorf("a failure that recurs has the cure of another: %s", line)
		}
	}
}

// The first start after an import has what the user asked to keep and said lately, and no records of the past.
func TestTheFirstStartAfterAnImportHasNoRecords(t *testing.T) {
	works := func(x *transcript) {
		x.line("user", "make the build work again")
		x.edited("build.go")
		x.says("The build works: the cache was stale.")
	}
	musttest.Same(t, "", daemontest.StartOf(t, livedDays(t, works, works), "next"), "a past without words that last gives (-want +got)")
	said := func(x *transcript) {
		x.line("user", "From now on every handler logs its request id.")
		works(x)
	}
	text := daemontest.StartOf(t, livedDays(t, said, works), "next")
	if !strings.Contains(text, "every handler logs its request id") || strings.Contains(text, "the cache was stale") || strings.Contains(text, "build.go") {
		t.Errorf("a past with words that last gives\n%s", text)
	}
}

// In the most used languages, a request to remember is stored without the words of the request,
// and is found by words of its content.
func TestARequestToRememberIsKeptAndFoundInManyLanguages(t *testing.T) {
	languages := map[string]struct{ typed, kept, asked string }{ // a project has each
		"Chinese":               {"请记住：支付网关监听7001端口", "支付网关监听7001端口", "支付网关"},
		"Chinese, no colon":     {"记住我们的主分支叫做trunk", "我们的主分支叫做trunk", "主分支"},
		"Hindi":                 {"याद रखें कि भुगतान सेवा पोर्ट 7001 पर चलती है", "भुगतान सेवा पोर्ट 7001 पर चलती है", "भुगतान सेवा"},
		"Spanish":               {"Recuerda que la pasarela escucha en el puerto 7001", "la pasarela escucha en el puerto 7001", "pasarela puerto"},
		"French":                {"Souviens-toi que la passerelle écoute sur le port 7001", "la passerelle écoute sur le port 7001", "passerelle port"},
		"Arabic":                {"تذكر أن بوابة الدفع تستمع على المنفذ 7001", "بوابة الدفع تستمع على المنفذ 7001", "بوابة الدفع"},
		"Bengali":               {"মনে রাখবেন যে পেমেন্ট গেটওয়ে পোর্ট ৭০০১ ব্যবহার করে", "পেমেন্ট গেটওয়ে পোর্ট ৭০০১ ব্যবহার করে", "পেমেন্ট গেটওয়ে"},
		"Portuguese":            {"Lembre-se de que o gateway escuta na porta 7001", "o gateway escuta na porta 7001", "gateway porta"},
		"Russian":               {"Запомни, что шлюз слушает порт 7001", "шлюз слушает порт 7001", "шлюз порт"},
		"Urdu":                  {"یاد رکھیں کہ ادائیگی کا گیٹ وے پورٹ 7001 پر چلتا ہے", "ادائیگی کا گیٹ وے پورٹ 7001 پر چلتا ہے", "ادائیگی گیٹ"},
		"German":                {"Merk dir: das Gateway lauscht auf Port 7001", "das Gateway lauscht auf Port 7001", "Gateway Port"},
		"Indonesian":            {"Ingat bahwa gateway berjalan di porta 7001", "gateway berjalan di porta 7001", "gateway porta"},
		"Japanese":              {"決済ゲートウェイのポートは7001だと覚えておいてください。", "決済ゲートウェイのポートは7001だ", "決済ゲートウェイ"},
		"Japanese at the start": {"覚えておいて：決済ゲートウェイのポートは7001", "決済ゲートウェイのポートは7001", "ゲートウェイのポート"},
		"Korean":                {"기억해줘: 결제 게이트웨이는 7001 포트를 사용한다", "결제 게이트웨이는 7001 포트를 사용한다", "게이트웨이 포트"},
		"a Chinese rule":        {"帮我看看登录。我们从不使用npm，总是用pnpm。", "我们从不使用npm，总是用pnpm。", "使用npm"},
		"a Japanese rule":       {"コミットの前に必ずテストを実行する", "コミットの前に必ずテストを実行する", "テストを実行"},
	}
	a, _, s := daemontest.New(t)
	for name, c := range languages {
		for _, e := range daemontest.Ended("in "+name, c.typed, "rename the flag") {
			e.Project = memory.Project{Key: name, Name: name, Root: "/" + name}
			daemontest.Put(t, s, e)
		}
	}
	daemontest.Ingested(t, a)
	for name, c := range languages {
		found := musttest.Get(a.Answers.Find(t.Context(), daemonapi.FindParams{Project: name, Text: c.asked, Limit: 3}))(t)
		if len(found) == 0 || found[0].Memory.Content != c.kept {
			t.Errorf("%s: found %+v, want %q", name, found, c.kept)
		}
	}
	daemontest.Ingested(t, a, daemontest.Ended("s1", "必须现在就修好登录吗？", "这次必须跳过测试", "覚えていますか")...)
	if text := daemontest.StartOf(t, a, "next"); strings.Contains(text, "rules") {
		t.Errorf("a question and a wish for once are injected as rules: %q", text)
	}
}
