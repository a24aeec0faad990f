package policy

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/policy/rules"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/shell"
)

// TagRepeats marks the facts of Repeats; those of a model have memory.TagModel.
const TagRepeats = "distilled"

// Repeats derives facts from repeated episodes, without a model:
//
//   - a command that failed at least as often as the rules ask becomes one
//
// semantic fact: how often, since when, the usual reason, the last fix; so do
//
//	  commands of one program and subcommand that failed in that many sessions for one reason;
//	- files that were edited in the same sessions, most of the time, become a
//	  procedure.
//
// Each rests on at least as many episodes as the rules ask and names its sources. A
// fact keeps its id when its numbers grow: known holds the facts that may be stored
// already, and new evidence updates them, archived ones too; merged, corrected,
// forgotten and exempt facts stay as they are. A fact whose text changed has TokenCount 0
// and no TokenEncoding: it is to be counted again.
//
// Episodes are activities: a command that failed, for the reason in the detail, or succeeded; a
// command that was fixed, as the detail describes; a file that was edited. They may be a
// selection of projects, but must include all episodes of each project. Other and incomplete
// ones are skipped. One that is there twice, or of a project without active days, is inconsistent.
func Repeats(now Now, episodes []memory.Activity, known []Row) (Plan, error) {
	if err := validate(now, known); err != nil {
		return Plan{}, fmt.Errorf("plan facts of repeated events: %w", err)
	}
	seen := make(map[string]bool, len(episodes))
	var whole []memory.Activity
	for _, e := range episodes {
		if !isWhole(e) {
			continue
		}
		if _, clocked := now.ActiveDays[e.Project]; seen[e.ID] || !clocked {
			return Plan{}, fmt.Errorf("plan facts of repeated events: event %q is there twice, or of project %q, whose active days are not given: %w", e.ID, e.Project, ErrInconsistent)
		}
		seen[e.ID] = true
		whole = append(whole, e)
	}
	slices.SortFunc(whole, func(a, b memory.Activity) int { return cmp.Or(cmp.Compare(a.Project, b.Project), inTime(a, b)) })
	var lessons []lesson
	for project := range byProject(whole) {
		lessons = append(lessons, failures(project)...)
		lessons = append(lessons, together(project)...)
	}
	return proposals(now, lessons, known), nil
}

// isWhole reports whether something can be learned from an activity.
func isWhole(e memory.Activity) bool {
	about := memory.OneLine(e.Command)
	switch e.Kind {
	case memory.KindFailure, memory.KindCommand, memory.KindFix:
	case memory.KindEdit:
		about = e.File
	default:
		return false
	}
	return e.ID != "" && e.Memory != "" && e.Project != "" && e.Session != "" && !e.At.IsZero() && about != ""
}

// inTime is the order of time.
func inTime(a, b memory.Activity) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) }

// byProject splits episodes, ordered by project, into one slice for each.
func byProject(ordered []memory.Activity) iter.Seq[[]memory.Activity] {
	return func(yield func([]memory.Activity) bool) {
		for from := 0; from < len(ordered); {
			to := from + 1
			for to < len(ordered) && ordered[to].Project == ordered[from].Project {
				to++
			}
			if !yield(ordered[from:to]) {
				return
			}
			from = to
		}
	}
}

// lesson is a possible fact, before it is compared with the stored ones.
type lesson struct {
	key        string // its id is made of this, so it stays the same when evidence grows
	project    string
	kind       memory.Kind
	typ        memory.Type
	tag        string
	importance float64
	files      []string // that it is about, and the command: recall finds it by them, and touching one uses it
	command    string
	signature  string
	content    string
	detail     string
	evidence   []memory.Activity // in the order of time
	reason     string
}

// fix is the success, after edits, that ended a streak of failures of a command.
type fix struct {
	edits   []memory.Activity // after the last failure
	success memory.Activity
}

// findFixes walks each session through time.
func findFixes(project []memory.Activity) []fix {
	type run struct{ edits []memory.Activity }
	type place struct{ session, command string }
	open, fixes := map[place]*run{}, []fix(nil)
	commands := map[string][]*run{} // the open runs of a session
	for _, e := range project {
		at := place{e.Session, memory.OneLine(e.Command)}
		switch e.Kind {
		case memory.KindFailure:
			if open[at] == nil {
				open[at] = &run{}
				commands[e.Session] = append(commands[e.Session], open[at])
			}
			open[at].edits = nil
		case memory.KindEdit:
			for _, waiting := range commands[e.Session] {
				waiting.edits = append(waiting.edits, e)
			}
		case memory.KindCommand:
			waiting := open[at]
			if waiting == nil {
				continue
			}
			if len(waiting.edits) > 0 {
				fixes = append(fixes, fix{waiting.edits, e})
			}
			delete(open, at)
			commands[e.Session] = slices.DeleteFunc(commands[e.Session], func(r *run) bool { return r == waiting })
		}
	}
	return fixes
}

