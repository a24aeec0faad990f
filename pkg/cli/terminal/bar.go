package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Bar is a line on standard error that shows the progress of long work. Its methods are safe for concurrent use.
type Bar struct {
	out   io.Writer
	total int
	now   func() time.Time

	mu    sync.Mutex
	what  string
	done  int
	drawn time.Time
	width int // width of the line on the screen, in characters
}

// drawEvery is the minimum time between two drawings of a bar.
const drawEvery = 100 * time.Millisecond

// Bar returns a bar that shows the progress of long work on standard error, if that is a terminal. If total is 0 it
// shows a count. The caller must call Close.
func (t *Terminal) Bar(total int, what string) *Bar {
	bar := &Bar{out: io.Discard, total: total, now: t.Now, what: what}
	if t.Progress {
		bar.out = t.Err
	}
	return bar
}

// Add counts n more parts as done, and draws the bar.
func (b *Bar) Add(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done += n
	b.draw()
}

// Close removes the line from the screen.
func (b *Bar) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.show("")
}

// draw shows the progress, unless it did so within drawEvery. The caller must hold the mutex.
func (b *Bar) draw() {
	now := b.now()
	if now.Sub(b.drawn) < drawEvery {
		return
	}
	b.drawn = now
	if b.total > 0 {
		b.show(fmt.Sprintf("%s %d %%", b.what, min(100*b.done/b.total, 100)))
	} else {
		b.show(fmt.Sprintf("%s %d", b.what, b.done))
	}
}

// show replaces the line, or removes it if line is empty. Write errors are ignored. The caller must hold the mutex.
func (b *Bar) show(line string) {
	width := len([]rune(line))
	if width+b.width == 0 {
		return
	}
	text := "\r" + line + strings.Repeat(" ", max(b.width-width, 0))
	if line == "" {
		text += "\r"
	}
	_, _ = fmt.Fprint(b.out, text)
	b.width = width
}
