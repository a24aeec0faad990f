package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/receipts"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/purged"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/knowledge"
)

// Amend changes a memory, publishes the change, and returns the memory before and after it. It fails with
// memory.ErrInvalid if only a person may make the change.
func (in *Intake) Amend(ctx context.Context, p daemonapi.AmendParams) (daemonapi.AmendResult, error) {
	old, err := memory.Find(ctx, in.Store, p.ID, p.Project, "")
	if err != nil {
		return daemonapi.AmendResult{}, err
	}
	if p.Change.Status == memory.StatusActive {
		if old, p.Change, err = in.asEdit(ctx, old, p.Change); err != nil {
			return daemonapi.AmendResult{}, err
		}
	}
	p.Change = cleaned(in, p.Change)
	p.Change.Project = p.Project
	p.Change.At = atMost(p.Change.At, in.Now().UTC().Add(clockSlack))
	if !p.Change.IsPersons() {
		if err := mayChange(old, p.Change); err != nil {
			return daemonapi.AmendResult{}, err
		}
	}
	return in.amend(ctx, old.ID, p.Change)
}

// asEdit turns the restoring of an edited memory into an edit of the memory that now stands in its place: it gets the old
// text back. Restoring the old memory would leave both texts active. For any other change, asEdit returns its arguments.
func (in *Intake) asEdit(ctx context.Context, m memory.Memory, c memory.Change) (memory.Memory, memory.Change, error) {
	rows, err := in.Store.Rows(ctx, memory.WithIDs{m.ID})
	if err != nil || len(rows) == 0 || !rows[0].IsEdited() {
		return m, c, err
	}
	later, err := in.Successors(ctx, rows[0])
	if err != nil {
		return m, c, err
	}
	rows, err = in.Store.Rows(ctx, memory.WithIDs{later[len(later)-1]})
	if err != nil || len(rows) == 0 || !rows[0].Memory.IsRecallable() {
		return m, c, err
	}
	if c.Status, c.Content = "", m.Stated().Detail; memory.Normalise(c.Content) != memory.Normalise(m.Content) {
		c.Content = m.Content
	}
	return rows[0].Memory, c, nil
}

// mayChange returns an error if a model would change a memory that is the user's own or applies to every project.
func mayChange(old memory.Memory, c memory.Change) error {
	reason := ""
	switch {
	case old.Source == memory.SourceUser:
		reason = "is the user's own"
	case old.Scope == memory.ScopeUser:
		reason = "applies to every project"
	case c.Scope == memory.ScopeUser:
		reason = "would apply to every project"
	default:
		return nil
	}
	return fmt.Errorf("memory %s %s, and only a person changes it: ask the user to type ! memory edit %[1]s --content TEXT or ! memory forget %[1]s. Or call store_memory: the new text then "+
		"stands beside the old one, and replaces it only if quote is a sentence that the user typed after it: %[3]w", memory.ShortID(old.ID), reason, memory.ErrInvalid)
}

func (in *Intake) amend(ctx context.Context, id string, c memory.Change) (daemonapi.AmendResult, error) {
	before, now, err := in.Store.Amend(ctx, id, c)
	if err != nil {
		return daemonapi.AmendResult{}, err
	}
	in.Log.Info("a memory was changed", "memory", id, "by", c.By, "now", now.ID, "status", now.Status)
	in.publish(ctx, Committed{Memories: []memory.Memory{before, now}})
	return daemonapi.AmendResult{Before: render.WithTokenCount(before, in.Counter), After: render.WithTokenCount(now, in.Counter)}, nil
}

// errNotAsked means that the user did not ask to keep this, although capture.keep is "asked".
var errNotAsked = fmt.Errorf("the user keeps only what they ask for (capture.keep = asked); if they asked for this, store it again with their words as quote: %w", memory.ErrInvalid)

// notBroughtBack returns the error for a text that a model stores, although the user said it and has archived it.
func notBroughtBack(m memory.Memory) error {
	return fmt.Errorf("the user said this, and then forgot or edited it: only they bring memory %s back, by saying it again or with ! memory restore %[1]s: %w",
		memory.ShortID(m.ID), memory.ErrInvalid)
}

// IngestOne ingests the spooled events and e, which it adds to the spool if it is not there. It returns the memory made of e, and whether this memory replaced
// the one that e names. It fails with memory.ErrInvalid if no memory is made of e, or if a model stores in e what the user has archived.
func (in *Intake) IngestOne(ctx context.Context, e memory.Event) (daemonapi.RememberResult, error) {
	var result daemonapi.RememberResult
	if err := e.Validate(); err != nil {
		return result, err
	}
	if _, err := in.Ingest(ctx); err != nil {
		return result, err
	}
	if in.Purged().HasSession(e.Session) {
		return result, purged.ErrSession
	}
	e = in.cleanEvent(e)
	batch := in.batchOf([]memory.Event{e})
	in.Aliases.Rekey(&batch)
	if len(batch.Memories) == 0 && e.Kind == memory.EventRemembered && (!in.OnlyAsked() || purged.HasPlaceholder(e)) {
		return result, purged.ErrWords
	}
	if in.OnlyAsked() && len(batch.Memories) == 0 {
		return result, errNotAsked
	}
	if len(batch.Memories) == 0 {
		return result, fmt.Errorf("an event of the kind %s is not a memory: %w", e.Kind, memory.ErrInvalid)
	}
	m, err := memory.Find(ctx, in.Store, batch.Memories[0].ID)
	if errors.Is(err, memory.ErrNotFound) && e.Kind == memory.EventRemembered {
		if err = in.Spools.All()[0].Put(e); err == nil {
			_, err = in.Ingest(ctx)
		}
		if err == nil {
			m, err = memory.Find(ctx, in.Store, batch.Memories[0].ID)
		}
	}
	if err != nil {
		return result, err
	}
	if m.Source == memory.SourceUser && m.IsRejected() && !e.ByUser && e.Kind == memory.EventRemembered {
		return result, notBroughtBack(m)
	}
	result.Memory = render.WithTokenCount(m, in.Counter)
	r, err := in.replacement(ctx, e, m)
	switch {
	case err != nil || e.Replaces == "":
	case r.named.Memory.ID != "" && r.named.SupersededBy == m.ID:
		result.Replaced = r.named.Memory.ID
	default:
		result.Stands = cmp.Or(r.why, "it was changed meanwhile")
	}
	if err == nil && result.Replaced == "" && m.IsFact() {
		result.Nearest, err = in.Nearest(ctx, m.Project, m)
	}
	return result, err
}

// NotKept returns a line for the user on why something that a prompt of a session asks to keep is not kept, and the subcommand with which to continue; "" if all is kept.
func (in *Intake) NotKept(session, prompt string) (why, command string) {
	list, asked := in.Purged(), knowledge.Directives(prompt, "")
	if len(asked) > 0 && list.HasSession(session) {
		return "surrealdb-memory did not keep what you asked for: " + purged.GoneSession + ". To keep it", "remember TEXT"
	}
	if slices.ContainsFunc(asked, func(d knowledge.Directive) bool { return list.Clean(d.Text) != d.Text }) {
		return "surrealdb-memory did not keep what you asked for: " + purged.Refusal + ". To see what is kept", "list"
	}
	if line := knowledge.NotKept(prompt, asked); line != "" {
		return "surrealdb-memory did not keep " + receipts.Named(line) + ", because it stands in a text that looks pasted. To keep it", "remember TEXT"
	}
	return "", ""
}
