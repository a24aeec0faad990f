package ingest

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/defuse"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/knowledge"
)

// draft is a memory made from an event, before completed sets its other fields.
type draft struct {
	memory.Memory
	of memory.Event // event that it is made from
	// about is the text whose paths become files of the memory.
	about string
	// isExtracted is set if rules extracted it from the event's words, isRequested if a person asked to keep them.
	isExtracted, isRequested bool
	// from lists the ids of the memories that it is derived from.
	from []string
	// seen is the sighting that an import has for it; nil for none.
	seen *memory.Sighting
}

// ofMemory returns the id of a sighting of an extracted memory. It contains the memory's id, because newer rules may
// extract a different memory from the same event.
func ofMemory(event, id string) string { return event + "-" + id[:12] }

// kind describes how events of one kind are read. Its functions see only the event.
type kind struct {
	drafts func(memory.Event) []draft // nil if no memory is made of them
	// state is the new state of the event's session. It is empty for most kinds, so that a late hook cannot reopen a session.
	state memory.SessionState
	// keep returns the session event to record, and whether there is one. It is nil for a kind that has none.
	keep func(memory.Event) (memory.SessionEvent, bool)
}

var kinds = map[memory.EventKind]kind{
	memory.EventSessionStarted:   {state: memory.SessionActive},
	memory.EventSessionEnded:     {state: memory.SessionSummarising},
	memory.EventPrompt:           {drafts: prompted, state: memory.SessionActive},
	memory.EventFileChanged:      {keep: changed},
	memory.EventCommandSucceeded: {keep: succeeded},
	memory.EventCommandFailed:    {keep: failed},
	memory.EventRemembered:       {drafts: remembered},
	memory.EventAnswered:         {drafts: answered},
	memory.EventRefused:          {drafts: refused},
	memory.EventSubagentReported: {keep: reported},
	memory.EventTaskCompleted:    {keep: reported},
	memory.EventToolUsed:         {keep: used},
	memory.EventPlanAccepted:     {keep: words},
	memory.EventTurnEnded:        {keep: words},
	memory.EventCompacted:        {keep: words},
	memory.EventTurnFailed:       {keep: words},
	memory.EventNotified:         {keep: words},
	memory.EventCompacting:       {keep: words},
	memory.EventImported:         {drafts: importedMemory},
	memory.EventDistilled:        {drafts: facts, keep: distilled},
}

// prompted returns drafts of the texts that a prompt asks to keep, and of its sentences that have a word for what lasts.
func prompted(e memory.Event) []draft {
	var all []draft
	for _, d := range knowledge.Directives(e.Prompt, e.LastWords) {
		m := memory.Memory{Kind: d.Kind, Content: d.Text, Source: memory.SourceUser, Scope: memory.ScopeProject}
		if knowledge.SaysEverywhere(d.Text) { // with the same id in one project, until the transcript has told who typed it
			m.ID, m.Scope = memory.NewID(memory.ScopeUser, "", memory.Cut(memory.OneLine(d.Text), memory.MaxContent)), scopeOf(!e.Unsure)
		}
		all = append(all, draft{Memory: m, of: e, about: d.Text, isExtracted: true, isRequested: true})
	}
	// Sentences that nobody asked to keep rank lower, and fade.
	own := func(text string) draft { return said(e, memory.KindNote, text, "", text) }
	all = append(all, memory.Each(knowledge.LastingStatements(e.Prompt, e.LastWords), own)...)
	slices.SortStableFunc(all, func(x, y draft) int { return placeIn(e.Prompt, x.Content) - placeIn(e.Prompt, y.Content) })
	for i := range all {
		all[i].of.At = e.At.Add(time.Duration(i+1-len(all)) * time.Microsecond) // a later sentence gets a later time, so it wins if two disagree
	}
	return all
}

// placeIn returns where the end of a text stands in a prompt; its beginning may have been written anew.
func placeIn(prompt, text string) int {
	const end = 16 // bytes
	return strings.Index(prompt, text[max(0, len(text)-end):])
}

// scopeOf returns the scope of what the user asked to keep.
func scopeOf(everywhere bool) memory.Scope {
	if everywhere {
		return memory.ScopeUser
	}
	return memory.ScopeProject
}

