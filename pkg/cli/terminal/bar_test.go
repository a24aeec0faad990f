package terminal

import (
	"bytes"
	"testing"
	"time"
)

// A bar is drawn at most ten times a second, and leaves nothing behind.
func TestABarIsALineThatGoes(t *testing.T) {
	var out bytes.Buffer
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	of := Terminal{Err: &out, Now: func() time.Time { return now }, Progress: true}
	bar := of.Bar(40, "transcripts")
	bar.Add(10)
	bar.Add(10) // a moment later
	now = now.Add(time.Second)
	bar.Add(20)
	bar.Close()
	bar.Close()
	if got, want := out.String(), "\r\x1b[Ktranscripts 25 %\r\x1b[Ktranscripts 100 %\r\x1b[K"; got != want {
		t.Errorf("written is %q, want %q", got, want)
	}
	out.Reset()
	of.Bar(-1, "export").Add(7)
	of.Progress = false
	of.Bar(2, "nobody looks").Add(1)
	if got, want := out.String(), "\r\x1b[Kexport 7"; got != want {
		t.Errorf("without a total, or a terminal, written is %q, want %q", got, want)
	}
}
