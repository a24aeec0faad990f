package agent

import (
	"context"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Only use strengthens a memory. Being put in front of the model is no use; that
// the session then touches the file or runs the command that the memory is about
// is one, and so is being asked for.

// subject is what a memory is about.
type subject struct {
	files   []string
	command string
}

// touchedBy tells whether an event does something with the subject.
func (s subject) touchedBy(e memory.Event) bool {
	switch e.Kind {
	case memory.EventFileChanged:
		return slices.Contains(s.files, e.File)
	case memory.EventCommandSucceeded, memory.EventCommandFailed:
		return s.command != "" && s.command == memory.CommandKey(e.Command)
	default:
		return false
	}
}

// usesBy returns the uses that events prove, of memories that their sessions were
// given before.
func (a *Agent) usesBy(ctx context.Context, events []memory.Event) []memory.Use {
	var uses []memory.Use
	for _, e := range events {
		switch e.Kind {
		case memory.EventFileChanged, memory.EventCommandSucceeded, memory.EventCommandFailed:
			for _, id := range a.touched(ctx, e) {
				uses = append(uses, memory.Use{Memory: id, Session: e.Session, How: memory.UseTouched, At: e.At})
			}
		default:
		}
	}
	return uses
}

func (a *Agent) touched(ctx context.Context, e memory.Event) []string {
	a.injections.mu.Lock()
	set := a.injections.listeners[listener{session: e.Session}]
	a.injections.mu.Unlock()
	if set == nil { // it was given nothing by this agent
		return nil
	}
	subjects, err := a.subjects(ctx, set, e.ID)
	if err != nil {
		a.Log.Debug("what a session has used could not be told", "session", e.Session, "error", err)
		return nil
	}
	var used []string
	for id, about := range subjects {
		if about.touchedBy(e) && set.use(id, e.ID) {
			used = append(used, id)
		}
	}
	slices.Sort(used)
	return used
}

// subjects are what the memories are about that a listener was given and has not
// used yet, or by this event: its batch is ingested again if the store failed.
func (a *Agent) subjects(ctx context.Context, set *givenSet, event string) (map[string]subject, error) {
	unknown := set.unknownSubjects()
	if len(unknown) > 0 {
		rows, err := a.Store.Rows(ctx, unknown)
		if err != nil {
			return nil, err
		}
		set.learnSubjects(unknown, rows)
	}
	return set.unusedSubjects(event), nil
}

func (g *givenSet) unknownSubjects() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var ids []string
	for id := range g.ids {
		if _, known := g.about[id]; !known {
			ids = append(ids, id)
		}
	}
	return ids
}

func (g *givenSet) learnSubjects(asked []string, rows []memory.Row) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.about == nil {
		g.about = map[string]subject{}
	}
	for _, id := range asked { // also what is no memory, such as a session's summary
		g.about[id] = subject{}
	}
	for _, row := range rows {
		g.about[row.Memory.ID] = subject{files: row.Memory.Files, command: row.Memory.Command}
	}
}

func (g *givenSet) unusedSubjects(event string) map[string]subject {
	g.mu.Lock()
	defer g.mu.Unlock()
	unused := map[string]subject{}
	for id, about := range g.about {
		if by := g.used[id]; by == "" || by == event {
			unused[id] = about
		}
	}
	return unused
}

// use notes a use by an event and tells whether it was the first.
func (g *givenSet) use(id, event string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if by := g.used[id]; by != "" {
		return by == event
	}
	if g.used == nil {
		g.used = map[string]string{}
	}
	g.used[id] = event
	return true
}

// recalled notes that memories were the answer to a question.
func (a *Agent) recalled(session string, ids []string, at time.Time) {
	if session == "" {
		return
	}
	a.injections.mu.Lock()
	defer a.injections.mu.Unlock()
	for _, id := range ids {
		a.injections.uses = append(a.injections.uses, memory.Use{Memory: id, Session: session, How: memory.UseRecalled, At: at})
	}
}