// said returns a draft of words that the user typed in passing. The paths in about become the memory's files.
func said(e memory.Event, kind memory.Kind, content, detail, about string) draft {
	m := memory.Memory{
		Kind: kind, Content: content, Detail: detail, Source: memory.SourceUser, Scope: memory.ScopeProject,
		Importance: memory.SaidImportance,
	}
	return draft{Memory: m, of: e, about: about, isExtracted: true}
}

func remembered(e memory.Event) []draft {
	m := memory.Memory{
		Kind: e.RememberedKind, Content: e.Text, Detail: memory.MultilineDetail(e.Text), Tags: e.Tags, Files: e.Files,
		Source: memory.SourceAssistant,
	}
	about := e.Text
	if e.Quote != "" {
		m.Detail = strings.TrimSpace(passages([]string{e.Quote}) + "\n" + m.Detail)
	}
	switch {
	case e.ByUser:
		m.Source, m.Scope = memory.SourceUser, scopeOf(e.Everywhere)
	case e.RememberedKind != memory.KindTodo: // a fact lasts; work is open until it is done
		m.Title, m.Area, m.Cues, m.Everywhere = memory.FactTitle(e.Title, e.Text), memory.AreaOf(e.Area),
			memory.FactCues(e.Cues), e.Everywhere
		if e.Weight > 0 {
			m.Type, m.Importance = memory.TypeProcedural, memory.FactImportance(e.Weight)
		}
		about += " " + strings.Join(m.Cues, " ")
	}
	return []draft{{of: e, about: about, isRequested: e.ByUser, Memory: m}}
}

// maxAsked is the number of bytes of a question or a refused call that a memory repeats. Its detail has more.
const maxAsked = 300

// answered returns a decision: the user's answer to a question that the assistant asked by a tool. The question, and
// words of the answer that the question offered, are in quotation marks, because the assistant wrote them.
func answered(e memory.Event) []draft {
	if !knowledge.IsDecision(e.Text) {
		return nil
	}
	entered := e.Text
	if !e.ByUser {
		entered = "answered " + defuse.Quote(e.Text)
	}
	detail := strings.TrimSpace(e.LastWords + "\n" + e.Output)
	return []draft{said(e, memory.KindDecision, inDialog(entered, "asked",
		memory.Cut(memory.OneLine(e.LastWords), maxAsked)), detail, e.Text)}
}

// refused returns a correction: the words with which the user refused a tool call or a plan. It returns none if they
// are a question or have fewer than fewestWords words.
func refused(e memory.Event) []draft {
	if !knowledge.IsDecision(e.Text) || len(strings.Fields(e.Text)) < fewestWords || strings.HasSuffix(strings.TrimSpace(e.Text), "?") {
		return nil
	}
	call := e.Tool
	switch {
	case e.File != "":
		call += " of " + e.File
	case e.Command+e.LastWords != "":
		call = memory.Cut(memory.OneLine(cmp.Or(e.Command, e.LastWords)), maxSnippet)
	}
	d := said(e, memory.KindCorrection, inDialog(e.Text, "refused", call), e.LastWords, e.Text)
	d.Files = notEmpty(e.File)
	return []draft{d}
}

// fewestWords is the minimum number of words in a refusal that says what to do instead.
const fewestWords = 4

// inDialog returns the user's text in a dialog, followed by the dialog's subject in quotation marks.
func inDialog(entered, about, text string) string {
	return defuse.Unquoted(entered) + " (" + about + ": " + defuse.Quote(text) + ")"
}

