package mcpserver

import (
	"context"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
)

type updateInput struct {
	ID         string   `json:"id" jsonschema:"The memory to change."`
	Content    string   `json:"content,omitempty" jsonschema:"The complete new text; at most 4000 bytes. The memory gets a new id; the old one is archived."`
	Importance *float64 `json:"importance,omitempty" jsonschema:"0 to 1: the highest rank first when space is short."`
	Pinned     *bool    `json:"pinned,omitempty" jsonschema:"A pinned memory never fades."`
	Reason     string   `json:"reason,omitempty" jsonschema:"Why it changed."`
}

type forgetInput struct {
	ID     string `json:"id" jsonschema:"The memory to archive."`
	Reason string `json:"reason" jsonschema:"Why: wrong, outdated, done, or because the user asked."`
}

type restoreInput struct {
	ID     string `json:"id" jsonschema:"The archived memory; search_memories with archived finds it."`
	Reason string `json:"reason,omitempty" jsonschema:"Why it holds after all."`
}

type changeOutput struct {
	Memory   Brief  `json:"memory" jsonschema:"its state after the change"`
	Replaced string `json:"replaced,omitempty" jsonschema:"id of the memory that it replaced"`
	Changed  bool   `json:"changed" jsonschema:"false if nothing had to change"`
}

func (t *tools) addChanging(server *mcp.Server) {
	addTool(t, server, changes("update_memory", "Update a memory",
		"Correct a memory that no longer holds, change its importance, or pin it. New content replaces it by a memory with a new id; the old one is archived and can be restored."),
		limits{"importance": optional("number", between(0, 1)), "pinned": optional("boolean")}, t.update)
	addTool(t, server, changes("forget_memory", "Archive a memory",
		"Archive a memory: it is not recalled any more, and restore_memory brings it back. Use it for memories that are wrong, outdated or done."), nil, t.forget)
	addTool(t, server, adds("restore_memory", "Restore a memory",
		"Bring back a memory that was archived or replaced."), nil, t.restore)
}

func (t *tools) update(ctx context.Context, in updateInput) (out changeOutput, err error) {
	if in.Content == "" && in.Importance == nil && in.Pinned == nil {
		return out, errors.New("give content, importance or pinned: there is nothing to change")
	}
	change := memory.Change{Importance: in.Importance, Pinned: in.Pinned}
	if in.Content != "" {
		if change.Content, _, err = redact.Memory("content", in.Content); err != nil {
			return out, err
		}
	}
	return t.amend(ctx, in.ID, in.Reason, change)
}

func (t *tools) forget(ctx context.Context, in forgetInput) (out changeOutput, err error) {
	if strings.TrimSpace(in.Reason) == "" {
		return out, errors.New("the reason is empty: explain why it should be archived")
	}
	return t.amend(ctx, in.ID, in.Reason, memory.Change{Status: memory.StatusArchived})
}

func (t *tools) restore(ctx context.Context, in restoreInput) (out changeOutput, err error) {
	return t.amend(ctx, in.ID, in.Reason, memory.Change{Status: memory.StatusActive})
}

// amend requests a change from the daemon and returns the result.
func (t *tools) amend(ctx context.Context, id, reason string, change memory.Change) (out changeOutput, err error) {
	if strings.TrimSpace(reason) != "" {
		if change.Reason, _, err = redact.Memory("reason", reason); err != nil {
			return out, err
		}
	}
	now := t.Daemon.Now()
	change.ID, change.At, change.By = memory.NewEventID(now), now.UTC(), "mcp"
	result, err := daemonapi.MethodAmend.Ask(ctx, t.call, daemonapi.AmendParams{Project: t.Project.Key, ID: memory.IDAsShown(id), Change: change})
	if err != nil {
		return out, err
	}
	out = changeOutput{Memory: briefOf(result.After), Changed: result.Changed()}
	if result.After.ID != result.Before.ID {
		out.Replaced = memory.ShortID(result.Before.ID)
	}
	return out, nil
}
