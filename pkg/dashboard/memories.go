package dashboard

import (
	"context"
	"strconv"
	"strings"

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

func (p *pages) memories(ctx context.Context, v visit) (page, error) {
	asked := v.URL.Query()
	data := memories{
		Words: strings.TrimSpace(asked.Get("q")), Kind: asked.Get("kind"), Type: asked.Get("type"), Scope: asked.Get("scope"),
		Status: asked.Get("status"), Tag: asked.Get("tag"), Order: asked.Get("order"),
		Kinds: append(memory.SearchableKinds(), memory.RecordKinds()...), Types: []memory.Type{memory.TypeWorking, memory.TypeEpisodic, memory.TypeSemantic, memory.TypeProcedural},
		Scopes:   []memory.Scope{memory.ScopeSession, memory.ScopeProject, memory.ScopeUser},
		Statuses: []memory.Status{memory.StatusActive, memory.StatusArchived, memory.StatusConsolidated, memory.StatusQuarantined, memory.StatusEvidence, memory.StatusProposed},
		Orders:   []string{agentapi.OrderLatest, agentapi.OrderOldest, agentapi.OrderImportance, agentapi.OrderTokens},
	}
	data.Skip, _ = strconv.Atoi(asked.Get("skip"))
	data.Skip, data.From = max(data.Skip, 0), asked.Get("after")
	var err error
	if data.Words != "" {
		err = p.search(ctx, v, &data)
	} else {
		err = p.list(ctx, v, &data)
	}
	return page{"memories", "Memories", data}, err
}

func (p *pages) list(ctx context.Context, v visit, data *memories) error {
	listed, err := ask(ctx, p.agent, agentapi.MethodList, agentapi.ListParams{
		Project: v.project, Kinds: kinds(data.Kind), Type: memory.Type(data.Type), Scope: memory.Scope(data.Scope),
		Status: memory.Status(data.Status), Tag: data.Tag, Order: data.Order, Skip: data.Skip, After: data.From, Limit: pageSize,
	})
	data.Found, data.Left, data.Next = listed.Memories, listed.Left, listed.Next
	data.Before, data.After = max(data.Skip-pageSize, 0), data.Skip+pageSize
	return err
}

// search ranks as recall does. Its hits are few; the other filters narrow them.
func (p *pages) search(ctx context.Context, v visit, data *memories) error {
	data.Skip = 0
	hits, err := ask(ctx, p.agent, agentapi.MethodFind, agentapi.FindParams{
		Project: v.project, Text: data.Words, Kinds: kinds(data.Kind), Archived: data.Status == string(memory.StatusArchived), Words: true, Limit: 2 * pageSize,
	})
	for _, hit := range hits {
		m := hit.Memory
		switch {
		case data.Type != "" && string(m.Type) != data.Type, data.Scope != "" && string(m.Scope) != data.Scope,
			data.Tag != "" && !m.HasTag(data.Tag), data.Status != "" && string(m.Status) != data.Status:
		default:
			data.Found = append(data.Found, m)
		}
	}
	data.Left = max(len(data.Found)-pageSize, 0)
	data.Found = data.Found[:min(len(data.Found), pageSize)]
	return err
}

func kinds(kind string) []memory.Kind {
	if kind == "" {
		return nil
	}
	return []memory.Kind{memory.Kind(kind)}
}
