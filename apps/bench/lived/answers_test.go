package lived

import (
	"context"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
)

// An answer belongs to the session that is distilled, by its own text: words of another session among the standing facts
// do not make it that session's.
func TestAnAnswerBelongsToItsSession(t *testing.T) {
	fact := func(text, quote string) recordedFact {
		return recordedFact{Text: text, Kind: "note", Quotes: []string{quote}}
	}
	a := &answers{order: []string{"s1", "s2", "s3"}, sessions: map[string]recordedSession{
		"s1": {Session: "s1", Facts: []recordedFact{fact("The port is 5433.", "the port is 5433 here"), fact("It is a db.", "this is a database")}},
		"s2": {Session: "s2", Facts: []recordedFact{fact("The port is 6544.", "the port moved to 6544")}},
		"s3": {Session: "s3"},
	}}
	const standing = "<standing>\nab12 the port is 5433 here, this is a database\n</standing>\n<session>\nuser: "
	for name, test := range map[string]struct{ session, said, want string }{
		"its own words":         {"s2", "the port moved to 6544", "6544"},
		"more words of another": {"s2", "the port moved to 6544; the port is 5433 here, and this is a database", "6544"},
		"a session of no facts": {"s3", "the port is 5433 here", ""},
		"an unknown session":    {"s9", "the port moved to 6544", "6544"},
		"words of nobody":       {"s2", "hello", ""},
	} {
		a.session = test.session
		reply, err := a.Ask(context.Background(), distill.Question{Prompt: standing + test.said + "\n</session>", Schema: []byte(`{"summary":1,"facts":1}`)})
		if err != nil {
			t.Fatal(err)
		}
		text := string(reply.Text)
		if test.want == "" && !strings.Contains(text, `"facts":[]`) || test.want != "" && !strings.Contains(text, test.want) || strings.Contains(text, "5433") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
