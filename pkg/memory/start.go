package memory

import (
	"cmp"
	"slices"
	"strings"
)

// StartContext holds what a session of a project may start with, and how its text is to be.
type StartContext struct {
	// Statements are conventions, corrections, decisions, notes, preferences and todos, of the project and of the user.
	Statements []Memory
	Summaries  []Session // sessions without their prompt counts
	// Facts are all memories for which IsFact holds, of any kind.
	Facts []Memory
	// Quoted are words of the user's that a newer fact of the assistant's has replaced. NewStart does not set it.
	Quoted []Memory
	// Areas are the areas of all facts, the area with the newest fact first. FactIDs are the shortest unique ids of
	// Facts. NewStart does not set these two.
	Areas   []Area
	FactIDs map[string]string
	// Asks is set if the model should be asked to store what lasts of what the user said in passing.
	Asks bool
	// Newer has, by the id of a line, the ids of the user's newest words in the context that may correct it. NewStart does not set it.
	Newer map[string][]string
}

// Corrections returns the ids of the user's words that may correct a line of Newer.
func (c StartContext) Corrections() map[string]bool {
	is := map[string]bool{}
	for _, ids := range c.Newer {
		for _, id := range ids {
			is[id] = true
		}
	}
	return is
}

// Without returns the context without the memories for which isGone returns true. It shares no list with c.
func (c StartContext) Without(isGone func(Memory) bool) StartContext {
	for _, list := range []*[]Memory{&c.Statements, &c.Facts, &c.Quoted} {
		*list = slices.DeleteFunc(slices.Clone(*list), isGone)
	}
	return c
}

// NewStart returns what a session may start with. The memories must not be superseded. It sorts the facts by their ids,
// and takes the best of each sort of statement, up to a limit.
func NewStart(memories []Memory, summaries []Session, limit int) StartContext {
	start := StartContext{Summaries: summaries}
	var rules, todos, preferences []Memory
	for _, m := range memories {
		switch {
		case m.IsFact():
			start.Facts = append(start.Facts, m)
		case m.Kind == KindTodo:
			todos = append(todos, m)
		case m.Kind == KindPreference && m.Project == "":
			preferences = append(preferences, m)
		case m.Kind.IsUserAuthored():
			rules = append(rules, m)
		}
	}
	for _, some := range [][]Memory{rules, todos, preferences} {
		slices.SortFunc(some, ownFirst)
		start.Statements = append(start.Statements, some[:min(limit, len(some))]...)
	}
	slices.SortFunc(start.Facts, func(a, b Memory) int { return strings.Compare(a.ID, b.ID) })
	return start
}

// ownFirst compares memories: the user's own words come before all others, so that other memories, however many,
// cannot push the user's rules out of a limited list. Then come those that somebody asked to keep, the most important and the newest.
func ownFirst(a, b Memory) int {
	return cmp.Or(TrueFirst(a.IsUsersWord(), b.IsUsersWord()), TrueFirst(a.IsKept(), b.IsKept()), cmp.Compare(b.Importance, a.Importance), b.LastSeenAt.Compare(a.LastSeenAt), strings.Compare(a.ID, b.ID))
}

// Area is a part of the project or of the work, with the number of its facts that a start leaves out.
type Area struct {
	Name    string
	LeftOut int
}