// facts returns the facts that a model found in a session, derived from the memories that contain their quotes. It
// leaves out a fact that restates a memory; see Confirmed.
func facts(e memory.Event) []draft {
	var all []draft
	for _, f := range e.Distilled.Facts {
		if f.Restates() {
			continue
		}
		named := notEmpty(memory.TagModel)
		if f.ByUser {
			named = append(named, memory.TagUsersWords)
		}
		if f.Called != f.Kind {
			named = append(named, notEmpty(string(f.Called))...)
		}
		e.At = f.At
		all = append(all, draft{
			of: e, about: f.Text + " " + strings.Join(f.Cues, " "), isExtracted: true,
			from: notEmpty(append(slices.Clone(f.From), f.About)...), Memory: memory.Memory{
				Kind: f.Kind, Content: f.Text, Detail: passages(f.Quotes), Tags: named,
				Title: cmp.Or(f.Title, memory.TitleOf(f.Text)), Area: f.Area, Cues: f.Cues,
				Everywhere: f.Everywhere, Source: memory.SourceAssistant,
				Scope: memory.ScopeProject, Type: memory.TypeProcedural, Importance: memory.FactImportance(f.Weight),
			},
		})
	}
	return all
}

// passages returns the quotes of a fact, one per line.
func passages(quotes []string) string {
	return strings.Join(memory.Each(quotes, func(quote string) string { return "\"" + quote + "\"" }), "\n")
}

// importedMemory returns an imported memory. The function completed sets its empty fields.
func importedMemory(e memory.Event) []draft {
	if e.Import.Memory == nil {
		return nil
	}
	return []draft{{Memory: *e.Import.Memory, of: e, seen: e.Import.Sighting}}
}

func notEmpty(all ...string) []string {
	return slices.DeleteFunc(all, func(text string) bool { return text == "" })
}

// Confirmed returns sightings of the memories that a session confirms or repeats, according to a model. The caller
// must drop sightings of memories that do not exist: a rebuilt store may lack some.
func Confirmed(e memory.Event) []memory.Sighting {
	var all []memory.Sighting
	for _, f := range e.Distilled.Facts {
		if f.Restates() {
			all = append(all, memory.Sighting{ID: ofMemory(e.ID, f.About), Memory: f.About, Session: e.Session, At: f.At})
		}
	}
	return all
}

// completed returns the memory of a draft, with the fields that follow from its kind, its content and its event.
func completed(d draft) memory.Memory {
	m := d.Memory
	if !slices.Contains(memory.Kinds(), m.Kind) {
		m.Kind = memory.KindNote
	}
	most, of := memory.MaxContent, memory.TypeSemantic // statements of the user are kept whole
	switch m.Kind {
	case memory.KindConvention:
		of = memory.TypeProcedural
	case memory.KindFix:
		most, of = maxContent, memory.TypeProcedural
	case memory.KindDiscovery:
		most, of = maxContent, memory.TypeEpisodic
	default:
	}
	if d.of.Kind == memory.EventImported {
		m = received(m)
	} else {
		m.Content, m.Detail = memory.Cut(memory.OneLine(m.Content), most), memory.Cut(m.Detail, maxDetail)
		m.CreatedAt, m.LastSeenAt = d.of.At, d.of.At
	}
	m.Title, m.Area = memory.OneLine(m.Title), memory.AreaOf(m.Area)
	m.Session = cmp.Or(m.Session, d.of.Session)
	m.Type = cmp.Or(m.Type, of)
	m.Importance = cmp.Or(m.Importance, m.Kind.Importance())
	if m.Project = ""; m.Scope != memory.ScopeUser {
		m.Scope, m.Project = memory.ScopeProject, d.of.Project.Key
	}
	m.Tags, m.Cues, m.Files = memory.Union(m.Tags), memory.Union(m.Cues), memory.Union(pathsIn(d.about), m.Files)
	m.Status = cmp.Or(m.Status, memory.StatusActive)
	m.ID = cmp.Or(m.ID, memory.NewID(m.Scope, m.Project, m.Content))
	return m
}

// received returns an imported memory with its own times, status and, if it has one, id.
func received(m memory.Memory) memory.Memory {
	m.Source = cmp.Or(m.Source, memory.SourceImport)
	m.Content, m.Detail = memory.OneLine(m.Content), memory.CutOnce(m.Detail, maxImported)
	if m.Status == memory.StatusConsolidated { // an export does not name the memory that absorbed it
		m.Status = memory.StatusArchived
	}
	if m.CreatedAt.IsZero() || m.CreatedAt.After(m.LastSeenAt) {
		m.CreatedAt = m.LastSeenAt
	}
	return m
}
