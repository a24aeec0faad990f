package distill

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The bounds of an answer: an answer beyond them ignores the question. In bytes, but for
// a fact and a cue, which are in characters.
const (
	maxField   = 300
	maxFact    = 240
	leastFact  = 12
	leastQuote = 12
	mostQuotes = 3
	mostEnds   = 8
	maxAnswer  = 64 << 10
)

// answer is the JSON that a model writes.
type answer struct {
	Summary summary `json:"summary"`
	Facts   []fact  `json:"facts"`
}

type summary struct {
	Request      string `json:"request"`
	Investigated string `json:"investigated"`
	Learned      string `json:"learned"`
	Completed    string `json:"completed"`
	NextSteps    string `json:"next_steps"`
}

type fact struct {
	Text       string   `json:"text"`
	Title      string   `json:"title"`
	Area       string   `json:"area"`
	Kind       string   `json:"kind"`
	Quotes     []string `json:"quotes"`
	Cues       []string `json:"cues"`
	Importance int      `json:"importance"`
	Everywhere bool     `json:"everywhere"`
	About      string   `json:"about"`
	Relation   string   `json:"relation"`
	Ends       []string `json:"ends"`
}

// kinds are the names of kinds in an answer.
var kinds = map[string]memory.Kind{
	"convention": memory.KindConvention, "decision": memory.KindDecision, "correction": memory.KindCorrection,
	"preference": memory.KindPreference, "finding": memory.KindDiscovery, "note": memory.KindNote,
	"fix": memory.KindFix, "todo": memory.KindTodo,
}

// Checked is the part of an answer that can be kept.
type Checked struct {
	Digest memory.Digest
	Facts  []memory.DistilledFact
	// Dropped names each dropped thing with the reason.
	Dropped []string
}

// Check reads the answer to a part's question, and drops unfit facts. ErrAnswer if
// nothing can be made of it at all.
func (p Part) Check(text []byte, facts int) (Checked, error) {
	got, err := decode(text)
	if err != nil {
		return Checked{}, err
	}
	var c Checked
	c.Digest = c.digest(got.Summary)
	for i, f := range got.Facts {
		kept, why := p.check(f)
		switch {
		case why == "" && len(c.Facts) >= facts:
			why = fmt.Sprintf("there are %d before it, which is the most", facts)
		case why == "" && slices.ContainsFunc(c.Facts, func(other memory.DistilledFact) bool { return other.Text == kept.Text }):
			why = "it stands there twice"
		}
		if why != "" {
			c.drop("fact %d (%.60q): %s", i+1, f.Text, why)
			continue
		}
		if kept.Ends = p.ended(f, kept.About); len(kept.Ends) > mostEnds {
			c.drop("superseded by fact %d (%.60q): %d standing facts, the most is %d", i+1, f.Text, len(kept.Ends), mostEnds)
			kept.Ends = nil
		}
		c.Facts = append(c.Facts, kept)
	}
	if c.Digest.IsZero() && len(c.Facts) == 0 && len(got.Facts) > 0 {
		return c, fmt.Errorf("%w: nothing of it can be kept: %s", ErrAnswer, strings.Join(c.Dropped, "; "))
	}
	return c, nil
}

// CheckWhole reads the answer to the question of a whole session.
func CheckWhole(text []byte) (Checked, error) {
	got, err := decode(text)
	if err != nil {
		return Checked{}, err
	}
	var c Checked
	c.Digest = c.digest(got.Summary)
	if c.Digest.IsZero() {
		return c, fmt.Errorf("%w: its summary is empty", ErrAnswer)
	}
	return c, nil
}

// decode reads an answer, also one that stands in a fence.
func decode(text []byte) (answer, error) {
	var got answer
	switch {
	case len(text) > maxAnswer:
		return got, fmt.Errorf("%w: it has %d bytes, the most is %d", ErrAnswer, len(text), maxAnswer)
	case !utf8.Valid(text):
		return got, fmt.Errorf("%w: it is no text", ErrAnswer)
	}
	text = bytes.TrimSpace(text)
	if fenced, is := bytes.CutPrefix(text, []byte("```json")); is {
		text = bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(fenced), []byte("```")))
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&got); err != nil {
		return got, fmt.Errorf("%w: it is not the JSON that was asked for: %w (it begins %.80q)", ErrAnswer, err, text)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return got, fmt.Errorf("%w: something follows its JSON", ErrAnswer)
	}
	return got, nil
}

