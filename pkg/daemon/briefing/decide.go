package briefing

import (
	"context"
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/pack"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/start"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// Decision has the memories that were weighed for an action: those to inject, in order, then the others, the best first.
type Decision struct {
	Candidates []Candidate
	packed     pack.Packed
}

// Candidate is a memory that was weighed for an action.
type Candidate struct {
	daemonapi.WhyHit
	Given bool
}

func given(m memory.Memory, score float64, why string) Candidate {
	return Candidate{daemonapi.WhyHit{Memory: m, Score: score, LeftOut: daemonapi.LeftOut{Why: why}}, true}
}

// skip marks a candidate as left out, with the reason.
func (c *Candidate) skip(reason daemonapi.Reason, by, why string) {
	c.Given, c.LeftOut = false, daemonapi.LeftOut{Reason: reason, By: by, Why: why}
}

func (d Decision) Given() (given, others []Candidate) {
	n := slices.IndexFunc(d.Candidates, func(c Candidate) bool { return !c.Given })
	if n < 0 {
		n = len(d.Candidates)
	}
	return d.Candidates[:n], d.Candidates[n:]
}

// action is the next action of a conversation as a query: the text of a prompt or task, a file, or commands with their error.
type action struct {
	daemonapi.RecallParams
	index     *recall.Index
	text      string
	cores     []string
	signature string
	isWanted  func(memory.Kind) bool // whether memories of a kind may be injected although they are not facts
	title     string                 // heading of the memories
	limit     int
	explains  bool                // whether the result includes memories that do not fit, with the reasons
	newer     map[string][]string // the short ids of shown words of the user, by the id of the memory that they may correct
}

// weighed is the maximum number of candidates of an action, more than fit into the usual budgets.
const weighed = 40

// mostFactsOfTool is the maximum number of facts for one use of a tool: tools are used often.
const mostFactsOfTool = 2

// candidates returns the memories that fit an action, and some that nearly do.
func (a action) candidates() []Candidate {
	if a.text != "" {
		return a.forText()
	}
	return a.forTool()
}

// forTool returns the memories that name the file or belong to the command.
func (a action) forTool() (all []Candidate) {
	facts, log, why := a.named()
	for _, hit := range slices.Concat(facts[:min(len(facts), mostFactsOfTool)], log[:min(len(log), a.limit)]) {
		all = append(all, given(hit.Memory, hit.Memory.Importance, why))
	}
	cured := map[string]string{} // ids of memories, by failed command and cure
	for i := range all {
		cure := ingest.CureOf(all[i].Memory.Content)
		if cure == "" {
			continue
		}
		if cure = shell.CoreOf(all[i].Memory.Command) + "\n" + cure; cured[cure] != "" {
			all[i].skip(daemonapi.Repeated, cured[cure], "it fits, but another memory with the same cure is given")
			continue
		}
		cured[cure] = all[i].Memory.ID
	}
	return all
}

// named returns the memories about the file or the command of an action, with the reason why they match. facts are the memories
// with cues and, for a command, the user's own words. log are other memories, of the kinds that the action wants.
func (a action) named() (facts, log []memory.Hit, why string) {
	hits, why := a.index.File(a.File), "it names the file"
	if a.cores != nil {
		hits, why = a.index.Commands(a.cores, a.signature), "it is about the command or its error"
	}
	for _, hit := range hits {
		switch {
		case len(hit.Memory.Cues) > 0 || a.cores != nil && hit.Memory.IsUsersWord():
			facts = append(facts, hit)
		case a.isWanted(hit.Memory.Kind):
			log = append(log, hit)
		}
	}
	usersNewestFirst(log)
	return facts, log, why
}

// usersNewestFirst puts the user's words among hits in the order of their time, the newest first, in the places that they have.
func usersNewestFirst(hits []memory.Hit) {
	var at []int
	var users []memory.Hit
	for i, hit := range hits {
		if hit.Memory.IsUsersWord() {
			at, users = append(at, i), append(users, hit)
		}
	}
	slices.SortStableFunc(users, func(x, y memory.Hit) int { return y.Memory.LastSeenAt.Compare(x.Memory.LastSeenAt) })
	for i, hit := range users {
		hits[at[i]] = hit
	}
}

// forText returns the offered memories for a prompt or a task.
func (a action) forText() (all []Candidate) {
	weigh := a.index.Prompt
	if a.explains {
		weigh = a.index.Explain
	}
	for _, hit := range weigh(a.text, a.Purpose == daemonapi.ForSubagent, a.limit) {
		c := given(hit.Memory, hit.Score, hit.Why)
		if !hit.Fits {
			c.skip(daemonapi.NoFit, "", hit.Why)
		}
		all = append(all, c)
	}
	return all
}

// decide weighs the candidates of an action against the conversation's context, and packs those to inject.
func (b *Briefing) decide(ctx context.Context, a action, shown *session.Shown) Decision {
	loaded := b.loadedFor(ctx, a.RecallParams)
	known := b.knownTo(a.index, shown, loaded)
	all := a.candidates()
	for i := range all {
		if c := &all[i]; c.Given {
			c.skipKnown(shown, known)
		}
	}
	all, newer, shownIDs := b.withNewer(a, shown, all)
	a.newer = shownIDs
	packed, left := b.packGiven(ctx, a, shown, loaded, all)
	for skipAlone(all, newer, packed.IDs) {
		packed, left = b.packGiven(ctx, a, shown, loaded, all)
	}
	return Decision{Candidates: ordered(all, packed.IDs, left), packed: packed}
}

// packGiven packs the candidates to inject. left has the reasons why some did not get in, by id.
func (b *Briefing) packGiven(ctx context.Context, a action, shown *session.Shown, loaded Loaded, all []Candidate) (packed pack.Packed, left map[string]daemonapi.LeftOut) {
	known := b.knownTo(a.index, shown, loaded)
	fitting := memory.EachIf(all, func(c Candidate) (memory.Memory, bool) { return c.Memory, c.Given })
	limits := pack.ContextLimits(a.TokenBudget)
	if a.Purpose == daemonapi.ForSubagent {
		rows := b.standing(ctx, a.RecallParams, shown)
		return together(rows, func(some memory.StartContext) pack.Packed {
			known := b.knownTo(a.index, shown, b.loadedBeside(rows, loaded))
			return pack.Pack(start.ForTask(some, fitting, known.addNew, b.Counter), limits, b.Counter)
		}), nil
	}
	chosen, left := b.chosen(a.RecallParams, fitting, known)
	return pack.Pack([]pack.Section{b.section(a, chosen)}, limits, b.Counter), left
}

// skipAlone leaves out each packed candidate if one of its newer words (their ids are in newer) was not packed. isAny is set if there was one.
func skipAlone(all []Candidate, newer map[string][]string, packed []string) (isAny bool) {
	for i := range all {
		c := &all[i]
		missing := func(id string) bool { return !slices.Contains(packed, id) }
		if at := slices.IndexFunc(newer[c.Memory.ID], missing); c.Given && at >= 0 && !missing(c.Memory.ID) {
			by := newer[c.Memory.ID][at]
			c.skip(daemonapi.Superseded, by, "it fits, but the token budget has no room for newer words that may correct it, so both are left out: "+memory.ShortID(by))
			isAny = true
		}
	}
	return isAny
}

// withNewer adds the user's newer words that may correct a fitting memory, and the newest rival of a fitting fact, each before the older
// memory. ids has the ids of the added memories, by the id of the older memory. A memory that the conversation was shown is not added again: shownIDs
// has its short id, for the line of the older memory. If the newer memory is from this session, the older memory is left out.
func (b *Briefing) withNewer(a action, shown *session.Shown, all []Candidate) (with []Candidate, ids, shownIDs map[string][]string) {
	ids, shownIDs = map[string][]string{}, map[string][]string{}
	isIn := func(id string) bool {
		return slices.ContainsFunc(with, func(c Candidate) bool { return c.Memory.ID == id })
	}
	says := func(c Candidate) bool { return c.Given && (c.Memory.IsFact() || c.Memory.IsUsersWord()) }
	if !slices.ContainsFunc(all, says) {
		return all, nil, nil
	}
	index, rivals := b.sentencesOf(a.index.UsersWords()), start.Rivals(slices.DeleteFunc(a.index.Standing(), func(m memory.Memory) bool { return !m.IsFact() }))
	for _, c := range all {
		if says(c) {
			newest := index.NewerThan(c.Memory)
			newest = newest[:min(len(newest), mostNewer)]
			if rival, has := a.index.Memory(rivals[c.Memory.ID]); has {
				newest = append(newest, rival)
			}
			for _, newer := range newest {
				if newer.Session == a.Session {
					c.skip(daemonapi.Superseded, newer.ID, "it fits, but the session has a newer memory that may correct it: "+memory.ShortID(newer.ID))
					break
				}
				if shown.InContext(newer) {
					shownIDs[c.Memory.ID] = append(shownIDs[c.Memory.ID], render.ShortID(newer))
					continue
				}
				ids[c.Memory.ID] = append(ids[c.Memory.ID], newer.ID)
				if !isIn(newer.ID) {
					with = append(with, given(newer, c.Score, "it may correct "+memory.ShortID(c.Memory.ID)+", which fits and is older"))
				}
			}
		}
		if !isIn(c.Memory.ID) {
			with = append(with, c)
		}
	}
	return with, ids, shownIDs
}

// standing returns the rows of a project's start that a subagent was not shown yet.
func (b *Briefing) standing(ctx context.Context, p daemonapi.RecallParams, shown *session.Shown) memory.StartContext {
	rows, err := b.StartOf(ctx, p.Project, p.Session)
	if err != nil { // the fitting memories alone are better than nothing
		b.Log.Warn("the user's rules for a subagent cannot be read", "error", err)
	}
	return rows.Without(shown.InContext)
}

// skipKnown leaves out a fitting candidate that the conversation does not need.
func (c *Candidate) skipKnown(shown *session.Shown, known *knownTexts) {
	m := c.Memory
	file, by := known.loaded.FileWith(m), known.sameAs(m)
	switch {
	case shown.WasShown(m):
		c.skip(daemonapi.InContext, "", "it fits, but the session was already shown it in full")
	case file != "":
		c.skip(daemonapi.InFile, "", "it fits, but the client loads it from "+file)
	case known.contains(m):
		c.skip(daemonapi.Repeated, by, "it fits, but "+memory.ShortID(by)+", in the session's context, has the same content")
	case shown.InContext(m):
		c.skip(daemonapi.OfThisSession, "", "it fits, but it is from this session")
	}
}

// ordered returns the packed candidates first, and sets the reasons of candidates that fit but were left out.
func ordered(all []Candidate, packed []string, left map[string]daemonapi.LeftOut) []Candidate {
	place := func(c Candidate) int {
		if at := slices.Index(packed, c.Memory.ID); at >= 0 && c.Given {
			return at
		}
		return len(packed)
	}
	for i := range all {
		if c := &all[i]; c.Given && place(*c) == len(packed) {
			c.skip(daemonapi.NoRoom, "", noRoom)
			if why, has := left[c.Memory.ID]; has {
				c.LeftOut = why
			}
		}
	}
	slices.SortStableFunc(all, func(x, y Candidate) int { return place(x) - place(y) })
	return all
}

const noRoom = "it fits, but the token budget has no room for it"

func (b *Briefing) section(a action, memories []memory.Memory) pack.Section {
	section := pack.Section{Title: a.title, Share: 1, Lines: a.MaxLines}
	switch {
	case isFacts(a.RecallParams, memories):
		section.Title, section.Facts = "", true
	case a.cores != nil && len(memories) > 0 && (memories[0].IsFact() || memories[0].IsUsersWord()):
		section.Title = "About this command"
	}
	section.Items = memory.Each(memories, func(m memory.Memory) pack.Item { return b.item(a.RecallParams, m, section.Facts, a.newer[m.ID]) })
	return section
}

// loadedFor returns the finder of the texts that the client loads by itself; nil for the subagents Explore and Plan.
func (b *Briefing) loadedFor(ctx context.Context, p daemonapi.RecallParams) Loaded {
	if p.Purpose == daemonapi.ForSubagent && (p.Text == "Explore" || p.Text == "Plan") {
		return nil
	}
	return b.LoadedIn(ctx, p.Client, p.Root, p.Subagent != "" || p.Purpose == daemonapi.ForSubagent)
}

// chosen returns the best memories, at most as many as a prompt may get, hearsay last. left has, by
// id, the reason why a memory is not among them: better memories took all places, or a line that was shown or chosen before has the same content.
func (b *Briefing) chosen(
	p daemonapi.RecallParams, best []memory.Memory, known *knownTexts,
) (chosen []memory.Memory, left map[string]daemonapi.LeftOut) {
	left = map[string]daemonapi.LeftOut{}
	for _, m := range best {
		switch {
		case p.MaxLines > 0 && len(chosen) == p.MaxLines:
			left[m.ID] = daemonapi.LeftOut{Reason: daemonapi.NoRoom, Why: fmt.Sprintf("it fits, but others fit better, and a prompt is given at most %d", p.MaxLines)}
		case known.contains(m):
			by := known.sameAs(m)
			left[m.ID] = daemonapi.LeftOut{Reason: daemonapi.Repeated, By: by, Why: "it fits, but " + memory.ShortID(by) + ", which fits better, has the same content"}
		default:
			chosen = append(chosen, m)
			known.add(m)
		}
	}
	if p.MaxLines > 0 {
		slices.SortStableFunc(chosen, func(x, y memory.Memory) int { return memory.TrueFirst(!x.IsHearsay(), !y.IsHearsay()) })
	}
	return chosen, left
}

// isFacts reports whether all lines of a prompt are facts. They then share a header.
func isFacts(p daemonapi.RecallParams, fitting []memory.Memory) bool {
	return p.Purpose == daemonapi.ForPrompt && len(fitting) > 0 &&
		!slices.ContainsFunc(fitting, func(m memory.Memory) bool { return !m.IsFact() })
}

// longestReport is the maximum number of bytes of hearsay in a prompt's line; docs/lab/recall.md compares lengths.
const longestReport = 300

// item returns a memory as a line for the action's purpose. In a prompt's line hearsay is shortened; a model can
// request the whole text by the line's id. newer has the ids of the user's newer words that may correct the memory.
func (b *Briefing) item(p daemonapi.RecallParams, m memory.Memory, amongFacts bool, newer []string) pack.Item {
	var line string
	switch {
	case p.Purpose != daemonapi.ForPrompt:
		line = render.ToolLine(m)
	case amongFacts:
		line = render.PromptFactLine(m, b.Now())
	default:
		if m.IsHearsay() {
			m.Content = memory.Cut(m.Content, longestReport)
		}
		line = render.PromptLine(m, b.Now())
	}
	return pack.NewItem(m.ID, render.OlderThan(line, newer), b.Counter)
}
