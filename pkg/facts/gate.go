package facts

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/prompt"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/worktype"
)

// Prompt is the facts that fit a prompt, at most limit of them, the best first; most prompts
// fit none. A task for a subagent replies to nothing.
func (x *Index) Prompt(text string, isTask bool, limit int) []Hit {
	x.mu.RLock()
	defer x.mu.RUnlock()
	j, _ := x.judge(text, isTask, limit)
	return j.fits
}

// Explain is Prompt with other facts that share words with the prompt behind those that fit,
// each with the reason why it does not.
func (x *Index) Explain(text string, isTask bool, limit int) []Hit {
	x.mu.RLock()
	defer x.mu.RUnlock()
	j, ranked := x.judge(text, isTask, limit)
	hits := j.fits
	for _, s := range ranked {
		if len(hits) == limit {
			break
		}
		if !j.has(s.slot) {
			hits = append(hits, Hit{Memory: x.facts[s.slot].memory, Score: s.score, Why: j.misses(s)})
		}
	}
	return hits
}

func (x *Index) judge(text string, isTask bool, limit int) (j judgement, ranked []candidate) {
	q := x.ask(text)
	ranked = x.rank(q)
	j = judgement{index: x, query: q, limit: limit, isReply: !isTask && prompt.IsReply(text)}
	needs := isTask || !prompt.NeedsNothing(text)
	if needs {
		j.plain(ranked)
	}
	j.cued(ranked)
	if needs || prompt.Assents(text) {
		for _, s := range x.rules(ranked, worktype.Asked(text)) {
			j.fit(s, "it is for the type of work that is asked for")
		}
	}
	return j, ranked
}

// judgement is the facts that fit a prompt, while they are found.
type judgement struct {
	index       *Index
	query       query
	limit       int // of the facts that fit
	isReply     bool
	best, least fit // of facts with cues
	most        float64
	slots       []uint32
	fits        []Hit
}

func (j *judgement) has(slot uint32) bool { return slices.Contains(j.slots, slot) }

func (j *judgement) fit(s candidate, why string) {
	if len(j.fits) < j.limit && !j.has(s.slot) {
		j.slots = append(j.slots, s.slot)
		j.fits = append(j.fits, Hit{Memory: j.index.facts[s.slot].memory, Score: s.score, Fits: true, Why: why})
	}
}

// plain adds the facts without cues that fit: most are the user's own words.
func (j *judgement) plain(ranked []candidate) {
	var found []candidate
	for _, s := range ranked {
		f := &j.index.facts[s.slot]
		if f.size == 0 {
			continue
		}
		if surprise, is := j.index.isSurprising(f, j.query); is {
			found = append(found, candidate{s.slot, surprise, s.at})
		}
	}
	// Among facts that surprise as much, such as forty on one port each, the rank decides: it weighs numbers, too.
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	for _, s := range found {
		j.fit(s, fmt.Sprintf("it shares more words with the prompt than by chance: %.2f of %.2f", s.score, j.index.weights.Surprise))
	}
}

// cued adds the facts with cues if the best of them fits.
func (j *judgement) cued(ranked []candidate) {
	x := j.index
	ranked = slices.DeleteFunc(slices.Clone(ranked), func(s candidate) bool { return x.facts[s.slot].size > 0 })
	j.best, j.least = x.best(ranked, j.query, j.isReply), x.least(j.query)
	if len(ranked) == 0 {
		return
	}
	j.most = ranked[0].score
	if j.best.exceeds(j.least) {
		why := j.best.above(j.least)
		for _, s := range x.nearBest(ranked) {
			j.fit(s, why)
		}
	}
}

// misses says why a fact does not fit.
func (j *judgement) misses(s candidate) string {
	if f := &j.index.facts[s.slot]; f.size > 0 {
		surprise, _ := j.index.isSurprising(f, j.query)
		return fmt.Sprintf("it shares no more words with the prompt than by chance: %.2f, and it needs more than %.2f", surprise, j.index.weights.Surprise)
	}
	if why := j.best.below(j.least); why != "" {
		return why
	}
	return fmt.Sprintf("it scores %.2f, far below the best fact with %.2f", s.score, j.most)
}

// Question is the facts for a question which somebody asks in so many words, the best first:
// they are not held back, however little they fit. Whether they fit well enough for a prompt
// is said beside them.
func (x *Index) Question(text string, limit int) (hits []Hit, fits bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	q := x.ask(text)
	ranked := x.rank(q)
	best := x.nearBest(ranked)
	return x.hits(best[:min(limit, len(best))]), x.best(ranked, q, false).exceeds(x.least(q))
}

// fit is how well a fact fits a text, or how well it has to.
type fit struct{ score, overlap float64 }

// least is the fit that the best fact must exceed for a text to be given something. It needs
// many of its words in the fact, common ones too: the score alone is high where one rare word
// stands in it, and in a long text, of which some words stand in some fact.
func (x *Index) least(q query) fit {
	if q.asks {
		return fit{x.weights.Question, x.weights.Overlap}
	}
	return fit{x.weights.Work, x.weights.Overlap}
}

