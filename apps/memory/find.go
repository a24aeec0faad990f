package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/defuse"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const (
	maxQuery      = 2000 // bytes
	defaultBudget = 1000 // tokens
	recallHits    = 50
)

func (p *program) searchCommand() *cli.Command {
	return &cli.Command{
		Name: "search", Usage: "find memories by words", ArgsUsage: "WORDS",
		Description: described("", "memory search staging port", "memory search --kind decision --kind convention database"),
		Flags:       []cli.Flag{projectFlag(), limitFlag(), archivedFlag(), kindsFlag(), jsonFlag()}, Action: p.search,
	}
}

func (p *program) recallCommand() *cli.Command {
	budget := &cli.IntFlag{Name: "budget", Usage: "at most `N` tokens", Value: defaultBudget}
	return &cli.Command{
		Name: "recall", Usage: "answer a question from what is remembered, as a model is answered", ArgsUsage: "QUESTION",
		Description: described("", `memory recall "why is the staging port not 5432?"`, "memory recall --budget 300 how do we release"),
		Flags:       []cli.Flag{budget, projectFlag(), kindsFlag(), jsonFlag()}, Action: p.recall,
	}
}

func (p *program) listCommand() *cli.Command {
	return &cli.Command{
		Name: "list", Usage: "list the memories of a project",
		Description: described("The most important come first. Times are when each was last seen; * marks what is pinned.",
			"memory list --kind todo", "memory list --all", "memory list --archived --json"),
		Flags: []cli.Flag{
			projectFlag(), limitFlag(), allRowsFlag(), archivedFlag(), kindsFlag(),
			&cli.BoolFlag{Name: "user", Usage: "those of the user, which hold in every project"}, jsonFlag(),
		},
		Action: p.list,
	}
}

func (p *program) showCommand() *cli.Command {
	return &cli.Command{
		Name: "show", Usage: "show memories with all that is known of them", ArgsUsage: "ID...",
		Description:  described("", "memory show 3f9a1c", "memory show --json 3f9a1c 77ab02"),
		BashComplete: p.completeWith(p.activeIDs(true)),
		Flags:        []cli.Flag{projectFlag(), jsonFlag()}, Action: p.showMemories,
	}
}

func (p *program) timelineCommand() *cli.Command {
	around := func(name, usage string) cli.Flag { return &cli.IntFlag{Name: name, Usage: usage, Value: 5} }
	return &cli.Command{
		Name: "timeline", Usage: "show what was remembered around a memory or a time", ArgsUsage: "[ID | TIME]",
		Description: described("A time is 2026-11-20, 2026-11-20 15:04 (in your zone) or RFC 3339; without one it is now.",
			`memory timeline "2026-11-20 15:04"`, "memory timeline --before 10 --after 0 3f9a1c"),
		BashComplete: p.completeWith(p.activeIDs(false)),
		Flags:        []cli.Flag{around("before", "`N` until then"), around("after", "`N` after it"), projectFlag(), jsonFlag()},
		Action:       p.timeline,
	}
}

func (p *program) sessionsCommand() *cli.Command {
	return &cli.Command{
		Name: "sessions", Usage: "list sessions with their state and summary",
		Description: described("NOTIFIED is how often the client told you something, such as that it waits for a permission.", "memory sessions --limit 5", "memory sessions --all --summary"),
		Flags: []cli.Flag{
			projectFlag(), limitFlag(), &cli.BoolFlag{Name: "all", Usage: "of all projects"},
			&cli.BoolFlag{Name: "summary", Usage: "with the whole summary of each"}, jsonFlag(),
		},
		Action: p.sessions,
	}
}

func (p *program) contextCommand() *cli.Command {
	return &cli.Command{
		Name: "context", Usage: "show what the next session would be given",
		Description: described("", "memory context", "memory context --project ~/src/other"),
		Flags:       []cli.Flag{projectFlag(), jsonFlag()}, Action: p.context,
	}
}