// cure is how a command came to work, with the signature of the error that it had before.
type cure struct {
	fix       memory.Activity
	signature string
}

// curesOf are the cures of a project in the order of time, by the commands that they helped,
// and by their heads.
func curesOf(project []memory.Activity) map[string][]cure {
	type place struct{ session, command string }
	last, cures := map[place]string{}, map[string][]cure{}
	for _, e := range project {
		command := memory.OneLine(e.Command)
		at := place{e.Session, command}
		switch {
		case e.Kind == memory.KindFailure:
			last[at] = memory.ErrorSignature(e.Detail)
		case e.Kind == memory.KindFix && e.Detail != "":
			cures[command] = append(cures[command], cure{e, last[at]})
			if head := shell.Head(e.Command); head != command {
				cures[head] = append(cures[head], cure{e, last[at]})
			}
		}
	}
	return cures
}

// lastCure is the last cure of an error; the cure of another error would mislead. Without a
// signature, errors cannot be distinguished.
func lastCure(cures []cure, signature string) memory.Activity {
	for _, c := range slices.Backward(cures) {
		if signature == "" || c.signature == "" || c.signature == signature {
			return c.fix
		}
	}
	return memory.Activity{}
}

// failures makes one lesson of each command that failed often enough, for a reason seen
// in another session too: a failure in one session only was part of its work. Commands
// that failed with other arguments each time are grouped by program, subcommand and
// reason, and needs as many sessions.
func failures(project []memory.Activity) []lesson {
	failed, alike := map[string][]memory.Activity{}, map[string][]memory.Activity{}
	for _, e := range project {
		if e.Kind == memory.KindFailure {
			command := memory.OneLine(e.Command)
			failed[command] = append(failed[command], e)
		}
	}
	fixed, cures := map[string]fix{}, curesOf(project)
	for _, f := range findFixes(project) {
		fixed[memory.OneLine(f.success.Command)] = f
	}
	var lessons []lesson
	for _, command := range slices.Sorted(maps.Keys(failed)) {
		evidence := failed[command]
		if len(evidence) < rules.Episodes || !recurs(evidence) {
			for _, e := range evidence {
				if reason := memory.ErrorSignature(e.Detail); reason != "" && !shell.LooksAround(e.Command) {
					alike[shell.Head(e.Command)+"\n"+reason] = append(alike[shell.Head(e.Command)+"\n"+reason], e)
				}
			}
			continue
		}
		made := failureLesson(command, evidence)
		if f, known := fixed[command]; known {
			made.content += "; last fixed by editing " + named(files(f.edits))
			made.evidence = append(append(slices.Clone(evidence), f.edits...), f.success)
		}
		lessons = append(lessons, made.cured(lastCure(cures[command], memory.ErrorSignature(mostFrequent(evidence)))))
	}
	for _, key := range slices.Sorted(maps.Keys(alike)) {
		evidence := slices.SortedFunc(slices.Values(alike[key]), inTime)
		if sessionsOf(evidence) < rules.Episodes {
			continue
		}
		head, reason, _ := strings.Cut(key, "\n")
		made := failureLesson(head+" …", evidence)
		made.key, made.command, made.signature = "failures of "+key, head, reason
		lessons = append(lessons, made.cured(lastCure(cures[head], reason)))
	}
	return lessons
}

// failureLesson is the lesson of a command's failures, given in the order of time.
func failureLesson(command string, evidence []memory.Activity) lesson {
	first, last := evidence[0].At, evidence[len(evidence)-1].At
	failures := times(len(evidence), "time")
	content := fmt.Sprintf("`%s` failed %s in %s (%s to %s)", command, failures,
		times(sessionsOf(evidence), "session"), date(first), date(last))
	if problem := mostFrequent(evidence); problem != "" {
		content += ", mostly: " + problem
	}
	return lesson{
		key: "failures of " + command, project: evidence[0].Project, kind: memory.KindFailure,
		typ: memory.TypeSemantic, tag: "repeated-failure",
		importance: rules.FactImportance, command: command, content: content, evidence: evidence,
		reason: fmt.Sprintf("%s failed %s, %d make a fact", command, failures, rules.Episodes),
	}
}

