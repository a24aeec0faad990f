package distill

import (
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// A cluster is the sessions that changed one file. It is asked about when a third session
// has changed the file, and again at each doubling: at the sixth, the twelfth.
const (
	leastSessions = 3
	mostCards     = 12
	maxCard       = 1_200 // bytes
)

// Cluster is the question about the file of which this session makes a cluster: of
// several, the one that most sessions have changed. There is none for most sessions, and
// none before a session is over.
func (in Input) Cluster() (cluster Part, is bool) {
	if !in.Record.Session.State.Over() {
		return Part{}, false
	}
	cards := map[string][]memory.Memory{}
	for _, m := range in.cards() {
		for _, file := range m.Files {
			cards[file] = append(cards[file], m)
		}
	}
	best, most := "", 0
	for file, all := range cards {
		n := in.sessionsUntil(all)
		if isDue(n) && (n > most || n == most && file < best) {
			best, most = file, n
		}
	}
	if best == "" {
		return Part{}, false
	}
	return in.clusterOf(best, cards[best]), true
}

// cards are the turns of the project, of sessions that were distilled and of others.
func (in Input) cards() []memory.Memory {
	all := slices.Clone(in.Cards)
	for _, row := range in.Standing {
		if m := row.Memory; m.Kind == memory.KindTurn && m.Status == memory.StatusActive && row.SupersededBy == "" {
			all = append(all, m)
		}
	}
	return all
}

// sessionsUntil counts the sessions of cards up to this session; 0 if it has no card.
func (in Input) sessionsUntil(cards []memory.Memory) int {
	begun := map[string]time.Time{}
	for _, m := range cards {
		if at, known := begun[m.Session]; !known || m.LastSeenAt.Before(at) {
			begun[m.Session] = m.LastSeenAt
		}
	}
	own, has := begun[in.Record.Session.ID]
	if !has {
		return 0
	}
	n := 0
	for _, at := range begun {
		if !at.After(own) {
			n++
		}
	}
	return n
}

func isDue(sessions int) bool {
	return sessions > 0 && sessions%leastSessions == 0 && bits.OnesCount(uint(sessions/leastSessions)) == 1
}

// clusterOf makes a part of each session's newest card until the end of this one, as many
// as fit.
func (in Input) clusterOf(file string, cards []memory.Memory) Part {
	cards = slices.DeleteFunc(slices.Clone(cards),
		func(m memory.Memory) bool { return m.LastSeenAt.After(in.Record.Session.LastEventAt) })
	slices.SortFunc(cards, func(a, b memory.Memory) int {
		if c := b.LastSeenAt.Compare(a.LastSeenAt); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	room := in.Budget - MostOutput - Overhead - in.count(system) - in.count(clusterInstructions) - in.count(file) - in.count(string(clusterSchema))
	most := room - in.reserved(room)
	p := Part{Subject: file}
	var text strings.Builder
	shown := map[string]bool{}
	for _, m := range cards {
		if shown[m.Session] {
			continue
		}
		shown[m.Session] = true
		s := Source{At: m.LastSeenAt, Memories: []string{m.ID}, Assistant: in.clean(memory.Cut(memory.OneLine(m.Content), maxCard))}
		if most -= in.count(s.text(mostCards)); most < 0 || len(p.Sources) == mostCards {
			break
		}
		p.Sources = append(p.Sources, s)
		text.WriteString(s.text(0))
	}
	slices.Reverse(p.Sources)
	p.Standing, p.Areas = in.standing(text.String(), p.At(), in.reserved(room))
	p.Key = key("cluster " + file + " " + in.Record.Session.ID)
	_, p.Done = answers(in.Record)[p.Key]
	return p
}

// CheckCluster reads the answer to the question about a cluster: a fact that rests on the
// words of one session alone is dropped. The kept fact is derived from all cards that
// were shown.
func (p Part) CheckCluster(text []byte) (Checked, error) {
	c, err := p.Check(text, 1)
	if err != nil {
		return c, err
	}
	var all []string
	for _, s := range p.Sources {
		all = append(all, s.Memories...)
	}
	c.Facts = slices.DeleteFunc(c.Facts, func(f memory.DistilledFact) bool {
		if len(f.From) < 2 {
			c.drop("the fact (%.60q): it quotes one session alone", f.Text)
		}
		return len(f.From) < 2
	})
	for i := range c.Facts {
		c.Facts[i].From = all
	}
	c.Digest = memory.Digest{}
	return c, nil
}
