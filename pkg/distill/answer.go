package distill

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/knowledge"
)

// The limits of an answer. A model that exceeds them has ignored the question. maxFact is in characters; the other
// limits of texts are in bytes.
const (
	maxField        = 300
	maxFact         = 360 // more than the question allows, so that a slightly longer fact is kept
	minFact         = 12
	minQuote        = 12
	maxQuotes       = 3
	maxEnds         = 8
	maxEndsByOthers = 3 // memories that one answer may declare outdated by words that are not the user's own
	maxAnswer       = 64 << 10
)

// answer is the JSON that a model writes.
type answer struct {
	Summary memory.Digest
	Facts   []fact
	Ended   []ending
}

type fact struct {
	Text       string
	Title      string
	Area       string
	Kind       string
	Quotes     []string
	Cues       []string
	Importance int
	Everywhere bool
	About      string
	Relation   string
	Ends       []string
}

// ending is a model's claim that a standing memory no longer holds, with the words that show it.
type ending struct{ Line, Quote string }

var kinds = map[string]memory.Kind{
	"convention": memory.KindConvention, "decision": memory.KindDecision, "correction": memory.KindCorrection,
	"preference": memory.KindPreference, "finding": memory.KindDiscovery, "note": memory.KindNote,
	"fix": memory.KindFix, "todo": memory.KindTodo,
}

// Checked is the part of an answer that can be kept.
type Checked struct {
	Digest memory.Digest
	Facts  []memory.DistilledFact
	Ended  []Ended
	// Dropped has one message for each dropped part, with the reason.
	Dropped []string
}

// Ended is a memory that no longer holds, with the words of the record that show it and their time.
type Ended struct {
	Memory, Quote string
	At            time.Time
	OwnWords      bool // see memory.DistilledFact
}

// Check parses the answer to a part's question. It drops unfit facts, and keeps at most the given number of
// facts. It returns ErrAnswer if nothing can be kept.
func (p Part) Check(text []byte, facts int) (Checked, error) {
	var c Checked
	got, err := c.decode(text)
	if err != nil {
		return Checked{}, err
	}
	c.Digest = c.digest(got.Summary, p.gone)
	for i, f := range got.Facts {
		note := func(field, format string, values ...any) {
			c.drop("%s of fact %d (%.60q): %s", field, i+1, f.Text, fmt.Sprintf(format, values...))
		}
		kept, why := p.check(f, note)
		switch {
		case why == "" && len(c.Facts) >= facts:
			why = fmt.Sprintf("there are %d before it, at most %d are kept", facts, facts)
		case why == "" && slices.ContainsFunc(c.Facts, func(other memory.DistilledFact) bool { return other.Text == kept.Text }):
			why = "it is there twice"
		}
		if why != "" {
			c.drop("fact %d (%.60q): %s", i+1, f.Text, why)
			continue
		}
		c.Facts = append(c.Facts, kept)
	}
	p.checkEnded(&c, got.Ended)
	p.limitEndings(&c)
	if c.Digest.IsZero() && len(c.Facts) == 0 && len(got.Facts) > 0 {
		return c, fmt.Errorf("%w: no part of it can be kept: %s", ErrAnswer, strings.Join(c.Dropped, "; "))
	}
	return c, nil
}

// checkEnded keeps each claim that a todo is done, if the todo was shown and the claim quotes the record. Of more
// than maxEnds claims it keeps none, because a text in the record may have told the model to end everything.
func (p Part) checkEnded(c *Checked, all []ending) {
	if len(all) > maxEnds {
		c.drop("the ended lines: there are %d, the most is %d", len(all), maxEnds)
		return
	}
	for _, e := range all {
		line, shown := p.line(e.Line)
		quote := memory.OneLine(e.Quote)
		at, _ := p.find(quote)
		switch {
		case !shown:
			c.drop("the ended line %.40q: it was not shown", e.Line)
		case !line.Open:
			c.drop("the ended line %s: it is not work to do, so only a fact can replace it", memory.ShortID(line.ID))
		case at < 0:
			c.drop("the ended line %s: it quotes no words that are in the record", memory.ShortID(line.ID))
		default:
			c.Ended = append(c.Ended, Ended{Memory: line.ID, Quote: quote, At: p.Sources[at].At, OwnWords: p.isOwn(at, quote)})
		}
	}
}

