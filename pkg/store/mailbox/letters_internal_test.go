package mailbox

import (
	"fmt"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// Rows that do not fit in one letter go into several, each with the header and the projects before it.
func TestALetterThatIsFullIsSent(t *testing.T) {
	var sent []string
	fetched := 0
	letter := letterWriter{known: rowSet{}, most: 300}
	letter.send = func(text []byte) error {
		sent = append(sent, string(text))
		return nil
	}
	letter.next = func() error {
		fetched++
		return nil
	}
	lines := []string{`{"format":"header"}`, `{"kind":"project","project":{"key":"p"}}`}
	for i := range 20 {
		lines = append(lines, fmt.Sprintf(`{"kind":"memory","memory":{"content":"number %d"}}`, i))
	}
	for _, line := range lines {
		musttest.Get(letter.Write([]byte(line + "\n")))(t)
	}
	musttest.Do(t, letter.end())
	if len(sent) < 3 || fetched != len(sent)-1 || letter.sent != 20 {
		t.Fatalf("%d letters, %d rows, %d times made ready", len(sent), letter.sent, fetched)
	}
	head := lines[0] + "\n" + lines[1] + "\n"
	var rows string
	for _, text := range sent {
		if !strings.HasPrefix(text, head) || len(text) > 300 {
			t.Errorf("a letter is %q", text)
		}
		rows += strings.TrimPrefix(text, head)
	}
	musttest.Same(t, strings.Join(lines[2:], "\n")+"\n", rows, "the rows")
}
