package lived

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/tokens"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

// The orders in which the sessions of MemoryCode are distilled.
const (
	OrderEnded   = "ended"    // each session when it ends
	OrderAll     = "all"      // all at the end, like memory distill --all
	OrderCatchUp = "catch-up" // all at the end, by the daemon
)

// mentoring is a dialogue of MemoryCode (ACL 2025). In some sessions a mentor states rules among small talk, and
// changes some of them later.
type mentoring struct {
	name     string
	sessions [][]turn
	valid    []string            // rules that hold at the end
	changed  map[string][]string // outdated rules by the rule that replaced them
}

type turn struct {
	isMentor bool
	text     string
}

// Rules counts the rules of dialogues in the next start. A line has a rule if it contains 70 % of the rule's words, and
// all that the rule has in quotation marks.
type Rules struct {
	Dialogues, Valid, ValidThere, Outdated, OutdatedThere, Below, Lines, GoodLines int
	Tokens                                                                         []int
}

// MemoryCode replays the dialogues in a folder, one project each, and counts the rules in each project's next start
// and in the start of a plain baseline. With the file of a model's recorded answers it also distils the sessions,
// in the given order.
func MemoryCode(ctx context.Context, dir, answered, order string) (r, baseline Rules, err error) {
	all, err := mentorings(dir)
	if err != nil {
		return r, baseline, err
	}
	home, err := os.MkdirTemp("", "memorycode-")
	if err != nil {
		return r, baseline, fmt.Errorf("replay the dialogues: %w", err)
	}
	defer func() { _ = os.RemoveAll(home) }()
	counter := tokens.New()
	store, _, err := surrealtest.New()
	if err != nil {
		return r, baseline, err
	}
	now := mentoringBegins.AddDate(1, 0, 0)
	o := daemon.Options{Store: store, Counter: counter, Config: config.Default(), Layout: paths.Layout{Home: home}, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return now }}
	var model *answers
	if answered != "" {
		if model, err = loadAnswers(answered); err != nil {
			return r, baseline, err
		}
		settings := unlimited(o.Config.Distill)
		if settings.CatchUp = 0; order == OrderCatchUp {
			settings.CatchUp = 10_000
		}
		o.Distills = func() (config.Distill, distill.Model) { return settings, model }
	}
	a := daemon.New(daemontest.Complete(o))
	if err := liveMentorings(ctx, a, all, model, order); err != nil {
		return r, baseline, err
	}
	if _, err := a.Upkeep.Consolidate(ctx, daemonapi.ConsolidateParams{Trigger: "manual"}); err != nil {
		return r, baseline, err
	}
	for _, d := range all {
		start, err := a.Briefing.SessionContext(ctx, daemonapi.SessionContextParams{
			Project: d.name, Session: "next-" + d.name, Source: "startup", TokenBudget: o.Config.Hooks.SessionStartTokens,
		})
		if err != nil {
			return r, baseline, err
		}
		var lines []string
		for line := range strings.Lines(start.Text) {
			if strings.HasPrefix(line, "- ") {
				lines = append(lines, line)
			}
		}
		r.judge(d, lines, start.Tokens)
		lines, used := d.plainStart()
		baseline.judge(d, lines, used)
	}
	return r, baseline, nil
}

var mentoringBegins = time.Date(2026, 10, 1, 9, 0, 0, 0, time.UTC)

// liveMentorings imports the sessions of all dialogues in the order in which they ended, and distils them.
func liveMentorings(ctx context.Context, a *daemon.Daemon, all []mentoring, model *answers, order string) error {
	var ids []string
	distil := func(id string) error {
		if model == nil {
			return nil
		}
		model.session = id
		_, err := a.Distiller.Distill(ctx, daemonapi.DistillParams{Session: id})
		return err
	}
	for n := range slices.MaxFunc(all, func(x, y mentoring) int { return len(x.sessions) - len(y.sessions) }).sessions {
		for _, d := range all {
			if n >= len(d.sessions) {
				continue
			}
			id := uuid.NewSHA1(uuid.NameSpaceURL, fmt.Appendf(nil, "%s-%d", d.name, n)).String()
			if _, err := a.Intake.Import(ctx, daemonapi.ImportParams{Events: d.events(n, id)}); err != nil {
				return err
			}
			if ids = append(ids, id); order == OrderEnded {
				if err := distil(id); err != nil {
					return err
				}
			}
		}
	}
	switch {
	case model == nil:
	case order == OrderAll:
		backlog, err := a.Distiller.Estimate(ctx, daemonapi.DistillEstimateParams{Sessions: len(ids)})
		for _, id := range backlog.Pending {
			err = cmp.Or(err, distil(id))
		}
		return err
	case order == OrderCatchUp:
		model.session = ""
		a.Distiller.Work(ctx)
		a.Distiller.Wait()
	}
	return nil
}

