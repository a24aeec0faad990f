package terminal

import (
	"fmt"
	"io"
	"time"
)

// Bar is a line on standard error that shows the progress of long work.
type Bar struct {
	on    *Terminal
	total int
	what  string
	done  int
	drawn time.Time
}

// drawEvery is the minimum time between two drawings of a bar.
const drawEvery = 100 * time.Millisecond

// eraseLine moves to the beginning of a terminal's line, and clears the line.
const eraseLine = "\r\x1b[K"

// Bar returns a bar that shows the progress of long work on standard error, if that is a terminal. If total is 0 it
// shows a count. The caller must call Close.
func (t *Terminal) Bar(total int, what string) *Bar { return &Bar{on: t, total: total, what: what} }

// Add counts n more parts as done, and draws the bar unless it did so within drawEvery. Write errors are ignored.
func (b *Bar) Add(n int) {
	b.done += n
	now := b.on.Now()
	if !b.on.Progress || now.Sub(b.drawn) < drawEvery {
		return
	}
	b.drawn = now
	progress := fmt.Sprint(b.done)
	if b.total > 0 {
		progress = fmt.Sprintf("%d %%", min(100*b.done/b.total, 100))
	}
	_, _ = fmt.Fprint(b.on.Err, eraseLine, b.what, " ", progress)
}

// Close removes the line from the screen.
func (b *Bar) Close() {
	if !b.drawn.IsZero() {
		_, _ = io.WriteString(b.on.Err, eraseLine)
	}
	b.drawn = time.Time{}
}
