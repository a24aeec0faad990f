package terminal

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/defuse"
)

// Printable returns a stored text as one line that is safe for a terminal and for a model that reads the output: without
// escape sequences, invisible characters, and imitations of turns and tags.
func Printable(text string) string { return defuse.Line(text) }

// Lines returns a page made safe for a terminal, with its lines and columns.
func Lines(text string) string { return defuse.Visible(text) }

// harmlessJSON returns JSON with control and invisible characters escaped, so that nothing is lost.
func harmlessJSON(text []byte) []byte {
	var out []byte
	for _, r := range string(text) {
		switch {
		case r == '\n' || !defuse.SteersTerminal(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// Time returns an instant as text in the user's zone; "-" for the zero time.
func (t *Terminal) Time(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	zone := t.Zone
	if zone == nil {
		zone = time.UTC
	}
	return at.In(zone).Format(time.DateTime)
}

// Ago returns how long ago a time was, or its date from two weeks on.
func (t *Terminal) Ago(at time.Time) string {
	since := t.Now().Sub(at)
	switch {
	case at.IsZero():
		return "-"
	case since < -time.Minute || since >= 14*24*time.Hour:
		return t.Time(at)[:len(time.DateOnly)]
	case since < time.Minute:
		return "now"
	case since < time.Hour:
		return fmt.Sprintf("%dm ago", since/time.Minute)
	case since < 24*time.Hour:
		return fmt.Sprintf("%dh ago", since/time.Hour)
	}
	return fmt.Sprintf("%dd ago", since/(24*time.Hour))
}

// When returns a time as text, with how long ago it was.
func (t *Terminal) When(at time.Time) string {
	if ago := t.Ago(at); ago != "-" && !strings.HasPrefix(t.Time(at), ago) {
		return t.Time(at) + " (" + ago + ")"
	}
	return t.Time(at)
}
