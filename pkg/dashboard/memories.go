package dashboard

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

const pageSize = 50

// memories is the data of the list of memories.
type memories struct {
	Words, Kind, Scope, Status, Tag string // as requested
	Skip                            int

	Found  []memory.Memory
	Left   int // number of memories after this page
	Before int // Skip of the previous page
	After  int // Skip of the next page

	Kinds    []memory.Kind
	Scopes   []memory.Scope
	Statuses []memory.Status

	OnlyAsked bool // whether only what the user asks for becomes a memory
}

// HasFilter reports whether something narrows the list.
func (m memories) HasFilter() bool {
	return m.Words+m.Kind+m.Scope+m.Tag != "" || m.Status != "" && m.Status != string(memory.StatusActive)
}

func (p *pages) memories(v *visit) page {
	asked := v.URL.Query()
	data := memories{
		Words: strings.TrimSpace(asked.Get("q")), Kind: asked.Get("kind"), Scope: asked.Get("scope"),
		Status: asked.Get("status"), Tag: asked.Get("tag"),
		Kinds:     memory.Kinds(),
		Scopes:    []memory.Scope{memory.ScopeProject, memory.ScopeUser},
		Statuses:  []memory.Status{memory.StatusActive, memory.StatusArchived, memory.StatusConsolidated},
		OnlyAsked: p.OnlyAsked(),
	}
	data.Skip, _ = strconv.Atoi(asked.Get("skip"))
	data.Skip = max(data.Skip, 0)
	if data.Words != "" {
		data.search(v)
	} else {
		data.list(v)
	}
	return page{"memories", "Memories", data}
}

func (p *pages) save(v *visit, isValid bool, key, value string) {
	if v.err = memory.ErrInvalid; isValid {
		v.err = p.Save(key, value)
	}
}

// switchKeep saves what becomes a memory. The notice shows what is in force, because the environment takes precedence over the settings file.
func (p *pages) switchKeep(v *visit) (done, run string) {
	keep := v.PostFormValue("do")
	p.save(v, keep == config.KeepAsked || keep == config.KeepEverything, config.CaptureKeep, keep)
	switch {
	case p.OnlyAsked() != (keep == config.KeepAsked):
		return "keepFixed", ""
	case p.OnlyAsked():
		return "keepAsked", ""
	}
	return "keepAll", ""
}

func (m *memories) list(v *visit) {
	listed := ask(v, daemonapi.MethodList, daemonapi.ListParams{
		Project: v.project, Kinds: kinds(m.Kind), Scope: memory.Scope(m.Scope), Status: memory.Status(m.Status),
		Tag: m.Tag, Skip: m.Skip, Limit: pageSize,
	})
	m.Found, m.Left = listed.Memories, listed.Left
	m.Before, m.After = max(m.Skip-pageSize, 0), m.Skip+pageSize
}

// search finds memories that share words with the request, and applies the other filters to them.
func (m *memories) search(v *visit) {
	m.Skip = 0
	hits := ask(v, daemonapi.MethodFind, daemonapi.FindParams{
		Project: v.project, Text: m.Words, Kinds: kinds(m.Kind),
		Archived: m.Status == string(memory.StatusArchived), Words: true, Limit: 2 * pageSize,
	})
	for _, hit := range hits {
		one := hit.Memory
		if is(m.Scope, one.Scope) && is(m.Status, one.Status) && (m.Tag == "" || one.HasTag(m.Tag)) {
			m.Found = append(m.Found, one)
		}
	}
	m.Left = max(len(m.Found)-pageSize, 0)
	m.Found = m.Found[:min(len(m.Found), pageSize)]
}

// is reports whether a memory has the requested property; an empty request matches all.
func is[T ~string](asked string, has T) bool { return asked == "" || asked == string(has) }

func kinds(kind string) []memory.Kind {
	if kind == "" {
		return nil
	}
	return []memory.Kind{memory.Kind(kind)}
}

func (p *pages) detail(v *visit) page {
	told := ask(v, daemonapi.MethodExplain, daemonapi.ExplainParams{Project: v.project, ID: v.PathValue("id")})
	if off := p.whyOff(v); off != "" {
		told.Start = daemonapi.StartVerdict{LeftOut: daemonapi.LeftOut{Reason: daemonapi.SwitchedOff, Why: off}}
	}
	return page{"detail", "Memory " + memory.ShortID(told.Row.Memory.ID), told}
}

// change changes one memory as a form requests.
func (p *pages) change(v *visit) (done, run string) {
	var change memory.Change
	done, change, v.err = changeOf(v.Request)
	now := p.Now()
	change.ID, change.At, change.By = memory.NewEventID(now), now.UTC(), memory.ByDashboard
	change.Reason = memory.OneLine(v.PostFormValue("reason"))
	result := ask(v, daemonapi.MethodAmend, daemonapi.AmendParams{Project: v.project, ID: v.PathValue("id"), Change: change})
	if !result.Changed() {
		return "same", ""
	}
	return done, change.ID
}

// changeOf returns the change that a form requests, and the code of its notice.
func changeOf(r *http.Request) (done string, c memory.Change, err error) {
	switch do := r.PostFormValue("do"); do {
	case "pin":
		return "pinned", memory.Change{Pinned: new(true)}, nil
	case "unpin":
		return "unpinned", memory.Change{Pinned: new(false)}, nil
	case "archive":
		return "archived", memory.Change{Status: memory.StatusArchived}, nil
	case "restore":
		return "restored", memory.Change{Status: memory.StatusActive}, nil
	case "edit":
		text := strings.TrimSpace(r.PostFormValue("content"))
		if text == "" {
			return "", c, fmt.Errorf("the new text is empty: %w", memory.ErrInvalid)
		}
		return "edited", memory.Change{Content: text}, nil
	default:
		return "", c, fmt.Errorf("there is no action %q: %w", do, memory.ErrInvalid)
	}
}

// why holds the data of the page that explains which memories a prompt would be given.
type why struct {
	Prompt string // empty: none yet
	Answer daemonapi.WhyResult
	Off    string // why the sessions of the project are given no memories, or ""
}

func (p *pages) why(v *visit) page {
	data := why{Prompt: strings.TrimSpace(v.URL.Query().Get("prompt"))}
	if data.Prompt != "" {
		data.Answer = ask(v, daemonapi.MethodWhy, daemonapi.WhyParams{Project: v.project, Text: data.Prompt})
		data.Off = p.whyOff(v)
	}
	return page{"why", "Why this?", data}
}
