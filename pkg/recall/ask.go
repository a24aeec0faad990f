package recall

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/prompt"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/timeexpr"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/worktype"
)

// Near is a memory whose embedding is near the query's.
type Near struct {
	ID string
	// Share is the nearness from 0 (at the threshold) to 1 (the same). It does not
	// depend on the range of a model's cosines.
	Share float64
}

// Query describes the memories to find. At least one of Text, Files, Command and
// Signature must be set, or nothing is found.
type Query struct {
	Text string
	Now  time.Time // the time that "yesterday" is relative to
	// Files, Command and Signature are the files, the command and the error that the
	// model is about to meet, or has just met, in the form of Entry's fields.
	Files     []string
	Command   string
	Chain     []string // the commands that it chains, if it has several
	Signature string
	// NewFiles says that Files are about to be created: memories about their folder
	// count as about them.
	NewFiles bool
	Kinds    []memory.Kind // only these; all if empty
	Near     []Near        // memories found by embedding, the best first; ranked together with those found by words
	Limit    int           // 0 means 10
	// Unasked says that the query is automatic, of a file or a command. It is answered only
	// by an exact match.
	Unasked bool
	// Task says that Text is an assistant's task for a subagent: it was not typed, and it
	// replies to no message.
	Task    bool
	Explain bool // fill Hit.Why
}

// Runs says whether the query is about a command, alone or in a chain.
func (q Query) Runs(command string) bool {
	return command != "" && (command == q.Command || slices.Contains(q.Chain, command))
}

// DefaultLimit is the number of hits if a query sets no limit.
const DefaultLimit = 10

// Hit is a memory found. Scores compare hits of one query only.
type Hit struct {
	Memory memory.Memory `json:"memory"`
	Score  float64       `json:"score"`
	Why    []Part        `json:"why,omitempty"`
	// Share is how much of the query's topic the memory has in words of its own, 0 to 1, a rare word counting for more.
	// A path, command or day that the query names counts as all of it.
	Share float64 `json:"-"`
}

// Reason writes the parts of the score as a sum times the factors; empty where they were not
// asked for.
func (h Hit) Reason() string {
	if len(h.Why) == 0 {
		return ""
	}
	var sum, factors []string
	for _, part := range h.Why {
		text := fmt.Sprintf("%s %.2f", part.Name, part.Value)
		if strings.HasPrefix(part.Name, "x ") {
			factors = append(factors, text)
		} else {
			sum = append(sum, text)
		}
	}
	return strings.Join(append([]string{fmt.Sprintf("%.2f = (%s)", h.Score, strings.Join(sum, " + "))}, factors...), " ")
}

// SynonymShare is the Share of a memory that has synonyms of the query's topic words, and none of these.
const SynonymShare = 0.01

// Part is one part of a score. Parts named "x ..." multiply the sum of the others.
type Part struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// parsedQuery is a query as the terms and dates to look up.
type parsedQuery struct {
	terms   []askedTerm
	spans   []daySpan
	when    bool // asks for a time
	howMany bool // asks for a number
	// question says that the text asks for an answer and not for work.
	question bool
}

// daySpan is a time span in seconds of Unix time, to not included.
type daySpan struct{ from, to int64 }

// askedTerm is a term of a query. A word counts towards the coverage of the query; a
// term kept whole or a mark counts in addition.
type askedTerm struct {
	text   string
	weight float64
	word   bool
	topic  bool // a word that names the topic of the query
	mark   bool // matched as a whole
	label  bool // the label of a memory
	// evidence is how strongly a shared term shows that a memory is about the query: 1
	// for a topic word and for a path or identifier kept whole; the words of a path or
	// identifier share 1.
	evidence float64
	strong   bool // sufficient for an answer
}

const (
	maxQueryBytes = 8 << 10
	maxQueryTerms = 256

	// Weights of the words of a command and of an error relative to those of the text.
	commandShare   = 0.5
	signatureShare = 0.7
)

