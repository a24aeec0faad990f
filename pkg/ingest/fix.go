package ingest

import (
	"fmt"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// maxFixSteps bounds what a fix names of what was done between failure and
// success: the last steps, which made the difference more often than the first.
const maxFixSteps = 5

// Fixes finds what made failing commands of a session work: a command that
// failed and then succeeded, with what was edited and run between. The same
// activity gives the same memories and sightings, however often it is looked at.
func Fixes(a memory.Activity, counter tokens.Counter) memory.Batch {
	var batch memory.Batch
	open := map[string]*problem{}
	for _, seen := range a.Seen {
		m := seen.Memory
		switch {
		case m.Kind == memory.KindFailure:
			if p := open[m.Command]; p != nil {
				p.failure = m
			} else {
				open[m.Command] = &problem{failure: m}
			}
		case m.Kind == memory.KindCommand && open[m.Command] != nil:
			fix := open[m.Command].fix(a.Session, seen.At, counter)
			delete(open, m.Command)
			note(open, m)
			batch.Memories = append(batch.Memories, fix)
			batch.Sightings = append(batch.Sightings, memory.Sighting{
				ID: seen.ID + "-fix", Memory: fix.ID, Session: a.Session.ID, At: seen.At,
			})
		case m.Kind == memory.KindEdit, m.Kind == memory.KindCommand:
			note(open, m)
		}
	}
	return batch
}

// note remembers a step for every problem that is open.
func note(open map[string]*problem, step memory.Memory) {
	for _, p := range open {
		p.steps = append(p.steps, step)
	}
}

// problem is a failure with what was done since.
type problem struct {
	failure memory.Memory
	steps   []memory.Memory
}

func (p *problem) fix(s memory.Session, at time.Time, counter tokens.Counter) memory.Memory {
	steps := p.steps[max(0, len(p.steps)-maxFixSteps):]
	var done, files []string
	for _, step := range steps {
		done = append(done, step.Content)
		files = append(files, step.Files...)
	}
	how := "worked when it was run again"
	if len(done) > 0 {
		how = "worked after: " + strings.Join(done, "; ")
	}
	return complete(memory.Memory{
		Kind: memory.KindFix, Content: fmt.Sprintf("%s; it %s", p.failure.Content, how), Detail: p.failure.Detail,
		Tags: tags("debugging"), Files: files, Command: p.failure.Command, Signature: p.failure.Signature,
	}, s.Project, s.ID, at, counter)
}
