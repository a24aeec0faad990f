package facts

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/prompt"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/worktype"
)

// Prompt is the facts that a prompt is told, the best first; none for most prompts. A
// task for a subagent replies to nothing.
func (x *Index) Prompt(text string, isTask bool, limit int) []Hit {
	x.mu.RLock()
	defer x.mu.RUnlock()
	q := x.ask(text)
	ranked := x.rank(q)
	isReply := !isTask && prompt.IsReply(text)
	var told []candidate
	if x.best(ranked, q, isReply).exceeds(x.least(text)) {
		told = slices.Clip(x.nearBest(ranked))
	}
	if !isReply || prompt.Assents(text) {
		for _, s := range x.rules(ranked, worktype.Asked(text)) {
			if !slices.ContainsFunc(told, func(one candidate) bool { return one.slot == s.slot }) {
				told = append(told, s)
			}
		}
	}
	return x.hits(told[:min(limit, len(told))])
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
	return x.hits(best[:min(limit, len(best))]), x.best(ranked, q, false).exceeds(x.least(text))
}

// fit is how well a fact fits a text, or how well it has to.
type fit struct{ score, overlap float64 }

// least is the fit that the best fact must exceed for a text to be told something. A
// question needs many of its words in the fact, common ones too: the score alone is high
// where one rare word stands in it. In a long request no number of common words says much.
func (x *Index) least(text string) fit {
	if asks(text) {
		return fit{x.weights.Question, x.weights.Overlap}
	}
	return fit{x.weights.Work, 0}
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

// longestQuestion is the length in bytes up to which a text may lead to its question.
const longestQuestion = 300

// asks says whether a text is a question, or a short one that ends in one: "I saved it on
// a branch. On what will it be based?"
func asks(text string) bool {
	text = strings.TrimSpace(text)
	if prompt.IsQuestion(text) || len(text) > longestQuestion {
		return prompt.IsQuestion(text)
	}
	last := strings.LastIndexAny(strings.TrimRight(text, "?"), ".!?:\n")
	return prompt.IsQuestion(text[last+1:])
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
	return x.where(limit, func(f *fact) bool {
		return slices.ContainsFunc(f.files, func(cue string) bool {
			cue = strings.Trim(cue, "/")
			return file == cue || strings.HasSuffix(file, "/"+cue) || isNew && strings.Contains("/"+path.Dir(file)+"/", "/"+cue+"/")
		})
	})
}

// Command is the facts with a cue that is a command which is run.
func (x *Index) Command(runs func(cue string) bool, limit int) []Hit {
	return x.where(limit, func(f *fact) bool { return slices.ContainsFunc(f.memory.Cues, runs) })
}

func (x *Index) where(limit int, is func(f *fact) bool) []Hit {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var hits []Hit
	for _, slot := range x.slots {
		if f := &x.facts[slot]; is(f) {
			hits = append(hits, Hit{f.memory, f.memory.Importance})
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int { return newestFirst(a, b) })
	return hits[:min(limit, len(hits))]
}

func newestFirst(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), b.Memory.LastSeenAt.Compare(a.Memory.LastSeenAt), strings.Compare(a.Memory.ID, b.Memory.ID))
}