// best is how well the best of the ranked facts fits a query. A reply to the last answer
// is mostly about that, so it keeps less.
func (x *Index) best(ranked []candidate, q query, isReply bool) fit {
	if len(ranked) == 0 {
		return fit{}
	}
	share := 1.0
	if isReply {
		share = x.weights.Reply
	}
	return fit{share * ranked[0].score, share * x.overlap(ranked[0].slot, q)}
}

func (f fit) exceeds(least fit) bool { return f.score > least.score && f.overlap > least.overlap }

// above says by how much the best fact's fit exceeds the least.
func (f fit) above(least fit) string {
	return fmt.Sprintf("the best fact scores %.2f of %.2f, and has %.2f of %.2f of the text's words (shared by the root of all)", f.score, least.score, f.overlap, least.overlap)
}

// below says in which way the best fact's fit is too small; empty if it is not.
func (f fit) below(least fit) string {
	switch {
	case f.score <= least.score:
		return fmt.Sprintf("the best fact scores %.2f, and this text needs more than %.2f", f.score, least.score)
	case f.overlap <= least.overlap:
		return fmt.Sprintf("the best fact has too few of the text's words: %.2f, and it needs more than %.2f (words shared by the root of all)", f.overlap, least.overlap)
	default:
		return ""
	}
}

// overlap is the number of the query's terms that a fact has, divided by the root of the
// number of the query's terms: two of four count as much as three of nine.
func (x *Index) overlap(slot uint32, q query) float64 {
	shared := 0
	for _, t := range q.terms {
		if x.facts[slot].terms[t.text] > 0 {
			shared++
		}
	}
	return float64(shared) / math.Sqrt(float64(len(q.terms)))
}

// nearBest leaves out the facts that fit much less than the best one.
func (x *Index) nearBest(ranked []candidate) []candidate {
	n := 0
	for n < len(ranked) && ranked[n].score >= x.weights.Floor*ranked[0].score {
		n++
	}
	return ranked[:n]
}

// severalTypes multiplies the score of a fact whose cues name several of the types of
// work that are asked for.
const severalTypes = 1.5

// rules are the best of the ranked facts whose cues name the type of work that a prompt
// asks for: "can we add a test for it" shares little with "write a regression test".
func (x *Index) rules(ranked []candidate, asked []worktype.Type) []candidate {
	if len(asked) == 0 {
		return nil
	}
	var found []candidate
	for _, s := range ranked {
		named := 0
		for _, of := range x.facts[s.slot].work {
			if slices.Contains(asked, of) {
				named++
			}
		}
		if named == 0 {
			continue
		}
		m := &x.facts[s.slot].memory
		s.score += x.weights.RuleStep * stepOf(*m)
		if m.RestsOnUser() {
			s.score += x.weights.RuleUser
		}
		if named > 1 {
			s.score *= severalTypes
		}
		found = append(found, s)
	}
	slices.SortFunc(found, x.compare)
	return found[:min(len(found), x.weights.Rules)]
}

// File is the facts with a cue that names a file, the most important and then the newest
// first: "export.go" names any file of that name, "pkg/export.go" one in that folder. For
// a new file a cue may also name its folder.
func (x *Index) File(file string, isNew bool, limit int) []Hit {
	file = path.Clean(strings.ToLower(strings.ReplaceAll(file, `\`, "/")))
	marks := []mark{{false, path.Base(file)}}
	if isNew {
		for folder := range strings.SplitSeq(path.Dir(file), "/") {
			marks = append(marks, mark{false, folder})
		}
	}
	return x.marked(marks, limit, func(f *fact) bool {
		return slices.ContainsFunc(f.files, func(cue string) bool {
			return file == cue || strings.HasSuffix(file, "/"+cue) || isNew && strings.Contains("/"+path.Dir(file)+"/", "/"+cue+"/")
		})
	})
}

// Commands is the facts with a cue that is one of some commands, which are cores as
// shell.Core makes them.
func (x *Index) Commands(cores []string, limit int) []Hit {
	marks := make([]mark, len(cores))
	for i, core := range cores {
		marks[i] = mark{true, core}
	}
	return x.marked(marks, limit, func(*fact) bool { return true })
}

// marked is the facts with one of some marks that fit, the most important and then the newest
// first.
func (x *Index) marked(marks []mark, limit int, fits func(f *fact) bool) []Hit {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var hits []Hit
	seen := map[uint32]bool{}
	for _, one := range marks {
		for _, slot := range x.marks[one] {
			if f := &x.facts[slot]; !seen[slot] && fits(f) {
				hits = append(hits, Hit{Memory: f.memory, Score: f.memory.Importance, Fits: true})
			}
			seen[slot] = true
		}
	}
	slices.SortFunc(hits, newestFirst)
	return hits[:min(limit, len(hits))]
}

func newestFirst(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), b.Memory.LastSeenAt.Compare(a.Memory.LastSeenAt), strings.Compare(a.Memory.ID, b.Memory.ID))
}
