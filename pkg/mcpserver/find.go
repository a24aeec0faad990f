package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/defuse"
)

const (
	defaultBudget = 1000 // tokens
	leastBudget   = 100
	mostBudget    = 8000
	recallHits    = 50
	defaultHits   = 20
	mostHits      = 100
	mostIDs       = 10
)

type recallInput struct {
	Query       string        `json:"query" jsonschema:"A question in words; file names, commands, error texts and dates (last week) help."`
	Kinds       []memory.Kind `json:"kinds,omitempty" jsonschema:"Only these kinds, such as decision."`
	Files       []string      `json:"files,omitempty" jsonschema:"Paths the question is about."`
	TokenBudget int           `json:"token_budget,omitempty" jsonschema:"Size limit; default 1000."`
}

type searchInput struct {
	Query    string        `json:"query,omitempty" jsonschema:"Words to look for."`
	Kinds    []memory.Kind `json:"kinds,omitempty" jsonschema:"Only these kinds."`
	Archived bool          `json:"archived,omitempty" jsonschema:"Only archived and replaced memories."`
	Limit    int           `json:"limit,omitempty" jsonschema:"Default 20."`
}

type listInput struct {
	Kinds []memory.Kind `json:"kinds,omitempty" jsonschema:"Only these kinds."`
	Tag   string        `json:"tag,omitempty" jsonschema:"Only with this tag."`
	File  string        `json:"file,omitempty" jsonschema:"Only about this file or folder."`
	Limit int           `json:"limit,omitempty" jsonschema:"Default 20."`
}

type listOutput struct {
	Left     int     `json:"left,omitempty" jsonschema:"number of further memories"`
	Memories []Brief `json:"memories"`
	Note     string  `json:"note,omitempty" jsonschema:"how far the memories can be trusted"`
}

type getInput struct {
	IDs []string `json:"ids" jsonschema:"Ids as the session's start or the other tools show them."`
}

type getOutput struct {
	Memories []Full   `json:"memories"`
	Note     string   `json:"note,omitempty" jsonschema:"how far the memories can be trusted"`
	Unknown  []string `json:"unknown,omitempty" jsonschema:"ids without a memory in this project"`
	// Ambiguous has sentences that explain how to repeat the call.
	Ambiguous []string `json:"ambiguous,omitempty" jsonschema:"beginnings that several ids share"`
}

func (t *tools) addFinding(server *mcp.Server) {
	kinds, rows := each(oneOf(kindsToFind...), len(kindsToFind)), between(1, mostHits)
	addTool(t, server, always(reads("recall_memories", "Recall memories",
		"Ask the memory of earlier sessions. Returns the memories that answer best, in full, within a token budget.")),
		limits{"kinds": kinds, "files": each(nil, maxFiles), "token_budget": between(leastBudget, mostBudget)}, t.recall)
	addTool(t, server, always(reads("search_memories", "Search memories",
		"Find memories by words, one line each with id, date, kind, title and tokens. get_memories has the texts.")),
		limits{"kinds": kinds, "limit": rows}, t.search)
	addTool(t, server, always(reads(listTool, "List memories",
		"List memories without a question, the latest first, one line each: open todos (kinds todo), decisions (kinds decision).")),
		limits{"kinds": kinds, "limit": rows}, t.list)
	addTool(t, server, always(reads("get_memories", "Get memories",
		"Read up to ten memories in full. A session's start shows titles with ids: fetch those that touch your task.")),
		limits{"ids": func(s *jsonschema.Schema) { each(nil, mostIDs)(s); s.MinItems = new(1) }}, t.get)
}

func (t *tools) recall(ctx context.Context, in recallInput) (out daemonapi.Answer, err error) {
	query, err := question(in.Query)
	if err != nil {
		return out, err
	}
	files := memory.Each(in.Files, t.fileOf)
	return daemonapi.MethodAnswer.Ask(ctx, t.call, daemonapi.AnswerParams{
		TokenBudget: cmp.Or(in.TokenBudget, defaultBudget),
		FindParams: daemonapi.FindParams{
			Project: t.Project.Key, Session: t.Session, Text: query, Files: files, Kinds: in.Kinds, Limit: recallHits,
		},
	})
}

func (t *tools) search(ctx context.Context, in searchInput) (out listOutput, err error) {
	query, err := question(in.Query)
	isWordless := strings.TrimSpace(in.Query) == ""
	if isWordless && !in.Archived && len(in.Kinds) > 0 {
		return t.list(ctx, listInput{Kinds: in.Kinds, Limit: in.Limit})
	}
	if err != nil && (!isWordless || !in.Archived) {
		return out, err
	}
	found, err := daemonapi.MethodFind.Ask(ctx, t.call, daemonapi.FindParams{
		Project: t.Project.Key, Session: t.Session, Text: query, Kinds: in.Kinds, Archived: in.Archived,
		Words: true, Limit: cmp.Or(in.Limit, defaultHits),
	})
	return listOutput{Memories: memory.Each(found, func(hit memory.Hit) Brief { return briefOf(hit.Memory) }), Note: memory.Preamble}, err
}

func (t *tools) list(ctx context.Context, in listInput) (out listOutput, err error) {
	found, err := daemonapi.MethodList.Ask(ctx, t.call, daemonapi.ListParams{
		Project: t.Project.Key, Kinds: in.Kinds, Tag: in.Tag, File: t.fileOf(in.File), Limit: cmp.Or(in.Limit, defaultHits),
	})
	return listOutput{Left: found.Left, Memories: memory.Each(found.Memories, func(m memory.Memory) Brief {
		brief := briefOf(m)
		brief.SupersededBy = memory.ShortID(found.Superseded[m.ID])
		return brief
	}), Note: memory.Preamble}, err
}

func (t *tools) get(ctx context.Context, in getInput) (out getOutput, err error) {
	var asked []string
	for _, text := range in.IDs {
		ids := memory.IDsAsShown(text)
		if len(ids) == 0 {
			ids = []string{text}
		}
		asked = append(asked, ids...)
	}
	found, err := daemonapi.MethodFetch.Ask(ctx, t.call, daemonapi.FetchParams{Project: t.Project.Key, IDs: asked, Session: t.Session})
	if err != nil {
		return out, err
	}
	out = getOutput{Memories: []Full{}, Note: memory.Preamble}
	for _, m := range found.Memories {
		full := fullOf(m)
		full.SupersededBy = memory.ShortID(found.Superseded[m.ID])
		out.Memories = append(out.Memories, full)
	}
	out.Ambiguous = memory.Each(found.Refused, func(refused daemonapi.Refusal) string { return harmless(refused.Reason) })
	for _, id := range asked {
		isThis := func(m memory.Memory) bool { return strings.HasPrefix(m.ID, id) }
		isRefused := func(refused daemonapi.Refusal) bool { return refused.ID == id }
		if !slices.ContainsFunc(found.Memories, isThis) && !slices.ContainsFunc(found.Refused, isRefused) {
			out.Unknown = append(out.Unknown, harmless(memory.Cut(id, maxTitle)))
		}
	}
	if len(found.Memories) == 0 && len(found.Refused) == 0 {
		return out, explain(fmt.Errorf("there is no memory %s: %w", strings.Join(out.Unknown, ", "), memory.ErrNotFound))
	}
	return out, nil
}

// question returns a query without our tags. It fails if nothing is left.
func question(text string) (string, error) {
	text = strings.TrimSpace(defuse.Tags(text))
	if text == "" {
		return "", errors.New("the query is empty: write what you want to know")
	}
	return text, nil
}