func archivedFlag() cli.Flag {
	return &cli.BoolFlag{Name: "archived", Usage: "look among what was forgotten or replaced, and only there"}
}

func kindsFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "kind", Usage: "only this `KIND`; may be given again"}
}

// kinds are those that can be asked for.
var kinds = []memory.Kind{
	memory.KindNote, memory.KindTodo, memory.KindConvention, memory.KindDecision, memory.KindPreference, memory.KindCorrection, memory.KindFix,
	memory.KindFailure, memory.KindDiscovery, memory.KindTask, memory.KindTurn, memory.KindEdit, memory.KindCommand, memory.KindObservation,
}

func kindsOf(c *cli.Context) ([]memory.Kind, error) {
	var wanted []memory.Kind
	for _, name := range c.StringSlice("kind") {
		if !slices.Contains(kinds, memory.Kind(name)) {
			return nil, usagef("there is no kind %q; there are %s", name, joined(kinds))
		}
		wanted = append(wanted, memory.Kind(name))
	}
	return wanted, nil
}

func joined[T ~string](names []T) string {
	all := make([]string, 0, len(names))
	for _, name := range names {
		all = append(all, string(name))
	}
	return strings.Join(all, ", ")
}

// limitOf is how many rows are wanted.
func limitOf(c *cli.Context) (int, error) {
	if limit := c.Int("limit"); limit >= 1 {
		return limit, nil
	}
	return 0, usagef("limit %d: at least 1 row is listed", c.Int("limit"))
}

// questionOf is what is asked for.
func questionOf(c *cli.Context) (string, error) {
	text := memory.OneLine(withoutControls(strings.Join(c.Args().Slice(), " ")))
	switch {
	case text == "":
		return "", usagef("%s for what? give some words", c.Command.Name)
	case len(text) > maxQuery:
		return "", usagef("the question has %d bytes, the most is %d: use fewer words", len(text), maxQuery)
	}
	return text, nil
}

func (p *program) search(c *cli.Context) error {
	text, err := questionOf(c)
	if err != nil {
		return err
	}
	limit, err := limitOf(c)
	if err != nil {
		return err
	}
	wanted, err := kindsOf(c)
	if err != nil {
		return err
	}
	where, err := p.project(c)
	if err != nil {
		return err
	}
	hits := []memory.Hit{}
	params := agentapi.FindParams{Project: where.Key, Text: text, Kinds: wanted, Archived: c.Bool("archived"), Limit: limit + 1}
	if err := p.call(c.Context, agentapi.MethodFind, params, &hits); err != nil {
		return err
	}
	more := len(hits) > limit
	hits = hits[:min(limit, len(hits))]
	return p.print(c, hits, func(w io.Writer) {
		if len(hits) == 0 {
			_, _ = fmt.Fprintln(w, "nothing is remembered that has these words")
			return
		}
		found := make([]memory.Memory, 0, len(hits))
		for _, h := range hits {
			found = append(found, h.Memory)
		}
		p.memoryTable(w, found)
		p.moreRows(w, len(hits), more)
	})
}

func (p *program) recall(c *cli.Context) error {
	text, err := questionOf(c)
	if err != nil {
		return err
	}
	if c.Int("budget") < 1 {
		return usagef("budget %d: give at least 1 token", c.Int("budget"))
	}
	wanted, err := kindsOf(c)
	if err != nil {
		return err
	}
	where, err := p.project(c)
	if err != nil {
		return err
	}
	params := agentapi.AnswerParams{
		TokenBudget: c.Int("budget"), FindParams: agentapi.FindParams{Project: where.Key, Text: text, Kinds: wanted, Limit: recallHits},
	}
	var answer agentapi.Answer
	if err := p.call(c.Context, agentapi.MethodAnswer, params, &answer); err != nil {
		return err
	}
	return p.print(c, answer, func(w io.Writer) {
		for _, m := range answer.Memories {
			_, _ = fmt.Fprintf(w, "%s  %s  %s\n", p.paint(cyan, printable(m.ID)), m.Date, printable(m.Content))
		}
		if len(answer.Memories) == 0 {
			_, _ = fmt.Fprintln(w, "nothing is remembered that answers this")
		}
		_, _ = fmt.Fprintf(w, "%d of %d tokens (%s), %d more beyond the budget\n", answer.Tokens, c.Int("budget"), answer.Encoding, answer.Left)
	})
}

