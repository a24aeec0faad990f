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
	if got := Printable("a\nb\x1b[0m\xffc"); got != "a b\ufffdc" {
		t.Errorf("printable makes %q", got)
	}
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
	var back []string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || !cmp.Equal(back, []string{stored}) {
		t.Errorf("read back: %q, %v", back, err)
	}
}

func TestATitleFitsTheTerminal(t *testing.T) {
	long := strings.Repeat("ä", 100)
	text := "id\t" + Title(long) + "\n"
	if got := shown(t, Terminal{Width: 60}, text); got != "id  "+strings.Repeat("ä", 55)+"…\n" {
		t.Errorf("on a terminal: %q", got)
	}
	if got := shown(t, Terminal{}, text); got != "id  "+long+"\n" {
		t.Errorf("into a file: %q", got)
	}
	wide := "id\t" + Title(strings.Repeat("記", 40)) + "\n"
	if got := shown(t, Terminal{Width: 60}, wide); got != "id  "+strings.Repeat("記", 27)+"…\n" {
		t.Errorf("with wide characters: %q", got)
	}
}

func TestColumnsAreAsWideAsWhatIsSeen(t *testing.T) {
	text := "ID\tTEXT\nabc\tone\n記\ttwo\nalone\nx\ty\n" + strings.Repeat("n", 81) + "\tz\n"
	want := "ID   TEXT\nabc  one\n記   two\nalone\nx  y\n" + strings.Repeat("n", 81) + "  z\n" // a longer cell moves its own line only
	for _, width := range []int{0, 20} {                                                      // only a title is cut
		if got := shown(t, Terminal{Width: width}, text); got != want {
			t.Errorf("on %d columns:\n%s", width, got)
		}
	}
}

func TestCountsFit(t *testing.T) {
	for got, want := range map[string]string{
		Counted(1, "session"): "1 session", Counted(0, "session"): "0 sessions", Counted(2, "memory"): "2 memories",
		Counted(1, "memory"): "1 memory", Counted(3, "day"): "3 days",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestTimesAreTold(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	p := &Terminal{Now: func() time.Time { return now }}
	for ago, want := range map[time.Duration]string{
		0: "now", 59 * time.Minute: "59m ago", 23 * time.Hour: "23h ago", 13 * 24 * time.Hour: "13d ago",
		14 * 24 * time.Hour: "2026-11-06", -24 * time.Hour: "2026-11-21",
	} {
		if got := p.Ago(now.Add(-ago)); got != want {
			t.Errorf("%s ago is %q, want %q", ago, got, want)
		}
	}
	if got := p.When(now.Add(-time.Hour)); got != "2026-11-20 11:00:00 (1h ago)" {
		t.Errorf("shown as %q", got)
	}
}

func TestTimesAreInTheUsersZone(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	p := &Terminal{Zone: time.FixedZone("X", -2*60*60)}
	if got := p.Time(at); got != "2026-11-20 10:00:00" {
		t.Errorf("shown as %s", got)
	}
	if got := p.Time(time.Time{}); got != "-" {
		t.Errorf("no time is shown as %s", got)
	}
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
