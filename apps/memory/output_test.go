package main

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"
)

// shown is what a terminal of that size gets to see of a text.
func shown(t *testing.T, s streams, text func(*program, io.Writer)) string {
	t.Helper()
	var out bytes.Buffer
	s.out, s.err = &out, io.Discard
	if s.getenv == nil {
		s.getenv = func(string) string { return "" }
	}
	s.now = time.Now
	p := &program{streams: s, mark: "\x00nonce"}
	app := cli.NewApp()
	app.Action = func(c *cli.Context) error { return p.print(c, nil, func(w io.Writer) { text(p, w) }) }
	if err := app.Run([]string{"memory"}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestNoStoredTextSteersATerminal(t *testing.T) {
	hostile := "a\x1b[31mb\x07c\u009bd\x00nonce31me\u202ef\r\x08\x7fg\x00\tz"
	for _, colour := range []bool{false, true} {
		got := shown(t, streams{colour: colour}, func(_ *program, w io.Writer) {
			_, _ = io.WriteString(w, strings.ReplaceAll(hostile, "\x00nonce", "\x00other")+"\n")
		})
		if strings.ContainsAny(got, "\x1b\x07\u009b\u202e\r\x08\x7f\x00") || !strings.Contains(got, "g") {
			t.Errorf("colour %v: %q", colour, got)
		}
	}
	if got := printable("a\nb\x1b[0m\xffc"); got != "a b\ufffdc" {
		t.Errorf("printable makes %q", got)
	}
}

func TestNoStoredTextSteersATerminalAsJSON(t *testing.T) {
	stored := "a\x1b[31mb\u009bc\u202ed\u200be\U000E0041f\x7f é 😀\n"
	var out bytes.Buffer
	p := &program{streams: streams{out: &out, err: io.Discard}}
	app := cli.NewApp()
	app.Flags = []cli.Flag{&cli.BoolFlag{Name: "json"}}
	app.Action = func(c *cli.Context) error { return p.print(c, []string{stored}, nil) }
	if err := app.Run([]string{"memory", "--json"}); err != nil {
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
	text := func(p *program, w io.Writer) { _, _ = io.WriteString(w, p.paint(red, "bad")+"\n") }
	if got := shown(t, streams{colour: true}, text); got != "\x1b[31mbad\x1b[0m\n" {
		t.Errorf("with colours: %q", got)
	}
	if got := shown(t, streams{}, text); got != "bad\n" {
		t.Errorf("without: %q", got)
	}
}

func TestALongPageIsForThePagerOfATerminal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "paged")
	text := func(_ *program, w io.Writer) { _, _ = io.WriteString(w, strings.Repeat("line\n", 10)) }
	env := map[string]string{"PAGER": "cat > " + file + "; echo paged"}
	getenv := func(key string) string { return env[key] }
	if got := shown(t, streams{getenv: getenv, width: 80, height: 5}, text); got != "paged\n" {
		t.Errorf("on a small terminal: %q", got)
	}
	for name, s := range map[string]streams{
		"on a large terminal": {getenv: getenv, width: 80, height: 50}, "into a file": {getenv: getenv}, "without a pager": {width: 80, height: 5},
	} {
		if got := shown(t, s, text); got != strings.Repeat("line\n", 10) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestATitleFitsTheTerminal(t *testing.T) {
	long := strings.Repeat("ä", 100)
	text := func(_ *program, w io.Writer) { _, _ = io.WriteString(w, "id\t"+title(long)+"\n") }
	if got := shown(t, streams{width: 60}, text); got != "id  "+strings.Repeat("ä", 55)+"…\n" {
		t.Errorf("on a terminal: %q", got)
	}
	if got := shown(t, streams{}, text); got != "id  "+long+"\n" {
		t.Errorf("into a file: %q", got)
	}
	wide := func(_ *program, w io.Writer) { _, _ = io.WriteString(w, "id\t"+title(strings.Repeat("記", 40))+"\n") }
	if got := shown(t, streams{width: 60}, wide); got != "id  "+strings.Repeat("記", 27)+"…\n" {
		t.Errorf("with wide characters: %q", got)
	}
}

func TestColumnsAreAsWideAsWhatIsSeen(t *testing.T) {
	text := func(p *program, w io.Writer) {
		_, _ = io.WriteString(w, p.header("ID", "TEXT")+p.paint(cyan, "abc")+"\tone\n記\ttwo\nalone\nx\ty\n")
	}
	want := "ID   TEXT\nabc  one\n記   two\nalone\nx  y\n"
	if got := shown(t, streams{}, text); got != want {
		t.Errorf("without colours:\n%s", got)
	}
	coloured := shown(t, streams{colour: true, width: 80}, text)
	if got := regexp.MustCompile("\x1b\\[[0-9]*m").ReplaceAllString(coloured, ""); got != want || got == coloured {
		t.Errorf("with colours:\n%s", coloured)
	}
}

func TestTheLastColumnIsBrokenBetweenWords(t *testing.T) {
	text := func(_ *program, w io.Writer) {
		_, _ = io.WriteString(w, "at start\tnot given: others come first here\n")
	}
	want := "at start  not given: others come\n          first here\n"
	if got := shown(t, streams{width: 33}, text); got != want {
		t.Errorf("on a terminal:\n%s", got)
	}
}

func TestCountsAndArticlesFit(t *testing.T) {
	for got, want := range map[string]string{
		counted(1, "session"): "1 session", counted(0, "session"): "0 sessions", counted(2, "memory"): "2 memories",
		counted(1, "memory"): "1 memory", counted(3, "day"): "3 days", a("edit"): "an edit", a("note"): "a note", a("observation"): "an observation",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestTimesAreTold(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	p := &program{streams: streams{now: func() time.Time { return now }}}
	for ago, want := range map[time.Duration]string{
		0: "now", 59 * time.Minute: "59m ago", 23 * time.Hour: "23h ago", 13 * 24 * time.Hour: "13d ago",
		14 * 24 * time.Hour: "2026-11-06", -24 * time.Hour: "2026-11-21",
	} {
		if got := p.ago(now.Add(-ago)); got != want {
			t.Errorf("%s ago is %q, want %q", ago, got, want)
		}
	}
	if got := p.when(now.Add(-time.Hour)); got != "2026-11-20 11:00:00 (1h ago)" {
		t.Errorf("shown as %q", got)
	}
}

func TestTimesAreInTheUsersZone(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	p := &program{streams: streams{zone: time.FixedZone("X", -2*60*60)}}
	if got := p.time(at); got != "2026-11-20 10:00:00" {
		t.Errorf("shown as %s", got)
	}
	if got := p.time(time.Time{}); got != "-" {
		t.Errorf("no time is shown as %s", got)
	}
	if back, ok := p.instant("2026-11-20 10:00"); !ok || !back.Equal(at) {
		t.Errorf("read as %s, %v", back, ok)
	}
}

func TestFlagsMayStandBehindArguments(t *testing.T) {
	app := (&program{}).app()
	for in, want := range map[string]string{
		"memory forget abc --reason why":         "memory forget --reason why abc",
		"memory forget abc --reason=why":         "memory forget --reason=why abc",
		"memory list --json":                     "memory list --json",
		"memory remember a --kind todo b --json": "memory remember --kind todo --json a b",
		"memory remember a -- --kind todo":       "memory remember a -- --kind todo",
		"memory remember use --force always":     "memory remember use --force always",
		"memory projects merge a b --yes":        "memory projects merge --yes a b",
		"memory --version":                       "memory --version",
		"memory dance --yes":                     "memory dance --yes",
		"memory forget abc --reason":             "memory forget --reason abc",
		"memory":                                 "memory",
	} {
		if diff := cmp.Diff(strings.Fields(want), flagsFirst(app, strings.Fields(in))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", in, diff)
		}
	}
}

func TestPicturesAreInProportion(t *testing.T) {
	if got := sparkline([]float64{0, 0.01, 0.5, 1}, 1); got != "·▁▅█" {
		t.Errorf("drew %s", got)
	}
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	got := histogram([]time.Time{noon, noon.Add(time.Hour), noon.Add(time.Hour)}, noon, noon.Add(time.Hour))
	if got != "▅"+strings.Repeat("·", historyBars-2)+"█" {
		t.Errorf("drew %s", got)
	}
}