func (c *Checked) drop(format string, values ...any) {
	c.Dropped = append(c.Dropped, fmt.Sprintf(format, values...))
}

func (c *Checked) digest(s summary) memory.Digest {
	field := func(name, text string) string {
		text = memory.OneLine(text)
		if len(text) > maxField {
			c.drop("the end of %s: it has %d bytes, the most is %d", name, len(text), maxField)
		}
		return memory.CutOnce(text, maxField)
	}
	d := memory.Digest{
		Request: field("request", s.Request), Investigated: field("investigated", s.Investigated),
		Learned:   field("learned", s.Learned),
		Completed: field("completed", s.Completed), NextSteps: field("next_steps", s.NextSteps),
	}
	if !d.IsZero() {
		d.Source = memory.SourceAssistant
	}
	return d
}

// check returns the part of a fact that can be kept, or why there is none.
func (p Part) check(f fact) (kept memory.DistilledFact, why string) {
	kept.Text = memory.OneLine(f.Text)
	kind, known := kinds[f.Kind]
	switch {
	case len(kept.Text) < leastFact:
		return kept, "it has no text"
	case utf8.RuneCountInString(kept.Text) > maxFact:
		return kept, fmt.Sprintf("it has %d characters, the most is %d", utf8.RuneCountInString(kept.Text), maxFact)
	case !known:
		return kept, fmt.Sprintf("%q is no kind of fact", f.Kind)
	}
	kept.Called = kind
	kept.Everywhere, kept.Weight = f.Everywhere, min(max(f.Importance, 1), 3)
	if f.Importance == 0 {
		kept.Weight = 2 // the model gave none
	}
	for _, quote := range f.Quotes {
		quote = memory.OneLine(quote)
		at, byUser := p.find(quote)
		if at < 0 || len(kept.Quotes) == mostQuotes {
			continue
		}
		kept.Quotes = append(kept.Quotes, quote)
		kept.At = later(kept.At, p.Sources[at].At)
		for _, id := range p.Sources[at].Memories {
			if !slices.Contains(kept.From, id) {
				kept.From = append(kept.From, id)
			}
		}
		kept.ByUser = kept.ByUser || byUser
	}
	kept.Title, kept.Area, kept.Cues = memory.FactTitle(f.Title, f.Text), memory.AreaOf(f.Area), memory.FactCues(f.Cues)
	if kept.Kind = kind; kind.IsRule() && !kept.ByUser { // only people make rules
		kept.Kind = memory.KindDiscovery
	}
	if len(kept.Quotes) == 0 {
		return kept, "it quotes no words that are in the record"
	}
	return kept, p.relate(&kept, f)
}

// find returns the source that has a quote, -1 for none, and whether the words are the user's.
func (p Part) find(quote string) (at int, byUser bool) {
	if len(quote) < leastQuote {
		return -1, false
	}
	found := -1
	for i, s := range p.Sources {
		if contains(s.User, quote) {
			return i, true
		}
		if found < 0 && (contains(s.Assistant, quote) || contains(s.Plan, quote) ||
			slices.ContainsFunc(s.Failures, func(failure string) bool { return contains(failure, quote) })) {
			found = i
		}
	}
	return found, false
}

// relate notes which standing fact a fact is about. One that names no such fact stands
// by itself.
func (p Part) relate(kept *memory.DistilledFact, f fact) (why string) {
	relation := memory.Relation(f.Relation)
	if f.About == "" && f.Relation == "" {
		return ""
	}
	if relation != memory.RelationConfirms && relation != memory.RelationCorrects && relation != memory.RelationSupersedes {
		return fmt.Sprintf("%q is no relation to a standing fact", f.Relation)
	}
	for _, line := range p.Standing {
		if line.isNamed(f.About) {
			kept.About, kept.Relation = line.ID, relation
			return ""
		}
	}
	return fmt.Sprintf("it %s %.40q, which was not shown", relation, f.About)
}

// ended are the other standing lines that a fact supersedes. Lines that were not shown are left out: the fact
// holds without them.
func (p Part) ended(f fact, about string) []string {
	var ids []string
	for _, line := range p.Standing {
		if line.ID != about && slices.ContainsFunc(f.Ends, line.isNamed) {
			ids = append(ids, line.ID)
		}
	}
	return ids
}

// Take notes the answer of a part.
func (p *Part) Take(c Checked) { p.Summary, p.Done = summaryText(c.Digest), true }