func (p *program) list(c *cli.Context) error {
	limit, err := limitOf(c)
	if err != nil {
		return err
	}
	if c.Bool("all") {
		limit = everyRow
	}
	wanted, err := kindsOf(c)
	if err != nil {
		return err
	}
	where, err := p.project(c)
	if err != nil {
		return err
	}
	filter := memory.Filter{Project: where.Key, Kinds: wanted, Statuses: []memory.Status{memory.StatusActive}, Limit: limit}
	if c.Bool("archived") {
		filter.Statuses = []memory.Status{memory.StatusArchived}
	}
	memories, total := []memory.Memory{}, 0
	if c.Bool("user") {
		filter.Limit = everyRow
		memories, err = p.ofUser(c, filter)
		total = len(memories)
		memories = memories[:min(limit, total)]
	} else {
		err = errors.Join(p.call(c.Context, agentapi.MethodMemories, filter, &memories), p.call(c.Context, agentapi.MethodCount, filter, &total))
	}
	if err != nil {
		return err
	}
	return p.print(c, memories, func(w io.Writer) {
		if len(memories) == 0 {
			_, _ = fmt.Fprintln(w, nothingListed(c, where.Name))
			return
		}
		p.memoryTable(w, memories)
		if total > len(memories) {
			_, _ = fmt.Fprintln(w, p.paint(dim, fmt.Sprintf("%d of %d; --all or --limit N shows more", len(memories), total)))
		}
	})
}

// everyRow is more than any list has. What the agent can send in one message
// bounds it: 16 MB are some 20,000 memories.
const everyRow = 20_000

func allRowsFlag() cli.Flag { return &cli.BoolFlag{Name: "all", Usage: "without a limit"} }

// nothingListed says of what nothing is remembered.
func nothingListed(c *cli.Context, project string) string {
	what, state := "nothing", "is remembered"
	if kinds := c.StringSlice("kind"); len(kinds) > 0 {
		what = "nothing of the kind " + printable(strings.Join(kinds, " or "))
	}
	if c.Bool("archived") {
		state = "was put away"
	}
	if c.Bool("user") {
		return what + " " + state + " for every project yet"
	}
	return what + " " + state + " of " + printable(project) + " yet"
}

// ofUser lists what is the user's.
func (p *program) ofUser(c *cli.Context, filter memory.Filter) ([]memory.Memory, error) {
	users := []memory.Memory{}
	if !c.Bool("archived") {
		return users, p.call(c.Context, agentapi.MethodUsers, filter, &users)
	}
	var hits []memory.Hit // of the project, too
	params := agentapi.FindParams{Project: filter.Project, Kinds: filter.Kinds, Archived: true, Limit: mostArchived}
	if err := p.call(c.Context, agentapi.MethodFind, params, &hits); err != nil {
		return nil, err
	}
	for _, hit := range hits {
		if hit.Memory.Scope == memory.ScopeUser && len(users) < filter.Limit {
			users = append(users, hit.Memory)
		}
	}
	return users, nil
}

// mostArchived is the most that the agent finds among what was put away.
const mostArchived = 100

// memoryTable is one line for each memory, below a header.
func (p *program) memoryTable(w io.Writer, memories []memory.Memory) {
	_, _ = io.WriteString(w, p.header("ID", "SEEN", "KIND", "SOURCE", "TEXT"))
	for _, m := range memories {
		p.memoryLine(w, m)
	}
}

