package briefing

import (
	"context"
	"errors"
	"fmt"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/defuse"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/knowledge"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// Recall returns the packed memories for the next action and records them as injected. It returns none while the index is being loaded.
func (b *Briefing) Recall(ctx context.Context, p daemonapi.RecallParams) (daemonapi.ContextResult, error) {
	nothing := daemonapi.ContextResult{Encoding: b.Counter.Encoding()}
	a, err := b.action(ctx, p)
	if errors.Is(err, errLoading) || errors.Is(err, errNothing) { // a later action finds the loaded index
		return nothing, nil
	}
	if err != nil {
		return daemonapi.ContextResult{}, err
	}
	who := session.Conversation{Session: p.Session, Subagent: p.Subagent}
	shown, err := b.Sessions.Shown(ctx, who)
	if err != nil {
		return daemonapi.ContextResult{}, err
	}
	shown.Turn.Lock()
	defer shown.Turn.Unlock()
	hint, hintTokens := b.hint(p)
	a.TokenBudget -= hintTokens
	d := b.decide(ctx, a, shown)
	if err := ctx.Err(); err != nil { // the caller has given up, so nothing is recorded as shown
		return daemonapi.ContextResult{}, fmt.Errorf("recall for a %s: %w", p.Purpose, err)
	}
	b.Sessions.Record(who, p.Purpose, d.packed.IDs)
	return daemonapi.ContextResult{
		Text: hint + d.packed.Text, Tokens: hintTokens + d.packed.Tokens, Encoding: b.Counter.Encoding(),
		Items: len(d.packed.IDs),
	}, nil
}

// Decide returns the decision that Recall would make in a new session, with all reasons. It records nothing as shown.
func (b *Briefing) Decide(ctx context.Context, p daemonapi.RecallParams) (Decision, error) {
	if p.Root == "" { // the caller, such as the dashboard, is in no checkout: the one in which a session worked last counts
		rows, err := b.Store.Read(ctx, memory.Keys{Projects: []string{p.Project}})
		if err != nil {
			return Decision{}, fmt.Errorf("read where project %s was used last: %w", p.Project, err)
		}
		p.Root = rows.Projects[p.Project].Root
	}
	shown, err := b.atStart(ctx, p)
	if err != nil {
		return Decision{}, err
	}
	a, err := b.action(ctx, p)
	if errors.Is(err, errNothing) {
		return Decision{}, nil
	}
	if err != nil {
		return Decision{}, err
	}
	a.limit, a.explains = a.index.Len(), true
	_, hintTokens := b.hint(p)
	a.TokenBudget -= hintTokens
	return b.decide(ctx, a, session.ShownOf(shown)), nil
}

// errNothing means that the daemon does not have the task of a subagent.
var errNothing = errors.New("the daemon does not know the subagent's task")

// action returns the query for the next action. It fails with errNothing, errLoading, or memory.ErrInvalid.
func (b *Briefing) action(ctx context.Context, p daemonapi.RecallParams) (a action, err error) {
	a = action{RecallParams: p, limit: weighed}
	isCure := func(k memory.Kind) bool { return k == memory.KindFix }
	switch p.Purpose {
	case daemonapi.ForPrompt:
		a.text, a.title = p.Text, "Memories that may fit"
	case daemonapi.ForRead:
		a.isWanted, a.title = func(memory.Kind) bool { return true }, "About "+defuse.Name(p.File)
	case daemonapi.ForWrite:
		a.isWanted, a.title = memory.Kind.IsRule, "Before changing "+defuse.Name(p.File)
	case daemonapi.ForCommand:
		a.cores, a.isWanted, a.title = shell.CoresOf(p.Command), isCure, "This command failed before"
	case daemonapi.ForFailure:
		a.cores, a.isWanted, a.title = shell.CoresOf(p.Command), isCure, "Earlier fixes"
		a.signature = memory.ErrorSignature(p.Text)
	case daemonapi.ForSubagent:
		if a.text = b.Sessions.TakeTask(p.Session, p.Text); a.text == "" {
			return a, errNothing
		}
	default:
		return a, fmt.Errorf("recall for %q: there is no such purpose: %w", p.Purpose, memory.ErrInvalid)
	}
	a.index, err = b.Index(ctx, p.Project)
	return a, err
}

// storeHint asks the model to store a rule or decision from a prompt as a fact, in the model's words, which serves
// better than the extracted sentence. It stands in an element of its own, because it is not a memory.
const storeHint = "<surrealdb-memory-hint>If this lasts, store_memory it: title, area, cues, quote, replaces.</surrealdb-memory-hint>\n"

// hint returns storeHint and its tokens, if the prompt has a sentence about something that lasts or has changed, and the
// budget has room. It returns "" if the prompt asks to keep a text: that is stored as written.
func (b *Briefing) hint(p daemonapi.RecallParams) (text string, tokens int) {
	if !p.Hint || p.Purpose != daemonapi.ForPrompt || p.Subagent != "" {
		return "", 0
	}
	if len(knowledge.Directives(p.Text, "")) > 0 || len(knowledge.LastingStatements(p.Text, "")) == 0 {
		return "", 0
	}
	tokens = b.Counter.Count(storeHint)
	if tokens > p.TokenBudget {
		return "", 0
	}
	return storeHint, tokens
}