// limitEndings limits how many memories an answer declares outdated by words that are not the user's: otherwise one
// text in the record could end all memories.
func (p Part) limitEndings(c *Checked) {
	left := maxEndsByOthers
	for i := range c.Facts {
		f := &c.Facts[i]
		if !slices.ContainsFunc(f.Quotes, func(quote string) bool { at, _ := p.find(quote); return at < 0 || !p.isOwn(at, quote) }) {
			continue
		}
		if ends := f.Relation == memory.RelationCorrects || f.Relation == memory.RelationSupersedes; ends && left == 0 {
			f.About, f.Relation = "", ""
			c.drop("the field about of a fact (%.60q): because of words that are not the user's an answer may end at most %d memories", f.Text, maxEndsByOthers)
		} else if ends {
			left--
		}
		if len(f.Ends) > left {
			c.drop("%d ids in the field ends of a fact (%.60q): because of words that are not the user's an answer may end at most %d memories",
				len(f.Ends)-left, f.Text, maxEndsByOthers)
			f.Ends = f.Ends[:left]
		}
		left -= len(f.Ends)
	}
	c.Ended = slices.DeleteFunc(c.Ended, func(e Ended) bool {
		if !e.OwnWords {
			left--
		}
		if !e.OwnWords && left < 0 {
			c.drop("the ended line %s: because of words that are not the user's an answer may end at most %d memories", memory.ShortID(e.Memory), maxEndsByOthers)
		}
		return !e.OwnWords && left < 0
	})
}

// line returns the standing line whose id an answer names, if it was shown.
func (p Part) line(id string) (Line, bool) {
	at := slices.IndexFunc(p.Standing, func(l Line) bool { return l.isNamed(id) })
	if at < 0 {
		return Line{}, false
	}
	return p.Standing[at], true
}

// decode parses an answer, with or without a code fence. A field of a wrong type is left out.
func (c *Checked) decode(text []byte) (got answer, err error) {
	switch {
	case len(text) > maxAnswer:
		return got, fmt.Errorf("%w: it has %d bytes, at most %d are allowed", ErrAnswer, len(text), maxAnswer)
	case !utf8.Valid(text):
		return got, fmt.Errorf("%w: it is not UTF-8", ErrAnswer)
	}
	text = bytes.TrimSpace(text)
	if fenced, is := bytes.CutPrefix(text, []byte("```json")); is {
		text = bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(fenced), []byte("```")))
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	err = decoder.Decode(&got)
	if wrong, is := errors.AsType[*json.UnmarshalTypeError](err); is && wrong.Field != "" { // the other fields are decoded
		c.drop("%s: it does not have the form that the question asks for", strings.ToLower(wrong.Field))
		err = nil
	}
	if err == nil && got.Summary.IsZero() && got.Facts == nil && got.Ended == nil {
		err = errors.New("it has none of the expected fields")
	}
	if err != nil {
		return got, fmt.Errorf("%w: it is not the JSON that the question asks for: %w (it begins %.80q)", ErrAnswer, err, text)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return got, fmt.Errorf("%w: there is more text after its JSON", ErrAnswer)
	}
	return got, nil
}

func (c *Checked) drop(format string, values ...any) {
	c.Dropped = append(c.Dropped, fmt.Sprintf(format, values...))
}