func ask(q Query, w *Weights) parsedQuery {
	var a parsedQuery
	text := memory.Cut(q.Text, maxQueryBytes)
	a.when, a.howMany, a.question = form(text)
	names := namesIn(text)
	if !q.Now.IsZero() {
		found := timeexpr.Find(text, q.Now)
		for _, m := range found {
			a.spans = append(a.spans, daySpan{m.Span.From.Unix(), m.Span.To.Unix()})
		}
		text = timeexpr.WithoutRelative(text, found)
	}
	a.addText(text, 1, w)
	a.addText(q.Command, commandShare, w)
	a.addText(q.Signature, signatureShare, w)
	for _, file := range q.Files {
		if q.NewFiles {
			for i, mark := range folderMarks(file) {
				a.addMark(mark, w, i == 0)
			}
		}
		a.addMarks(fileMarks(file), w)
		for _, t := range english.Tokenize(file) {
			if t.Whole {
				a.add(askedTerm{text: t.Term, weight: 1, strong: true})
			}
		}
	}
	for _, command := range append([]string{q.Command}, q.Chain...) {
		a.addMarks(commandMarks(command), w)
	}
	a.addMarks(signatureMarks(q.Signature), w)
	for _, name := range names {
		a.add(askedTerm{text: labelPrefix + name, weight: w.Label, label: true, mark: true})
	}
	return a
}

func (a *parsedQuery) addText(text string, share float64, w *Weights) {
	for i, t := range english.Tokenize(text) {
		weight := share
		frames := english.FramesQuestion(t.Term) || i == 0 && english.OpensPrompt(t.Term)
		if frames {
			weight *= w.Frame
		}
		term := askedTerm{text: t.Term, weight: weight, word: !t.Whole, topic: !t.Whole && len(t.Term) > 1 && !frames}
		if t.Whole || term.topic {
			term.evidence = t.Share
		}
		a.add(term)
		if t.Whole && strings.ContainsAny(t.Term, "./") {
			a.addMarks(fileMarks(t.Term)[:2], w) // a path or file name in the text
			if strings.Contains(t.Term, "/") {
				a.add(askedTerm{text: pathPrefix + path.Clean(t.Term), evidence: 1})
			}
		}
	}
}

func (a *parsedQuery) addMarks(marks []string, w *Weights) {
	for _, mark := range marks {
		a.addMark(mark, w, false)
	}
}

// addMark adds a mark; strong says that it suffices for an answer though its kind does not.
func (a *parsedQuery) addMark(mark string, w *Weights, strong bool) {
	weight, suffices := w.ofMark(mark)
	a.add(askedTerm{text: mark, weight: weight, mark: true, strong: strong || suffices})
}

// add adds a term once, with the highest weight given.
func (a *parsedQuery) add(t askedTerm) {
	for i := range a.terms {
		if a.terms[i].text == t.text {
			a.terms[i].weight = max(a.terms[i].weight, t.weight)
			a.terms[i].word = a.terms[i].word || t.word
			a.terms[i].evidence = max(a.terms[i].evidence, t.evidence)
			return
		}
	}
	if len(a.terms) < maxQueryTerms {
		a.terms = append(a.terms, t)
	}
}

// The phrases by which a question asks for a time, or for a number.
var (
	asksWhen = []string{" when ", " what date ", " what day ", " which day ", " what time ", " which month ", " what year ", " which year ", " how long ago "}
	asksMany = []string{" how many ", " how much ", " how long ", " how old ", " how often "}
)

// form finds out from the words of a query which form an answer must have.
func form(text string) (when, howMany, question bool) {
	lower := " " + strings.ToLower(text) + " "
	has := func(phrase string) bool { return strings.Contains(lower, phrase) }
	return slices.ContainsFunc(asksWhen, has), slices.ContainsFunc(asksMany, has), prompt.IsQuestion(text)
}

