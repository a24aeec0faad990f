package dashboard

import (
	"strconv"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// pageSize is how many memories a page lists.
const pageSize = 50

// memories is the data of the list of memories.
type memories struct {
	Words, Kind, Type, Scope, Status, Tag, Order string // as they were asked for
	Skip                                         int
	From                                         string // where the page before ended

	Found  []memory.Memory
	Left   int    // beyond this page
	Before int    // the Skip of the page before
	After  int    // the Skip of the next page
	Next   string // the From of the next page, of memories that recall cannot find

	Kinds    []memory.Kind
	Types    []memory.Type
	Scopes   []memory.Scope
	Statuses []memory.Status
	Orders   []string
}

// HasFilter says whether something narrows the list.
func (m memories) HasFilter() bool {
	return m.Words+m.Kind+m.Type+m.Scope+m.Tag != "" || m.Status != "" && m.Status != string(memory.StatusActive)
}

func (p *pages) memories(v *visit) page {
	asked := v.URL.Query()
	data := memories{
		Words: strings.TrimSpace(asked.Get("q")), Kind: asked.Get("kind"), Type: asked.Get("type"), Scope: asked.Get("scope"),
		Status: asked.Get("status"), Tag: asked.Get("tag"), Order: asked.Get("order"),
		Kinds:  append(memory.SearchableKinds(), memory.RecordKinds()...),
		Types:  []memory.Type{memory.TypeWorking, memory.TypeEpisodic, memory.TypeSemantic, memory.TypeProcedural},
		Scopes: []memory.Scope{memory.ScopeSession, memory.ScopeProject, memory.ScopeUser},
		Statuses: []memory.Status{
			memory.StatusActive, memory.StatusArchived, memory.StatusConsolidated,
			memory.StatusQuarantined, memory.StatusEvidence,
		},
		Orders: []string{agentapi.OrderLatest, agentapi.OrderOldest, agentapi.OrderImportance, agentapi.OrderTokens},
	}
	data.Skip, _ = strconv.Atoi(asked.Get("skip"))
	data.Skip, data.From = max(data.Skip, 0), asked.Get("after")
	if data.Words != "" {
		data.search(v)
	} else {
		data.list(v)
	}
	return page{"memories", "Memories", data}
}

func (m *memories) list(v *visit) {
	listed := ask(v, agentapi.MethodList, agentapi.ListParams{
		Project: v.project, Kinds: kinds(m.Kind), Type: memory.Type(m.Type), Scope: memory.Scope(m.Scope),
		Status: memory.Status(m.Status), Tag: m.Tag, Order: m.Order, Skip: m.Skip, After: m.From, Limit: pageSize,
	})
	m.Found, m.Left, m.Next = listed.Memories, listed.Left, listed.Next
	m.Before, m.After = max(m.Skip-pageSize, 0), m.Skip+pageSize
}

// search ranks as recall does. Its hits are few; the other filters narrow them.
func (m *memories) search(v *visit) {
	m.Skip = 0
	hits := ask(v, agentapi.MethodFind, agentapi.FindParams{
		Project: v.project, Text: m.Words, Kinds: kinds(m.Kind),
		Archived: m.Status == string(memory.StatusArchived), Words: true, Limit: 2 * pageSize,
	})
	for _, hit := range hits {
		one := hit.Memory
		if is(m.Type, one.Type) && is(m.Scope, one.Scope) && is(m.Status, one.Status) && (m.Tag == "" || one.HasTag(m.Tag)) {
			m.Found = append(m.Found, one)
		}
	}
	m.Left = max(len(m.Found)-pageSize, 0)
	m.Found = m.Found[:min(len(m.Found), pageSize)]
}

// is tells whether a memory has the property that was asked for; an empty one is any.
func is[T ~string](asked string, has T) bool { return asked == "" || asked == string(has) }

func kinds(kind string) []memory.Kind {
	if kind == "" {
		return nil
	}
	return []memory.Kind{memory.Kind(kind)}
}

// detail is the data of the page of one memory.
type detail struct {
	Row     memory.Row
	Scopes  []memory.Scope // that it could be promoted to
	Why     agentapi.Explanation
	History memory.History
	Plot    plot
	Related []related
	names   sessionNames
}

// Session is the link to a session in which the memory was said or told at a time.
func (d detail) Session(id string, at time.Time) sessionLink {
	return d.names.link(d.Row.Memory.Project, id, at)
}

func (p *pages) detail(v *visit) page {
	told := ask(v, agentapi.MethodHistory, agentapi.HistoryParams{Project: v.project, ID: v.PathValue("id")})
	data := detail{
		Row: told.Row, History: told.History, Related: relatedTo(told.Row),
		names: p.sessionNames(v, v.project),
		Why:   ask(v, agentapi.MethodExplain, agentapi.ExplainParams{Project: v.project, ID: told.Row.Memory.ID}),
	}
	switch told.Row.Memory.Scope {
	case memory.ScopeSession:
		data.Scopes = []memory.Scope{memory.ScopeProject, memory.ScopeUser}
	case memory.ScopeProject:
		data.Scopes = []memory.Scope{memory.ScopeUser}
	}
	data.Plot = strengthPlot(data.Why)
	return page{"detail", "Memory " + memory.ShortID(told.Row.Memory.ID), data}
}

// strengthPlot is how the memory fades from its last use on.
func strengthPlot(why agentapi.Explanation) plot {
	days, limit := make([]float64, len(why.Curve)), make([]float64, len(why.Curve))
	for i := range days {
		days[i], limit[i] = float64(i), why.ArchiveBelow
	}
	return plot{
		Title: "Strength", Across: "active days after its last use", Lines: []string{"strength", "archived below"},
		Values: [][]float64{days, why.Curve, limit},
	}
}

// preview is the data of the next session's start.
type preview struct {
	agentapi.PreviewResult
	Sections []section
	Lines    int // in the text
}

// section is the lines of one heading.
type section struct {
	Title             string
	Injected, Skipped []agentapi.PreviewLine
	Left              int // skipped lines that are not shown
}

// shownSkipped is how many of the skipped lines are shown of each section.
const shownSkipped = 6

func (p *pages) preview(v *visit) page {
	result := ask(v, agentapi.MethodPreview, agentapi.PreviewParams{Project: v.project, TokenBudget: p.StartBudget})
	data := preview{PreviewResult: result}
	for _, line := range result.Lines {
		if len(data.Sections) == 0 || data.Sections[len(data.Sections)-1].Title != line.Section {
			data.Sections = append(data.Sections, section{Title: line.Section})
		}
		last := &data.Sections[len(data.Sections)-1]
		switch {
		case line.Injected:
			last.Injected = append(last.Injected, line)
			data.Lines++
		case len(last.Skipped) < shownSkipped:
			last.Skipped = append(last.Skipped, line)
		default:
			last.Left++
		}
	}
	return page{"preview", "The start of the next session", data}
}

// reviewPage is how many memories of the queue are shown at once.
const reviewPage = 20

// review shows the queue of memories that rules have kept.
func (p *pages) review(v *visit) page {
	return page{"review", "Review", ask(v, agentapi.MethodReview, agentapi.OfProject{Project: v.project, Limit: reviewPage})}
}

// related is another memory, and its relation to this one.
type related struct{ How, ID string }

func relatedTo(row memory.Row) []related {
	var all []related
	if row.SupersededBy != "" {
		all = append(all, related{"corrected by", row.SupersededBy})
	}
	if row.MergedInto != "" {
		all = append(all, related{"merged into", row.MergedInto})
	}
	for _, from := range row.DerivedFrom {
		all = append(all, related{"made of", from})
	}
	return all
}
