package briefing

import (
	"context"
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/pack"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/start"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// AtStart reports whether the start of a new session shows a memory and, if not, the first reason. It records nothing as shown.
func (b *Briefing) AtStart(ctx context.Context, project, root string, row memory.Row) (daemonapi.StartVerdict, error) {
	m, fate := row.Memory, daemonapi.StartVerdict{Budget: b.Hooks().SessionStartTokens}
	all, ids, _, err := b.choice(ctx, project)
	if err != nil {
		return fate, err
	}
	best := start.WithBestFacts(all, ids)
	given := b.told(best)
	rows := given
	b.dropLoaded(ctx, &rows, "", root)
	rows.Asks = true
	sections, packed := b.sections(rows), b.pack(rows, fate.Budget)
	fate.Tokens = packed.Tokens
	loaded, rivals := b.LoadedIn(ctx, "", root, false).FileWith(m), start.Rivals(all.Facts)
	switch {
	case slices.Contains(packed.IDs, m.ID):
		fate.Given = daemonapi.GivenInFull
	case slices.Contains(packed.Named, m.ID):
		fate.Given = daemonapi.GivenByTitle
	case isGone(row):
		fate.LeftOut = whyGone(row)
	case loaded != "":
		fate.LeftOut = daemonapi.LeftOut{Reason: daemonapi.InFile, Why: "it is in " + loaded + ", which the client loads"}
	case !m.IsFact() && !m.Kind.IsUserAuthored():
		fate.LeftOut = daemonapi.LeftOut{Reason: daemonapi.NotOfAStart, Why: "a memory of the kind " + string(m.Kind) + " is recalled where it fits, not at the start"}
	case !isAmong(all, m):
		fate.LeftOut = daemonapi.LeftOut{Reason: daemonapi.Outnumbered, Why: fmt.Sprintf("a start shows only the newest %d of its kind", startRows)}
	case rivals[m.ID] != "":
		by := rivals[m.ID]
		fate.LeftOut = daemonapi.LeftOut{Reason: daemonapi.Rivalled, By: by, Why: memory.ShortID(by) + ", which is newer, says something else about the same thing"}
	case !isAmong(best, m):
		fate.LeftOut = daemonapi.LeftOut{Reason: daemonapi.Outnumbered, Why: fmt.Sprintf("%d facts rank higher", len(best.Facts))}
	case !isAmong(given, m):
		by := b.repeated(best, m)
		fate.LeftOut = daemonapi.LeftOut{Reason: daemonapi.Repeated, By: by, Why: memory.ShortID(by) + " says the same and comes first"}
	default:
		fate.LeftOut = leftOut(sections, rows, m, packed.Tokens, fate.Budget)
	}
	return fate, nil
}

// leftOut returns the reason why a memory that was read for a start is not among its lines.
func leftOut(sections []pack.Section, rows memory.StartContext, m memory.Memory, used, budget int) daemonapi.LeftOut {
	for _, s := range sections {
		at := slices.IndexFunc(s.Items, func(i pack.Item) bool { return i.ID == m.ID })
		if at < 0 {
			continue
		}
		if used == 0 {
			return daemonapi.LeftOut{Reason: daemonapi.NoRoom, Why: fmt.Sprintf("a start of %d tokens has no room for a line", budget)}
		}
		if s.Most > 0 && used+s.Items[at].Tokens <= budget {
			return daemonapi.LeftOut{Reason: daemonapi.NoRoom, Why: fmt.Sprintf("other lines come first and use up the %d tokens for the user's words at a start", s.Most)}
		}
		return daemonapi.LeftOut{Reason: daemonapi.NoRoom, Why: fmt.Sprintf("other lines come first and use %d of the start's %d tokens; its line needs %d", used, budget, s.Items[at].Tokens)}
	}
	if len(rows.Areas) > 0 {
		return daemonapi.LeftOut{Reason: daemonapi.SaidInPassing, Why: "you said it in passing: once a project has facts, a start shows at most six such sentences, and none of a session that a model has distilled"}
	}
	return daemonapi.LeftOut{Reason: daemonapi.SaidInPassing, Why: "you said it in passing, and a start shows such sentences only from the last ten sessions"}
}

// isAmong reports whether a memory is among the facts and statements of a start.
func isAmong(rows memory.StartContext, m memory.Memory) bool {
	return slices.ContainsFunc(slices.Concat(rows.Facts, rows.Statements), func(one memory.Memory) bool { return one.ID == m.ID })
}

// repeated returns the id of the memory in a start that says the same as m, or "".
func (b *Briefing) repeated(rows memory.StartContext, m memory.Memory) string {
	t := knownTexts{held: b.cores}
	for _, one := range slices.Concat(rows.Facts, rows.Statements) {
		if one.ID == m.ID {
			return t.sameAs(m)
		}
		t.addNew([]memory.Memory{one})
	}
	return ""
}