func (p *program) memoryLine(w io.Writer, m memory.Memory) {
	id, kind := memory.ShortID(printable(m.ID)), string(m.Kind)
	if m.Pinned {
		kind += "*"
	}
	_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", p.paint(cyan, id), p.ago(m.LastSeenAt), printable(kind), sourceOf(m), title(m.Content))
}

// sourceOf names whose words a memory is.
func sourceOf(m memory.Memory) string {
	return cmp.Or(strings.ReplaceAll(printable(string(m.Source)), "_", " "), "unknown")
}

// moreRows says that a list ends before its end.
func (p *program) moreRows(w io.Writer, shown int, more bool) {
	if more {
		_, _ = fmt.Fprintln(w, p.paint(dim, fmt.Sprintf("the first %d; --limit N shows more", shown)))
	}
}

func (p *program) showMemories(c *cli.Context) error {
	if !c.Args().Present() {
		return usagef("show which? give ids, as memory list shows them")
	}
	for _, id := range c.Args().Slice() {
		if err := checkID(id); err != nil {
			return err
		}
	}
	where, err := p.project(c)
	if err != nil {
		return err
	}
	found := []memory.Memory{}
	for _, id := range c.Args().Slice() {
		var one []memory.Memory
		if err := p.call(c.Context, agentapi.MethodGet, agentapi.GetParams{Project: where.Key, IDs: []string{id}}, &one); err != nil {
			return err
		}
		if len(one) == 0 {
			return p.unknown(id, where.Name)
		}
		found = append(found, one...)
	}
	return p.print(c, found, func(w io.Writer) {
		for i, m := range found {
			if i > 0 {
				_, _ = fmt.Fprintln(w)
			}
			p.memoryPage(w, m)
		}
	})
}

// checkID refuses what no id begins like.
func checkID(id string) error {
	if !memory.IsIDBeginning(id) {
		return usagef("%q is no id: an id has 6 to 32 digits from 0 to 9 and a to f, as memory list shows them", memory.Cut(id, 40))
	}
	return nil
}

func (p *program) unknown(id, project string) error {
	return fmt.Errorf("the project %s has no memory %s: %w; memory list shows them, --project DIR names another project",
		printable(project), id, memory.ErrNotFound)
}

func (p *program) memoryPage(w io.Writer, m memory.Memory) {
	project := m.Project
	if m.Scope == memory.ScopeUser {
		project = "every project"
	}
	rows := [][2]string{
		{"id", p.paint(cyan, m.ID)},
		{"kind", fmt.Sprintf("%s, %s", m.Kind, m.Type)},
		{"reach", fmt.Sprintf("%s (%s)", m.Scope, printable(project))},
		{"status", string(m.Status)},
		{"source", sourceOf(m)},
		{"importance", fmt.Sprintf("%.2f", m.Importance) + map[bool]string{true: ", pinned"}[m.Pinned]},
		{"tokens", fmt.Sprintf("%d (%s)", m.TokenCount, printable(m.TokenEncoding))},
		{"created", p.when(m.CreatedAt)},
		{"last seen", p.when(m.LastSeenAt)},
		{"tags", printable(strings.Join(m.Tags, ", "))},
		{"files", printable(strings.Join(m.Files, ", "))},
		{"command", printable(m.Command)},
	}
	for _, row := range rows {
		if row[1] != "" {
			_, _ = fmt.Fprintf(w, "%s\t%s\n", row[0], row[1])
		}
	}
	beginning := strings.TrimSuffix(m.Content, "…")
	if !strings.Contains(memory.OneLine(m.Detail), beginning) { // otherwise the detail is the text, with its lines
		_, _ = fmt.Fprintf(w, "\n%s\n", printable(m.Content))
	}
	if m.Detail != "" {
		_, _ = fmt.Fprintf(w, "\n%s\n", strings.ReplaceAll(defuse.Text(m.Detail), "\t", "    "))
	}
}

