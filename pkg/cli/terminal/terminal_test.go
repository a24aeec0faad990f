package terminal

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// shown returns how a terminal of that size displays a text.
func shown(t *testing.T, of Terminal, text string) string {
	t.Helper()
	var out bytes.Buffer
	of.Out, of.Err, of.Now = &out, io.Discard, time.Now
	musttest.Do(t, of.Print(nil, func(w io.Writer) { _, _ = io.WriteString(w, text) }))
	return out.String()
}

func TestNoStoredTextSteersATerminal(t *testing.T) {
	hostile := "a\x1b[31mb\x07c\u009bd\x00nonce31me\u202ef\r\x08\x7fg\x00\tz"
	got := shown(t, Terminal{}, hostile+"\n")
	if strings.ContainsAny(got, "\x1b\x07\u009b\u202e\r\x08\x7f\x00") || !strings.Contains(got, "g") {
		t.Errorf("printed is %q", got)
	}
	musttest.Same(t, "a b\ufffdc", Printable("a\nb\x1b[0m\xffc"), "printable makes")
}

func TestNoStoredTextSteersATerminalAsJSON(t *testing.T) {
	stored := "a\x1b[31mb\u009bc\u202ed\u200be\U000E0041f\x7f é 😀\n"
	var out bytes.Buffer
	p := &Terminal{Out: &out, Err: io.Discard}
	p.JSON = true
	musttest.Do(t, p.Print([]string{stored}, nil))
	if strings.ContainsAny(out.String(), "\x1b\u009b\u202e\u200b\U000E0041\x7f") {
		t.Errorf("JSON on the terminal: %q", out.String())
	}
	var lines bytes.Buffer
	musttest.Do(t, json.NewEncoder(JSONLines(&lines)).Encode([]string{stored}))
	if strings.ContainsAny(lines.String(), "\x1b\u009b\u202e\u200b\U000E0041\x7f") || strings.Count(lines.String(), "\n") != 1 {
		t.Errorf("a line of JSON: %q", lines.String())
	}
	var back, again []string
	if err := json.Unmarshal(lines.Bytes(), &again); err != nil || !cmp.Equal(again, []string{stored}) {
		t.Errorf("read back of a line: %q, %v", again, err)
	}
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || !cmp.Equal(back, []string{stored}) {
		t.Errorf("read back: %q, %v", back, err)
	}
}

func TestATitleFitsTheTerminal(t *testing.T) {
	long := strings.Repeat("ä", 100)
	text := "id\t" + Title(long) + "\n"
	musttest.Same(t, "id  "+strings.Repeat("ä", 55)+"…\n", shown(t, Terminal{Width: 60}, text), "on a terminal")
	musttest.Same(t, "id  "+long+"\n", shown(t, Terminal{}, text), "into a file")
	wide := "id\t" + Title(strings.Repeat("記", 40)) + "\n"
	musttest.Same(t, "id  "+strings.Repeat("記", 27)+"…\n", shown(t, Terminal{Width: 60}, wide), "with wide characters")
}

func TestConsecutiveLinesAreAligned(t *testing.T) {
	text, want := "ID\tTEXT\nabc\tone\nalone\nx\ty\n", "ID   TEXT\nabc  one\nalone\nx  y\n"
	for _, width := range []int{0, 5} { // only a title is cut
		musttest.Same(t, want, shown(t, Terminal{Width: width}, text), "on %d columns", width)
	}
}

func TestTimesAreTold(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	p := &Terminal{Now: func() time.Time { return now }}
	for ago, want := range map[time.Duration]string{
		0: "now", 59 * time.Minute: "59m ago", 23 * time.Hour: "23h ago", 13 * 24 * time.Hour: "13d ago",
		14 * 24 * time.Hour: "2026-11-06", -24 * time.Hour: "2026-11-21",
	} {
		musttest.Same(t, want, p.Ago(now.Add(-ago)), "%s ago", ago)
	}
	musttest.Same(t, "2026-11-20 11:00:00 (1h ago)", p.When(now.Add(-time.Hour)), "shown as")
}

func TestTimesAreInTheUsersZone(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	p := &Terminal{Zone: time.FixedZone("X", -2*60*60)}
	musttest.Same(t, "2026-11-20 10:00:00", p.Time(at), "shown as")
	musttest.Same(t, "-", p.Time(time.Time{}), "no time is shown as")
}

// Enter is no decision where a question may be left open, nor is another word.
func TestAQuestionThatMayBeLeftOpen(t *testing.T) {
	for typed, want := range map[string][2]bool{"y\n": {true, true}, "YES\n": {true, true}, "n\n": {false, true}, "No\n": {false, true}, "\n": {}, "later\n": {}, "": {}, "not now\n": {}} {
		asked := Terminal{Interactive: true, In: strings.NewReader(typed), Err: io.Discard}
		if yes, isDecided := asked.Decides("Let a model do that?"); yes != want[0] || isDecided != want[1] {
			t.Errorf("%q: yes %v, decided %v", typed, yes, isDecided)
		}
	}
}