// cured adds how the command came to work, if that is known.
func (l lesson) cured(by memory.Activity) lesson {
	if by.ID != "" {
		l.content += "; " + by.Detail
		l.evidence = append(slices.Clone(l.evidence), by)
	}
	return l
}

// sessionsOf counts the sessions of episodes.
func sessionsOf(episodes []memory.Activity) int {
	sessions := map[string]bool{}
	for _, e := range episodes {
		sessions[e.Session] = true
	}
	return len(sessions)
}

// together makes a procedure of each group of files in which every two files were
// mostly edited in the same sessions. A file is in one group at most.
func together(project []memory.Activity) []lesson {
	sessions := map[string]map[string][]memory.Activity{} // session, file
	for _, e := range project {
		if e.Kind != memory.KindEdit {
			continue
		}
		if sessions[e.Session] == nil {
			sessions[e.Session] = map[string][]memory.Activity{}
		}
		sessions[e.Session][e.File] = append(sessions[e.Session][e.File], e)
	}
	in := map[string]map[string]bool{} // file, session
	for session, edited := range sessions {
		if len(edited) > rules.MostFiles {
			continue
		}
		for file := range edited {
			if in[file] == nil {
				in[file] = map[string]bool{}
			}
			in[file][session] = true
		}
	}
	var lessons []lesson
	for _, group := range groups(in) {
		lessons = append(lessons, groupLesson(group, in, sessions))
	}
	return lessons
}

// groups collects files greedily, by name, into groups in which every two belong
// together.
func groups(in map[string]map[string]bool) [][]string {
	var all []string
	for _, file := range slices.Sorted(maps.Keys(in)) {
		if len(in[file]) >= rules.Episodes {
			all = append(all, file)
		}
	}
	grouped, found := map[string]bool{}, [][]string(nil)
	for i, file := range all {
		if grouped[file] {
			continue
		}
		group := []string{file}
		for _, other := range all[i+1:] {
			fits := !grouped[other]
			for _, member := range group {
				fits = fits && belongTogether(in[member], in[other])
			}
			if fits {
				group = append(group, other)
			}
		}
		if len(group) > 1 {
			for _, member := range group {
				grouped[member] = true
			}
			found = append(found, group)
		}
	}
	return found
}

func belongTogether(a, b map[string]bool) bool {
	if len(b) < len(a) {
		a, b = b, a
	}
	if float64(len(a)) < rules.TogetherShare*float64(len(b)) { // the share is too low even if all sessions of a had both
		return false
	}
	both := 0
	for session := range a {
		if b[session] {
			both++
		}
	}
	either := len(a) + len(b) - both
	return both >= rules.Episodes && float64(both) >= rules.TogetherShare*float64(either)
}

func groupLesson(group []string, in map[string]map[string]bool, sessions map[string]map[string][]memory.Activity) lesson {
	var evidence []memory.Activity
	all, any := 0, map[string]bool{}
	for _, file := range group {
		for session := range in[file] {
			any[session] = true
		}
	}
	for session := range any {
		edited, has := sessions[session], 0
		for _, file := range group {
			if len(edited[file]) > 0 {
				has++
			}
		}
		if has < 2 {
			continue
		}
		for _, file := range group {
			evidence = append(evidence, edited[file]...)
		}
		if has == len(group) {
			all++
		}
	}
	slices.SortFunc(evidence, inTime)
	return lesson{
		key: "together with " + group[0], project: evidence[0].Project, kind: memory.KindNote,
		typ: memory.TypeProcedural, tag: "change-together",
		importance: rules.FactImportance, files: slices.Sorted(slices.Values(group)),
		content: fmt.Sprintf("%s change together (%d of the %s that edited one of them edited all)",
			named(group), all, times(len(any), "session")),
		detail: strings.Join(group, "\n"), evidence: evidence,
		reason: fmt.Sprintf("every two of them were edited together in at least %g %% of the sessions that edited one",
			rules.TogetherShare*100),
	}
}

