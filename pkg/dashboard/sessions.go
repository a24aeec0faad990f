package dashboard

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const listedSessions = 30

// sessions is the data of the timeline.
type sessions struct{ Sessions []listedSession }

// listedSession is a session with the first words of its summary or prompt.
type listedSession struct {
	memory.Session
	First string
}

func (p *pages) sessions(ctx context.Context, v visit) (page, error) {
	all, err := ask(ctx, p.agent, agentapi.MethodSessions, agentapi.SessionsParams{Project: v.project, Limit: listedSessions})
	if err != nil {
		return page{}, err
	}
	data := sessions{}
	for _, one := range all {
		listed := listedSession{Session: one, First: saidFirst(one)}
		if listed.First == "" && one.PromptCount > 0 {
			if listed.First, err = p.firstPrompt(ctx, one.ID); err != nil {
				return page{}, err
			}
		}
		data.Sessions = append(data.Sessions, listed)
	}
	return page{"sessions", "Timeline", data}, nil
}

// session is the data of one session: all its events, in their order.
type session struct {
	memory.Session
	First   string // its first words
	Moments []moment
	Left    int
}

// moment is something that happened in a session.
type moment struct {
	At   time.Time
	What string // prompt, the kind of a memory or of a session event
	Text string
	ID   string // of the memory, if it is one
}

const shownMoments = 400

func (p *pages) session(ctx context.Context, v visit) (page, error) {
	record, err := ask(ctx, p.agent, agentapi.MethodSession, v.PathValue("session"))
	data := session{Session: record.Session, First: saidFirst(record.Session)}
	if data.First == "" && len(record.Prompts) > 0 {
		data.First = record.Prompts[0].Text
	}
	for _, one := range record.Prompts {
		data.Moments = append(data.Moments, moment{At: one.At, What: "prompt", Text: one.Text})
	}
	for _, seen := range record.Seen {
		data.Moments = append(data.Moments, moment{seen.At, string(seen.Memory.Kind), seen.Memory.Content, seen.Memory.ID})
	}
	for _, e := range record.SessionEvents {
		data.Moments = append(data.Moments, moment{At: e.At, What: string(e.Kind), Text: e.Text})
	}
	slices.SortStableFunc(data.Moments, func(x, y moment) int { return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.What, y.What)) })
	data.Left = max(0, len(data.Moments)-shownMoments)
	data.Moments = data.Moments[data.Left:]
	return page{"session", "A session", data}, err
}
