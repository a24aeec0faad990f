package terminal

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// shown returns how a terminal of that size displays a text.
func shown(t *testing.T, of Terminal, text func(*Terminal, io.Writer)) string {
	t.Helper()
	var out bytes.Buffer
	of.Out, of.Err, of.Now = &out, io.Discard, time.Now
	if of.Getenv == nil {
		of.Getenv = func(string) string { return "" }
	}
	if err := of.Print(nil, func(w io.Writer) { text(&of, w) }); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestNoStoredTextSteersATerminal(t *testing.T) {
	hostile := "a\x1b[31mb\x07c\u009bd\x00nonce31me\u202ef\r\x08\x7fg\x00\tz"
	for _, colour := range []bool{false, true} {
		got := shown(t, Terminal{Colour: colour}, func(_ *Terminal, w io.Writer) {
			_, _ = io.WriteString(w, hostile+"\n")
		})
		if strings.ContainsAny(got, "\x1b\x07\u009b\u202e\r\x08\x7f\x00") || !strings.Contains(got, "g") {
			t.Errorf("colour %v: %q", colour, got)
		}
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
	if err := p.Print([]string{stored}, nil); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\u009b\u202e\u200b\U000E0041\x7f") {
		t.Errorf("JSON on the terminal: %q", out.String())
	}
	var back []string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || !cmp.Equal(back, []string{stored}) {
		t.Errorf("read back: %q, %v", back, err)
	}
}

func TestColoursAreForTerminalsThatWantThem(t *testing.T) {
	text := func(p *Terminal, w io.Writer) { _, _ = io.WriteString(w, p.Paint(Red, "bad")+"\n") }
	if got := shown(t, Terminal{Colour: true}, text); got != "\x1b[31mbad\x1b[0m\n" {
		t.Errorf("with colours: %q", got)
	}
	if got := shown(t, Terminal{}, text); got != "bad\n" {
		t.Errorf("without: %q", got)
	}
}

func TestATitleFitsTheTerminal(t *testing.T) {
	long := strings.Repeat("ä", 100)
	text := func(_ *Terminal, w io.Writer) { _, _ = io.WriteString(w, "id\t"+Title(long)+"\n") }
	if got := shown(t, Terminal{Width: 60}, text); got != "id  "+strings.Repeat("ä", 55)+"…\n" {
		t.Errorf("on a terminal: %q", got)
	}
	if got := shown(t, Terminal{}, text); got != "id  "+long+"\n" {
		t.Errorf("into a file: %q", got)
	}
	wide := func(_ *Terminal, w io.Writer) { _, _ = io.WriteString(w, "id\t"+Title(strings.Repeat("記", 40))+"\n") }
	if got := shown(t, Terminal{Width: 60}, wide); got != "id  "+strings.Repeat("記", 27)+"…\n" {
		t.Errorf("with wide characters: %q", got)
	}
}

func TestColumnsAreAsWideAsWhatIsSeen(t *testing.T) {
	text := func(p *Terminal, w io.Writer) {
		_, _ = io.WriteString(w, p.Header("ID", "TEXT")+p.Paint(Cyan, "abc")+"\tone\n記\ttwo\nalone\nx\ty\n"+strings.Repeat("n", 81)+"\tz\n")
	}
	want := "ID   TEXT\nabc  one\n記   two\nalone\nx  y\n" + strings.Repeat("n", 81) + "  z\n" // a longer cell moves its own line only
	if got := shown(t, Terminal{}, text); got != want {
		t.Errorf("without colours:\n%s", got)
	}
	coloured := shown(t, Terminal{Colour: true, Width: 80}, text)
	if got := regexp.MustCompile("\x1b\\[[0-9]*m").ReplaceAllString(coloured, ""); got != want || got == coloured {
		t.Errorf("with colours:\n%s", coloured)
	}
}

func TestTheLastColumnIsBrokenBetweenWords(t *testing.T) {
	text := func(_ *Terminal, w io.Writer) {
		_, _ = io.WriteString(w, "at start\tnot given: others come first here\n")
	}
	want := "at start  not given: others come\n          first here\n"
	if got := shown(t, Terminal{Width: 33}, text); got != want {
		t.Errorf("on a terminal:\n%s", got)
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
