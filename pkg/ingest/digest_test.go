package ingest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/tokens"
)

func edit(file string) memory.Event {
	return memory.Event{Kind: memory.EventFileChanged, Tool: "Edit", File: file, Before: "a", After: "b"}
}

func failing(command, problem string) memory.Event {
	return memory.Event{Kind: memory.EventCommandFailed, Command: command, Error: "Exit code 1\n" + problem}
}

func working(command string) memory.Event {
	return memory.Event{Kind: memory.EventCommandSucceeded, Command: command, Output: "ok"}
}

// digested is a session with its digest.
type digested struct {
	Session string        `json:"session"`
	Digest  ingest.Digest `json:"digest"`
	Line    string        `json:"line"`
}

// TestDigests: the request of a session, its decisions and corrections, its open ends, its end, the files
// by their names; and no digest of a session without content.
func TestDigests(t *testing.T) {
	sessions := []struct {
		name   string
		events []memory.Event
	}{
		{"nothing happened", []memory.Event{prompted("Write a haiku"), lastWords("Done.")}},
		{"no result", []memory.Event{prompted("Read the router and say hello"), {Kind: memory.EventToolUsed, Tool: "Read", Text: "/src/repo/internal/http/router.go"}}},
		{"an answer is a turn", []memory.Event{prompted("Write a haiku"), lastWords("Leaves fall without sound, the river carries them home, autumn holds its breath.")}},
		{"only a request to remember", []memory.Event{prompted("Remember: the port is 6543"), lastWords("I will remember it.")}},
		{"put right", []memory.Event{
			prompted("Clean up the list of commands."), edit("cmd/cli/commands.go"), edit("cmd/cli/session.go"), lastWords("I added the session commands back."),
			prompted("no, we removed the session commands on purpose"), edit("cmd/cli/commands.go"), lastWords("I took the session commands out again and kept the help text."),
		}},
		{"concluded", []memory.Event{prompted("why is the export empty for guests?"), lastWords("The root cause is that the query joins on the account, which guests don't have.")}},
		{"left open", []memory.Event{
			prompted("deploy to staging"), failing("ls /nowhere", "No such file"), failing("make deploy", "Error: STAGING_TOKEN is not set"), edit("deploy/.env.example"), lastWords("The deployment still fails, because nobody gave me the token."),
		}},
		{"cured", []memory.Event{prompted("deploy to staging"), failing("make deploy", "Error: STAGING_TOKEN is not set"), working("STAGING_TOKEN=x make deploy"), lastWords("The deployment went through.")}},
		{"looked into", []memory.Event{
			prompted("where is the router?"),
			{Kind: memory.EventSubagentReported, Source: "explorer", Prompt: "Find the router\nand its tests", Text: "It lives in internal/http."},
			{Kind: memory.EventToolUsed, Tool: "Read", File: "internal/http/router.go"},
			lastWords("The router lives in internal/http."),
		}},
		{"summed up", []memory.Event{
			prompted("move the queue to postgres"), edit("queue.go"), lastWords("The queue is in postgres now."),
			{Kind: memory.EventCompacted, Text: "The queue was moved to postgres; the worker still reads redis."},
			prompted("and the worker"), lastWords("The worker reads postgres, too."),
		}},
		{"cut at words", []memory.Event{
			prompted("please have every single one of the handlers of the administration service check the deadline of its request before it touches the database connection pool"),
			edit("handlers.go"), lastWords("Each handler checks the deadline now, and the pool is touched afterwards only."),
		}},
		{"too much", []memory.Event{
			prompted("please go through all of the handlers of the http server and add a deadline to each of them, the way the recall handler has it, with a test for each"),
			edit("a/first_handler_of_many.go"), edit("a/second_handler_of_many.go"), edit("b/third_handler_of_many.go"), edit("b/fourth_handler_of_many.go"),
			prompted("we never let a handler wait without a deadline, because a client that hangs would hold the connection until it is restarted by hand"),
			failing("go test ./internal/http/... -race -count=1", "--- FAIL: TestEveryHandlerHasADeadlineThatTheClientCannotExtend (12.01s)"),
			lastWords("Eleven of the twelve handlers have a deadline now; the last one streams its answer and needs another way to be bounded."),
		}},
	}
	var got []digested
	for _, s := range sessions {
		record := recordOf(t, inOneSession(s.events...))
		summary := ingest.Summary(record, tokens.New())
		got = append(got, digested{s.name, ingest.DigestOf(record), summary.Text})
	}
	golden(t, "digests.json", got)
}

// A session of whose work nothing is known but the request came to nothing that a start could say.
func TestASessionThatCameToNothingHasNoDigest(t *testing.T) {
	for name, c := range map[string]struct {
		events []memory.Event
		want   bool
	}{
		"done, in the words of the request": {[]memory.Event{prompted("Deploy"), working("make deploy"), lastWords("Deployed.")}, false},
		"in other endings":                  {[]memory.Event{prompted("please run the tests of the shop"), working("make test"), lastWords("Ran the tests of the shop.")}, false},
		"with a file":                       {[]memory.Event{prompted("Deploy"), edit("deploy.yaml"), lastWords("Deployed.")}, true},
		"with a result":                     {[]memory.Event{prompted("Deploy"), working("make deploy"), lastWords("Deployed version 4.2 to staging after the migration of invoices.")}, true},
		"with a problem":                    {[]memory.Event{prompted("Deploy"), failing("make deploy", "Error: STAGING_TOKEN is not set"), lastWords("Deployed.")}, true},
	} {
		if d := ingest.DigestOf(recordOf(t, inOneSession(c.events...))); d.IsZero() == c.want {
			t.Errorf("%s: its digest is %+v", name, d)
		}
	}
}

// However long a session was, its digest has 60 tokens at most, by the counter in use.
func TestADigestIsShort(t *testing.T) {
	c := tokens.New()
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"handler", "a/b_c.go", `{"x":[1]}`, "größte", "漢字仮名", "🎉🎉", "we", "never", "0x7fffffffffff", "--flag=value", "because"}), 1, 60)
	text := rapid.Custom(func(t *rapid.T) string { return strings.Join(words.Draw(t, "words"), " ") })
	rapid.Check(t, func(rt *rapid.T) {
		record := recordOf(t, inOneSession(
			prompted(text.Draw(rt, "prompt")), edit(strings.ReplaceAll(text.Draw(rt, "file"), " ", "_")), prompted("we never do "+text.Draw(rt, "rule")),
			failing("make it", text.Draw(rt, "error")), memory.Event{Kind: memory.EventCompacted, Text: text.Draw(rt, "summary")}, lastWords(text.Draw(rt, "words")),
		))
		summary := ingest.Summary(record, c)
		if n := c.Count(render.SummaryLine(summary.Text)); summary.Text == "" || n > 60 {
			rt.Fatalf("%d tokens: %q", n, summary.Text)
		}
	})
}

// inOneSession makes a session of events, a minute apart.
func inOneSession(events ...memory.Event) []memory.Event {
	for i := range events {
		events[i].At = noon.Add(time.Duration(i) * time.Minute)
		events[i].ID = fmt.Sprintf("e%02d", i)
		events[i].Session = "s1"
		events[i].Project = memory.Project{Key: "p", Name: "p", Root: "/p"}
	}
	return events
}

func prompted(text string) memory.Event { return memory.Event{Kind: memory.EventPrompt, Prompt: text} }

func lastWords(text string) memory.Event {
	return memory.Event{Kind: memory.EventTurnEnded, Text: text}
}
