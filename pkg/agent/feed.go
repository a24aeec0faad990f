package agent

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const (
	// mostKept bounds the items that are kept; mostText the bytes of each text.
	mostKept = 500
	mostText = 600
	// mostWait bounds how long one question waits for something new.
	mostWait = time.Minute
)

// Feed holds the latest events of the agent, in memory only, for those who watch: the dashboard,
// memory status --follow, the status line. It has no part in the events. Its methods are safe for concurrent use.
type Feed struct {
	now func() time.Time

	mu    sync.Mutex
	items []agentapi.FeedItem // the oldest first
	last  int64
	today agentapi.FeedDay
	more  chan struct{} // closed when an item comes
	told  *lru.Cache[string, agentapi.Glance]
}

// mostSessions is how many sessions' sums are kept.
const mostSessions = 256

// newFeed makes an empty feed.
func newFeed(now func() time.Time) *Feed {
	told, err := lru.New[string, agentapi.Glance](mostSessions)
	if err != nil { // only for a size below one
		panic(err)
	}
	return &Feed{now: now, more: make(chan struct{}), told: told, today: agentapi.FeedDay{Since: now()}}
}

// count adds an item to the sums of its day; mu is held.
func (f *Feed) count(item agentapi.FeedItem) {
	f.turn()
	switch {
	case item.Kind == agentapi.FeedCaptured:
		f.today.Captured++
	case item.Kind == agentapi.FeedInjected && item.Memories == 0:
		f.today.Silent++
	case item.Kind == agentapi.FeedInjected:
		f.today.Injected++
		f.today.Tokens += item.Tokens
	default:
		f.today.Changed++
	}
}

// turn begins new sums if a day has begun since the last; mu is held.
func (f *Feed) turn() {
	now := f.now().Local()
	year, month, day := now.Date()
	if midnight := time.Date(year, month, day, 0, 0, 0, 0, time.Local); f.today.Since.Before(midnight) {
		f.today = agentapi.FeedDay{Since: midnight}
	}
}

// Glance sums up the memories that were injected into a session.
func (f *Feed) Glance(session string) agentapi.Glance {
	f.mu.Lock()
	defer f.mu.Unlock()
	glance, _ := f.told.Get(session)
	return glance
}

func (f *Feed) sum(session string, told agentapi.ContextResult, last string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	glance, _ := f.told.Get(session)
	glance.Memories, glance.Tokens, glance.Last = glance.Memories+told.Items, glance.Tokens+told.Tokens,
		memory.CutWords(last, mostText)
	f.told.Add(session, glance)
}

func (f *Feed) add(item agentapi.FeedItem) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	item.Number = f.last
	item.Text = memory.CutWords(item.Text, mostText)
	f.items = append(f.items, item)
	f.count(item)
	if len(f.items) > 2*mostKept { // seldom: moving all for each item would be dear
		f.items = append([]agentapi.FeedItem(nil), f.items[len(f.items)-mostKept:]...)
	}
	close(f.more)
	f.more = make(chan struct{})
}

// Since returns the items after a given one, or waits for the next.
func (f *Feed) Since(ctx context.Context, p agentapi.FeedParams) (agentapi.FeedResult, error) {
	ctx, cancel := context.WithTimeout(ctx, min(time.Duration(p.WaitMS)*time.Millisecond, mostWait))
	defer cancel()
	for {
		result, more := f.after(p.After)
		if len(result.Items) > 0 || p.WaitMS <= 0 {
			return result, nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return result, nil
		}
	}
}

func (f *Feed) after(number int64) (agentapi.FeedResult, chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.turn()
	result := agentapi.FeedResult{Items: []agentapi.FeedItem{}, Last: f.last, Today: f.today}
	kept := f.items[max(0, len(f.items)-mostKept):]
	for _, item := range kept {
		if item.Number > number || number > f.last { // another agent gave that number out
			result.Items = append(result.Items, item)
		}
	}
	return result, f.more
}

// Committed notes the stored events.
func (f *Feed) Committed(_ context.Context, c intake.Committed) {
	for _, e := range c.Events {
		text := cmp.Or(e.Prompt, e.Text, e.Command, e.File, e.Reason, e.Source)
		if e.Error != "" {
			text += ": " + e.Error
		}
		f.add(agentapi.FeedItem{
			At: e.At, Kind: agentapi.FeedCaptured, Subject: string(e.Kind), Project: e.Project.Key,
			Session: e.Session, Text: memory.OneLine(text),
			TookMS: float64(max(f.now().Sub(e.At), 0).Microseconds()) / 1000,
		})
	}
	if len(c.Events) > 0 || len(c.Memories) == 0 {
		return
	}
	last := c.Memories[len(c.Memories)-1]
	f.add(agentapi.FeedItem{
		At: f.now(), Kind: agentapi.FeedChanged, Subject: string(last.Kind), Project: last.Project, Session: last.Session,
		Text: memory.OneLine(last.Content), Memories: len(c.Memories), Tokens: last.TokenCount,
	})
}

// Injected adds an injection of memories into a conversation to the feed, with its purpose and how long
// it took.
func (f *Feed) Injected(project, session, purpose string, answer agentapi.ContextResult, took time.Duration) {
	if session == "" || answer.Items == 0 && purpose != agentapi.ForPrompt {
		return
	}
	var lines []string
	for line := range strings.Lines(answer.Text) {
		if rest, isLine := strings.CutPrefix(line, "- "); isLine {
			lines = append(lines, strings.TrimSpace(rest))
		}
	}
	if len(lines) > 0 {
		f.sum(session, answer, lines[0])
	}
	f.add(agentapi.FeedItem{
		At: f.now(), Kind: agentapi.FeedInjected, Subject: purpose, Project: project, Session: session,
		Text:     strings.Join(lines, " · "),
		Memories: answer.Items, Tokens: answer.Tokens, TookMS: float64(took.Microseconds()) / 1000,
	})
}

// Ran notes a maintenance run that has changed something.
func (f *Feed) Ran(run memory.Run) {
	if run.Changed == 0 {
		return
	}
	f.add(agentapi.FeedItem{
		At: run.EndedAt, Kind: agentapi.FeedMaintained, Subject: run.Job,
		Text:     fmt.Sprintf("%d of %d looked at were changed, by %s", run.Changed, run.Examined, run.Trigger),
		Memories: run.Changed, Tokens: run.TokensFreed,
	})
}
