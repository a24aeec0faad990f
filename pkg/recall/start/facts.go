package start

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/pack"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/render"
)

// The worth of a fact at a start is factImportance for each step of its importance, 1 to 3, plus 1/(1+k/factSessions)
// if k later sessions left facts. On the recorded facts of two people, this brought more of the needed facts into a
// start than a half-life in active days (docs/lab/facts.md). These people had up to usualFacts facts, most of which a start
// names. Of many more facts a start names few, and important old ones would push out new ones: so factSessions grows
// with the square of their number.
const (
	factImportance = 0.25
	factSessions   = 3
	usualFacts     = 250
)

// mostStartFacts is the maximum number of facts from which a start chooses; it has no room to name more.
const mostStartFacts = 250

// shareFacts is the budget share of the section of facts; see shareUsers.
const shareFacts = 0.34

// fullTokens is the number of tokens that the best facts may take in full, even if others then cannot be named.
const fullTokens = 600

// WithBestFacts returns the context with its facts sorted by worth at a start and limited to mostStartFacts, without facts that
// have a newer rival (see Rivals). It counts, for each area, the facts that it leaves out. ids are the ids of all memories that
// can be asked for; the short ids of the facts are made long enough to differ from all of them.
func WithBestFacts(c memory.StartContext, ids []string) memory.StartContext {
	newest := newestSessions(c.Facts)
	facts := inShares(byWorth(withoutRivals(c.Facts), newest))
	most := min(len(facts), mostStartFacts)
	c.Facts, c.Areas = facts[:most], areas(facts, facts[most:])
	named := memory.Each(facts, func(m memory.Memory) string { return m.ID })
	c.FactIDs = memory.ShortestIDs(named[:most], append(named, ids...))
	return c
}

// The number of facts after which further facts of the same session or area rank behind the facts of others, because
// one session could store any number. A model that distils a session writes at most eight.
const (
	sessionShare = 8
	areaShare    = 40
)

// inShares reorders facts that are sorted by worth: first those within one share of their session and area, then
// those within two shares, and so on. Pinned and repeated facts stay first.
func inShares(facts []memory.Memory) []memory.Memory {
	ofSession, ofArea, round := map[string]int{}, map[string]int{}, make(map[string]int, len(facts))
	for i := range facts {
		if m := &facts[i]; !isFirst(*m) {
			area := areaOf(*m)
			round[m.ID] = max(ofSession[m.Session]/sessionShare, ofArea[area]/areaShare)
			ofSession[m.Session]++
			ofArea[area]++
		}
	}
	return slices.SortedStableFunc(slices.Values(facts), func(a, b memory.Memory) int { return cmp.Compare(round[a.ID], round[b.ID]) })
}

// byWorth sorts facts by their worth at a start, the best first.
func byWorth(all, newest []memory.Memory) []memory.Memory {
	since := map[string]int{}
	for i, m := range newest {
		since[m.Session] = i
	}
	worth, many := make(map[string]float64, len(all)), float64(max(len(all), usualFacts))/usualFacts
	for _, m := range all {
		worth[m.ID] = worthOfFact(m, float64(since[m.Session])/(many*many))
	}
	return slices.SortedStableFunc(slices.Values(all), func(a, b memory.Memory) int {
		return cmp.Or(cmp.Compare(worth[b.ID], worth[a.ID]), b.LastSeenAt.Compare(a.LastSeenAt), strings.Compare(a.ID, b.ID))
	})
}

func worthOfFact(m memory.Memory, sessions float64) float64 {
	step := memory.FactImportance(2) - memory.FactImportance(1)
	weight := 1 + (m.Importance-memory.FactImportance(1))/step
	if isFirst(m) {
		sessions = 0
		weight += math.Ceil(1 / factImportance)
	}
	return factImportance*weight + 1/(1+sessions/factSessions)
}

// newestSessions returns the newest fact of each session, the newest first.
func newestSessions(facts []memory.Memory) []memory.Memory {
	last := map[string]memory.Memory{}
	for _, m := range facts {
		if known, has := last[m.Session]; !has || m.LastSeenAt.After(known.LastSeenAt) {
			last[m.Session] = m
		}
	}
	return slices.SortedFunc(maps.Values(last), func(a, b memory.Memory) int {
		return cmp.Or(b.LastSeenAt.Compare(a.LastSeenAt), strings.Compare(a.Session, b.Session))
	})
}

// areas returns the areas of facts, the area of the newest fact first, each with the number of its facts in leftOut.
func areas(facts, leftOut []memory.Memory) []memory.Area {
	var all []memory.Area
	at := map[string]int{}
	for _, m := range byDay(facts) {
		if _, known := at[areaOf(m)]; !known {
			at[areaOf(m)] = len(all)
			all = append(all, memory.Area{Name: areaOf(m)})
		}
	}
	for _, m := range leftOut {
		all[at[areaOf(m)]].LeftOut++
	}
	return all
}

const (
	factsTitle = "Facts from earlier sessions, written by a model"
	namesTitle = "More facts by title, in each line the newest first: where two disagree, the newest holds. Only if a title is not enough, call get_memories with up to ten ids"
)

// factSection returns the section that shows the best facts in full and names the others by area.
func factSection(c memory.StartContext, counter memory.TokenCounter) pack.Section {
	s := pack.Section{Title: factsTitle, Share: shareFacts, Index: &pack.Index{Title: namesTitle, Full: fullTokens, Areas: c.Areas}}
	newest, place := make([]int, len(c.Facts)), make([]int, len(c.Facts))
	for i := range newest {
		newest[i] = i
	}
	slices.SortStableFunc(newest, func(a, b int) int {
		return cmp.Or(memory.TrueFirst(c.Facts[a].IsSaidAgain(), c.Facts[b].IsSaidAgain()), c.Facts[b].LastSeenAt.Compare(c.Facts[a].LastSeenAt))
	})
	for at, i := range newest {
		place[i] = at
	}
	s.Items = factItems(c, c.Facts, counter)
	for i := range s.Items {
		s.Items[i].Place = place[i]
	}
	return s
}

func factItems(c memory.StartContext, facts []memory.Memory, counter memory.TokenCounter) []pack.Item {
	items, newest := make([]pack.Item, 0, len(facts)), newest(c)
	for _, m := range facts {
		id := cmp.Or(c.FactIDs[m.ID], render.ShortID(m))
		item := pack.NewItem(m.ID, render.FactLine(m, id, newest), counter)
		item.Name, item.Area = render.FactName(m, id), areaOf(m)
		items = append(items, item)
	}
	return items
}
