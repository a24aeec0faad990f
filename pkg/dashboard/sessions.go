package dashboard

import (
	"cmp"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

const (
	listedSessions = 50
	shownMoments   = 400
)

func (p *pages) sessions(v *visit) page {
	return page{"sessions", "Sessions", ask(v, daemonapi.MethodSessions, daemonapi.SessionsParams{Project: v.project, Limit: listedSessions})}
}

// session is the data of one session, with its latest events in order.
type session struct {
	memory.Session
	Moments []moment
	Left    int
}

type moment struct {
	At   time.Time
	Kind string // prompt, the kind of a memory, or the kind of a session event
	Text string
	ID   string // ID of a memory; empty for other kinds
}

func (p *pages) session(v *visit) page {
	record := ask(v, daemonapi.MethodSession, v.PathValue("session"))
	data := session{Session: record.Session}
	if len(record.Prompts) > 0 {
		data.First = record.Prompts[0].Text
	}
	for _, one := range record.Prompts {
		data.Moments = append(data.Moments, moment{At: one.At, Kind: "prompt", Text: one.Text})
	}
	for _, seen := range record.Seen {
		data.Moments = append(data.Moments, moment{seen.At, string(seen.Memory.Kind), seen.Memory.Content, seen.Memory.ID})
	}
	for _, e := range record.SessionEvents {
		data.Moments = append(data.Moments, moment{At: e.At, Kind: string(e.Kind), Text: e.Text})
	}
	slices.SortStableFunc(data.Moments, func(x, y moment) int { return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.Kind, y.Kind)) })
	data.Left = max(0, len(data.Moments)-shownMoments)
	data.Moments = data.Moments[data.Left:]
	return page{"session", "A session", data}
}

const (
	listedRuns   = 40
	shownActions = 200 // most actions shown of one run
)

func (p *pages) maintenance(v *visit) page {
	return page{"maintenance", "Maintenance", ask(v, daemonapi.MethodRuns, listedRuns)}
}

// shownRun is a run with its first actions.
type shownRun struct {
	memory.Run
	Shown []memory.Action
	Left  int // number of actions that are not shown
}

func (p *pages) run(v *visit) page {
	run := ask(v, daemonapi.MethodRun, v.PathValue("run"))
	shown := run.Actions[:min(shownActions, len(run.Actions))]
	return page{"run", "Run of " + run.Job, shownRun{run, shown, len(run.Actions) - len(shown)}}
}