// events returns the events of a session, two days after the previous session.
func (d mentoring) events(n int, id string) (all []memory.Event) {
	at := mentoringBegins.AddDate(0, 0, 2*n)
	add := func(e memory.Event) {
		at = at.Add(40 * time.Second)
		e.ID, e.At, e.Session, e.Project, e.Dir = memory.NewEventID(at), at, id, memory.Project{Key: d.name, Name: d.name, Root: "/" + d.name}, "/"+d.name
		all = append(all, e)
	}
	for _, t := range d.sessions[n] {
		if t.isMentor {
			add(memory.Event{Kind: memory.EventPrompt, Prompt: t.text})
		} else {
			add(memory.Event{Kind: memory.EventTurnEnded, Text: t.text})
		}
	}
	add(memory.Event{Kind: memory.EventSessionEnded, Reason: "other"})
	return all
}

// lastingWord matches the sentences that the plain baseline takes for rules.
var lastingWord = regexp.MustCompile(`(?i)\b(always|never|from now on|going forward|must|make sure|don't ever|no longer|anymore|any more|in future|convention|we (use|don't|do not|want|prefer)|i (prefer|want|don't want|'d prefer)|instead of|should (always|never|not|be)|shouldn't|on purpose|by design)\b`)

// baselineTokens is the maximum number of tokens that a start has for the user's own words.
const baselineTokens = 1000

// plainStart returns the start of the baseline: the mentor's sentences with a lasting word, newest first.
func (d mentoring) plainStart() (lines []string, used int) {
	for _, turns := range slices.Backward(d.sessions) {
		for _, t := range slices.Backward(turns) {
			for _, sentence := range slices.Backward(language.Sentences(t.text)) {
				if !t.isMentor || !lastingWord.MatchString(sentence) || strings.HasSuffix(sentence, "?") || len(sentence) >= 400 {
					continue
				}
				if used+len(sentence)/4+8 > baselineTokens {
					return lines, used
				}
				used += len(sentence)/4 + 8
				lines = append(lines, sentence)
			}
		}
	}
	return lines, used
}

// judge counts the rules of a dialogue in the lines of its next start.
func (r *Rules) judge(d mentoring, lines []string, tokens int) {
	at := func(rule string) int { return slices.IndexFunc(lines, func(l string) bool { return hasRule(l, rule) }) }
	r.Dialogues, r.Tokens, r.Lines = r.Dialogues+1, append(r.Tokens, tokens), r.Lines+len(lines)
	for _, rule := range d.valid {
		r.Valid, r.ValidThere = r.Valid+1, r.ValidThere+count(at(rule) >= 0)
	}
	for newer, all := range d.changed {
		for _, older := range all {
			o, n := at(older), at(newer)
			r.Outdated, r.OutdatedThere, r.Below = r.Outdated+1, r.OutdatedThere+count(o >= 0), r.Below+count(n >= 0 && n < o)
		}
	}
	for _, l := range lines {
		r.GoodLines += count(slices.ContainsFunc(d.valid, func(rule string) bool { return hasRule(l, rule) }))
	}
}

// Write prints the figures under a name, in per cent.
func (r Rules) Write(out io.Writer, name string) error {
	_, err := fmt.Fprintf(out, "%s: %d dialogues, %d valid rules, %d outdated, %d lines\n"+
		"  valid in the next start: %s\n  outdated in the next start: %s; of these below their successor: %s\n  lines that are a valid rule: %s; tokens, median: %d\n",
		name, r.Dialogues, r.Valid, r.Outdated, r.Lines, share(r.ValidThere, r.Valid), share(r.OutdatedThere, r.Outdated), share(r.Below, r.OutdatedThere),
		share(r.GoodLines, r.Lines), median(r.Tokens))
	return err
}