// digest returns the summary without what was rejected.
func (c *Checked) digest(s memory.Digest, gone rejected) memory.Digest {
	field := func(name, text string) string {
		text = gone.repeated(memory.OneLine(text))
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

// check returns what can be kept of a fact, or the reason why nothing can. It calls note for each field that is dropped.
func (p Part) check(f fact, note func(field, format string, values ...any)) (kept memory.DistilledFact, why string) {
	if kept.Text = memory.OneLine(f.Text); len(kept.Text) < minFact {
		return kept, "it has no text"
	}
	if n := utf8.RuneCountInString(kept.Text); n > maxFact {
		kept.Text = shorten(kept.Text)
		note("the end", "it has %d characters, the most is %d", n, maxFact)
	}
	kind, known := kinds[f.Kind]
	if !known {
		kind = memory.KindNote
		note("kind", "%q is not a kind", f.Kind)
	}
	kept.Called = kind
	kept.Everywhere, kept.Weight = f.Everywhere, min(max(f.Importance, 1), 3)
	if f.Importance == 0 {
		kept.Weight = 2 // the model gave no importance
	}
	for _, quote := range f.Quotes {
		quote = memory.OneLine(quote)
		at, byUser := p.find(quote)
		if at < 0 && p.gone.repeated(kept.Text) == "" {
			return kept, "it says what was archived or edited since"
		}
		if at < 0 || len(kept.Quotes) == maxQuotes {
			continue
		}
		kept.Quotes = append(kept.Quotes, quote)
		if source := p.Sources[at]; source.At.After(kept.At) {
			kept.At = source.At
		}
		kept.From = memory.AddNew(kept.From, p.Sources[at].Memories...)
		kept.ByUser = kept.ByUser || byUser
		isRepeat := f.Relation == string(memory.RelationRepeats) // a question can repeat a rule, but says nothing new
		kept.OwnWords = kept.OwnWords || p.isOwn(at, quote) && (isRepeat || !knowledge.Asks(p.Sources[at].Written, quote))
	}
	kept.Title, kept.Area, kept.Cues = memory.FactTitle(f.Title, kept.Text), memory.AreaOf(f.Area), memory.FactCues(f.Cues)
	if kept.Kind = kind; kind.IsRule() && !kept.ByUser { // only people make rules
		kept.Kind = memory.KindDiscovery
	}
	if len(kept.Quotes) == 0 {
		return kept, "it quotes no words that are in the record"
	}
	p.relate(&kept, f, note)
	return kept, ""
}

// shorten cuts a text to maxFact characters, after its last sentence or else its last word.
func shorten(text string) string {
	text = string([]rune(text)[:maxFact-1])
	if end := strings.LastIndex(text, ". "); 2*end >= len(text) {
		return text[:end+1]
	}
	if end := strings.LastIndexByte(text, ' '); 2*end >= len(text) {
		text = text[:end]
	}
	return text + "…"
}

// find returns the index of the source that contains a quote, or -1, and whether the user said it.
func (p Part) find(quote string) (at int, byUser bool) {
	if len(quote) < minQuote {
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

// isOwn reports whether a quote in a source consists of the user's own words.
func (p Part) isOwn(at int, quote string) bool { return knowledge.Quotes(p.Sources[at].Written, quote) }

// relate sets the standing memories that a fact relates to. Invalid relations are dropped.
func (p Part) relate(kept *memory.DistilledFact, f fact, note func(field, format string, values ...any)) {
	line, shown := p.line(f.About)
	switch relation := memory.Relation(f.Relation); {
	case f.About == "" && f.Relation == "":
	case !slices.Contains([]memory.Relation{memory.RelationConfirms, memory.RelationCorrects, memory.RelationSupersedes, memory.RelationRepeats}, relation):
		note("relation", "%.20q is not a relation", f.Relation)
	case f.About == "" || !shown:
		note("about", "%.40q was not shown", f.About)
	case relation == memory.RelationRepeats && !kept.OwnWords: // only the user's own words can repeat a memory
		kept.About, kept.Relation = line.ID, memory.RelationConfirms
	default:
		kept.About, kept.Relation = line.ID, relation
	}
	says := f.Text + " " + strings.Join(kept.Quotes, " ")
	for _, line := range p.Standing { // ids of other memories are ignored
		switch {
		case line.ID == kept.About || !slices.ContainsFunc(f.Ends, line.isNamed):
		case line.Own != "" && !line.Open && !knowledge.SharesWord(line.Own, says): // a fact must not end what the user said about something else
			note("ends", "%s has the user's words, and shares none with it", memory.ShortID(line.ID))
		default:
			kept.Ends = append(kept.Ends, line.ID)
		}
	}
	if len(kept.Ends) > maxEnds {
		note("ends", "there are %d, the most is %d", len(kept.Ends), maxEnds)
		kept.Ends = nil
	}
}