// proposals compares lessons with the stored facts.
func proposals(now Now, lessons []lesson, known []Row) Plan {
	d := newDraft(known)
	var facts []memory.Action
	for _, l := range lessons {
		fact := l.fact(now)
		row, exists := d.row(fact.Memory.ID)
		if !exists {
			made := memory.Row(fact)
			facts = append(facts, memory.Action{Memory: fact.Memory.ID, Kind: memory.ActionCreate, Reason: l.reason, Row: &made})
			continue
		}
		if updated, changed := l.renew(row, fact); changed {
			d.change(KindUpdate, updated, "new evidence: "+l.reason)
		}
	}
	plan := d.plan()
	slices.SortFunc(facts, func(a, b memory.Action) int { return cmp.Compare(a.Memory, b.Memory) })
	plan.Actions = append(plan.Actions, facts...)
	return plan
}

// fact is the lesson as a new row.
func (l lesson) fact(now Now) Row {
	sources, sessions := []string{}, map[string]bool{}
	first, last := l.evidence[0].At, l.evidence[0].At
	for _, e := range l.evidence {
		sources = append(sources, e.Memory)
		sessions[e.Session] = true
		if e.At.Before(first) {
			first = e.At
		}
		if e.At.After(last) {
			last = e.At
		}
	}
	sources = united(sources)
	return Row{
		Memory: memory.Memory{
			ID: memory.NewID(memory.ScopeProject, l.project, l.key), Project: l.project, Scope: memory.ScopeProject,
			Type: l.typ, Kind: l.kind,
			Status: memory.StatusActive, Content: l.content, Detail: l.detail, Tags: united([]string{TagRepeats, l.tag}),
			Source: memory.SourceTool, Files: l.files, Command: l.command, Signature: l.signature,
			Importance: l.importance, CreatedAt: first, LastSeenAt: last,
		},
		Home: l.project, Sessions: len(sessions), Projects: 1, UsedAt: now.Time, UsedOn: now.ActiveDays[l.project],
		DerivedFrom: sources,
	}
}

// renew updates a stored fact with newer evidence. That is not a use and does not
// strengthen it; but a fact that comes back from the archive starts afresh.
func (l lesson) renew(row Row, fact Row) (Row, bool) {
	m := row.Memory
	restorable := !row.Exempt && (row.alive() || m.Status == memory.StatusArchived)
	if !restorable || !fact.Memory.LastSeenAt.After(m.LastSeenAt) {
		return row, false
	}
	s := row.State()
	s.LastSeenAt, s.Sessions = fact.Memory.LastSeenAt, max(s.Sessions, fact.Sessions)
	s.DerivedFrom = united(slices.Concat(s.DerivedFrom, fact.DerivedFrom))
	if s.Content != fact.Memory.Content || s.Detail != fact.Memory.Detail {
		s.Content, s.Detail = fact.Memory.Content, fact.Memory.Detail
		s.TokenCount, s.TokenEncoding = 0, ""
	}
	if !row.alive() {
		s.Status, s.RetiredAt, s.UsedOn = memory.StatusActive, time.Time{}, fact.UsedOn
	}
	return row.With(s), true
}

// mostNamed is the number of files a fact names; its detail and sources have all.
const mostNamed = 5

func named(files []string) string {
	if len(files) <= mostNamed {
		return strings.Join(files, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(files[:mostNamed], ", "), len(files)-mostNamed)
}

// files names the edited files, each once, in its order.
func files(edits []memory.Activity) []string {
	var names []string
	for _, e := range edits {
		if !slices.Contains(names, e.File) {
			names = append(names, e.File)
		}
	}
	return names
}

// recurs reports whether two sessions or more saw the same problem. Failures without a reason count
// as the same problem.
func recurs(failed []memory.Activity) bool {
	sessions := map[string]string{} // by problem, the first
	for _, e := range failed {
		problem := memory.ErrorSignature(e.Detail)
		if first, known := sessions[problem]; known && first != e.Session {
			return true
		}
		sessions[problem] = cmp.Or(sessions[problem], e.Session)
	}
	return false
}

// mostFrequent is the reason that most failures gave; of equally frequent ones the
// later.
func mostFrequent(failed []memory.Activity) string {
	count, best := map[string]int{}, ""
	for _, e := range failed {
		problem := memory.ErrorReason(e.Detail)
		count[problem]++
		if problem != "" && (best == "" || count[problem] >= count[best]) {
			best = problem
		}
	}
	return best
}

func date(at time.Time) string { return at.UTC().Format("2006-01-02") }