func (p *program) timeline(c *cli.Context) error {
	where, err := p.project(c)
	if err != nil {
		return err
	}
	params := agentapi.AroundParams{Project: where.Key, At: p.now(), Before: c.Int("before"), After: c.Int("after")}
	if params.Before < 0 || params.After < 0 {
		return usagef("before and after count memories: give 0 or more")
	}
	if text := strings.Join(c.Args().Slice(), " "); text != "" {
		at, isTime := p.instant(text)
		switch {
		case isTime:
			params.At = at
		case checkID(text) == nil:
			params.ID = text
		default:
			return usagef("%q is neither an id nor a time such as 2026-11-20 or \"2026-11-20 15:04\"", memory.Cut(text, 40))
		}
	}
	found := []memory.Memory{}
	if err := p.call(c.Context, agentapi.MethodAround, params, &found); err != nil {
		return err
	}
	return p.print(c, found, func(w io.Writer) {
		if len(found) == 0 {
			_, _ = fmt.Fprintln(w, "nothing is remembered around then")
			return
		}
		p.memoryTable(w, found)
	})
}

// instant reads a time in the user's zone.
func (p *program) instant(text string) (time.Time, bool) {
	zone := p.zone
	if zone == nil {
		zone = time.UTC
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, "2006-01-02 15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

func (p *program) sessions(c *cli.Context) error {
	limit, err := limitOf(c)
	if err != nil {
		return err
	}
	params := agentapi.SessionsParams{Limit: limit + 1}
	if !c.Bool("all") {
		where, err := p.project(c)
		if err != nil {
			return err
		}
		params.Project = where.Key
	}
	found := []memory.Session{}
	if err := p.call(c.Context, agentapi.MethodSessions, params, &found); err != nil {
		return err
	}
	more := len(found) > limit
	found = found[:min(limit, len(found))]
	return p.print(c, found, func(w io.Writer) {
		if len(found) == 0 {
			_, _ = fmt.Fprintln(w, "no session has been seen here yet")
			return
		}
		_, _ = io.WriteString(w, p.header("SESSION", "SEEN", "STATE", "PROMPTS", "NOTIFIED", "SUMMARY"))
		for _, s := range found {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%s\n", p.paint(cyan, shortSession(s.ID)), p.ago(s.LastEventAt), printable(string(s.State)),
				s.PromptCount, s.NotificationCount, summary(c, s))
		}
		p.moreRows(w, len(found), more)
	})
}

// shortSession is the beginning of a session's id.
func shortSession(id string) string {
	length := sessionDigits
	if strings.HasPrefix(id, "cli-") { // and the day
		length = len("cli-" + time.DateOnly)
	}
	return printable(id[:min(length, len(id))])
}

// sessionDigits of a session's id tell it apart from the others of a person.
const sessionDigits = 8

func summary(c *cli.Context, s memory.Session) string {
	if c.Bool("summary") {
		return printable(memory.OneLine(s.Summary.Text))
	}
	text := memory.OneLine(s.Summary.Text)
	if when, what, found := strings.Cut(text, " UTC: "); found && len(when) == len("2006-01-02 15:04") {
		text = what // another column has the time
	}
	return title(memory.Cut(text, 200))
}

func (p *program) context(c *cli.Context) error {
	where, err := p.project(c)
	if err != nil {
		return err
	}
	if p.isOff(where) {
		return p.print(c, agentapi.ContextResult{}, func(w io.Writer) {
			_, _ = fmt.Fprintf(w, "nothing: the memory is off for %s; memory projects on switches it on\n", printable(where.Name))
		})
	}
	budget := p.config.Hooks.SessionStart.TokenBudget
	params := agentapi.SessionContextParams{Project: where.Key, TokenBudget: budget, WaitMS: int(callTime.Milliseconds())}
	var result agentapi.ContextResult
	if err := p.call(c.Context, agentapi.MethodSessionContext, params, &result); err != nil {
		return err
	}
	return p.print(c, result, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "%s%d of %d tokens (%s), %s\n", strings.ReplaceAll(result.Text, "\t", "    "), result.Tokens, budget, result.Encoding, counted(result.Items, "item"))
	})
}