// namesIn are the stems of the words that start with a capital without starting a sentence.
func namesIn(text string) []string {
	var names []string
	initial := true
	for _, word := range strings.Fields(text) {
		if first, _ := utf8.DecodeRuneInString(word); !initial && unicode.IsUpper(first) {
			for _, t := range english.Tokenize(word) {
				names = append(names, t.Term)
			}
		}
		initial = strings.ContainsAny(word[len(word)-1:], ".?!:")
	}
	return names
}

// maxDetailBytes is the part of a memory's detail that is searched.
const maxDetailBytes = 1000

// Marks are terms that are matched as a whole and only by a file, command or signature.
// They begin with one of these; no text contains a NUL byte as part of a word.
const (
	pathPrefix      = "\x00path:"
	namePrefix      = "\x00name:"
	dirPrefix       = "\x00dir:"
	extPrefix       = "\x00ext:"
	commandPrefix   = "\x00command:"
	programPrefix   = "\x00program:"
	signaturePrefix = "\x00signature:"
	labelPrefix     = "\x00label:"
	workPrefix      = "\x00work:"
)

// ofMark is the weight of a mark by its kind, and whether it is sufficient for an answer
// alone.
func (w *Weights) ofMark(mark string) (weight float64, suffices bool) {
	kind, _, _ := strings.Cut(mark, ":")
	switch kind + ":" {
	case pathPrefix:
		return w.Path, true
	case namePrefix:
		return w.Name, true
	case dirPrefix:
		return w.Dir, false
	case extPrefix:
		return w.Ext, false
	case commandPrefix:
		return w.Command, true
	case programPrefix:
		return w.Program, false
	default:
		return w.Signature, true
	}
}

// cleanPath is a path as marks have it.
func cleanPath(file string) string {
	return path.Clean(strings.ToLower(strings.ReplaceAll(file, `\`, "/")))
}

func fileMarks(file string) []string {
	if file == "" {
		return nil
	}
	file = cleanPath(file)
	name := path.Base(file)
	marks := []string{pathPrefix + file, namePrefix + name}
	if dir := path.Dir(file); dir != "." && dir != "/" {
		marks = append(marks, dirPrefix+dir)
	}
	if ext := path.Ext(name); ext != "" {
		marks = append(marks, extPrefix+ext)
	}
	return marks
}

// folderMarks are the folder of a file, and it and its named parent folders as paths.
func folderMarks(file string) []string {
	folder := path.Dir(cleanPath(file))
	if folder == "." || folder == "/" {
		return nil
	}
	marks := []string{dirPrefix + folder}
	for ; folder != "." && folder != "/"; folder = path.Dir(folder) {
		marks = append(marks, pathPrefix+folder)
	}
	return marks
}

func commandMarks(command string) []string {
	fields := strings.Fields(command)
	if len(fields) == 0 {
		return nil
	}
	program := strings.Join(fields[:min(2, len(fields))], " ")
	return []string{commandPrefix + strings.Join(fields, " "), programPrefix + program}
}

func signatureMarks(signature string) []string {
	if signature = memory.OneLine(signature); signature == "" {
		return nil
	}
	return []string{signaturePrefix + signature}
}

// workMarks are the marks of the types of work that a memory is a rule for; none for
// memories that are no rule of the user.
func workMarks(m memory.Memory) []string {
	if !isRule(m) {
		return nil
	}
	var marks []string
	for _, p := range worktype.Named(memory.Cut(m.Content+"\n"+m.Detail, maxDetailBytes)) {
		marks = append(marks, workPrefix+string(p))
	}
	return marks
}

// isRule says whether a memory is a statement of the user that may hold again.
func isRule(m memory.Memory) bool {
	switch m.Kind {
	case memory.KindConvention, memory.KindCorrection, memory.KindPreference, memory.KindDecision, memory.KindNote:
		return m.Source == memory.SourceUser && !m.IsHearsay() && !m.IsModelWritten()
	}
	return false
}
