package ingest

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/knowledge"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// maxDigest is the maximum number of tokens of a digest as recall renders it.
const maxDigest = 60

// The maximum and minimum number of bytes of a part of a digest, and the maximum number of files.
const (
	maxDigestPart  = 160
	minDigestPart  = 40
	maxDigestFiles = 3
)

// The maximum number of bytes of a stored digest's texts, and of files in its lists.
const (
	maxDigestText = 300
	maxDigestList = 20
)

// Digest is a session's digest, made by rules. Request is the first prompt with content; Investigated the last task of a subagent; Learned the last statement
// of the user; Completed the last words with content, or else the last completed task; NextSteps the last failure that was not fixed, or else the last todo.
type Digest struct {
	memory.Digest
	SummedUp string // a compaction's summary, if the session ended with it
}

// Summary returns the summary of a session by rules: its digest, and the digest as one line. It is empty if nothing
// was done, stated or concluded.
//
// An imported session keeps the summary that it was imported with until the session continues; the same holds for a
// digest that a model wrote.
func Summary(a memory.SessionRecord, counter memory.TokenCounter) memory.Summary {
	a = a.WithoutRewound()
	digest, stored := DigestOf(a), a.Session.Summary.Digest
	text, kept := importedSummary(a), digest.kept()
	switch {
	case text == "":
		text = line(dated(a), digest.parts(), counter)
	case !stored.IsZero():
		kept = stored
	}
	if written, is := written(a); is {
		written.FilesRead, written.FilesModified = kept.FilesRead, kept.FilesModified // recorded facts, which the model may not change
		kept, text = written, writtenLine(a, written, counter)
	}
	if text == "" {
		return memory.Summary{}
	}
	return memory.Summary{Text: text, Digest: kept}
}

// kept returns the digest as it is stored, with its texts and lists cut.
func (d Digest) kept() memory.Digest {
	kept := d.Digest
	kept.Completed = cmp.Or(kept.Completed, d.SummedUp)
	kept = memory.Cleaned(kept, func(text string) string { return memory.CutOnce(memory.CutWords(text, maxDigestText), maxDigestText) })
	for _, files := range []*[]string{&kept.FilesRead, &kept.FilesModified} {
		*files = (*files)[max(0, len(*files)-maxDigestList):]
	}
	return kept
}

// DigestOf returns the digest of a session. It is zero if nothing was done, stated or concluded. A question with its
// answer does not count as a conclusion.
func DigestOf(a memory.SessionRecord) Digest {
	asked := askedToKeep(a.Prompts)
	d, happened := done(a, asked)
	completed, summedUp := lastSaid(a.SessionEvents)
	if !happened && summedUp == "" && len(d.FilesRead) == 0 {
		return Digest{}
	}
	d.Request = request(a.Prompts)
	if last := stated(a.Seen, asked); !strings.Contains(d.Request, last) {
		d.Learned = last
	}
	d.SummedUp, d.Completed = summedUp, cmp.Or(completed, d.Completed)
	if english.CoreOf(d.Completed).IsContainedIn(english.CoreOf(d.Request)) {
		d.Completed = ""
	}
	said := func(seen memory.Seen) bool { return seen.Memory.IsUsersWord() }
	if d.Learned+d.SummedUp+d.Completed+d.Investigated+d.NextSteps == "" && len(d.FilesModified)+len(d.FilesRead) == 0 &&
		!slices.ContainsFunc(a.Seen, said) { // a request alone, such as "Deploy"
		return Digest{}
	}
	changes := func(e memory.SessionEvent) bool {
		return e.IsActivity() && e.Kind != memory.EventToolUsed && e.Kind != memory.EventSubagentReported
	}
	if d.Learned+d.SummedUp+d.Completed+d.Investigated == "" && len(a.Seen) == 0 && !slices.ContainsFunc(a.SessionEvents, changes) {
		return Digest{} // the session only read
	}
	return d
}

// done returns a digest of a session's activities, without statements, and whether there were any.
func done(a memory.SessionRecord, asked map[string]bool) (d Digest, happened bool) {
	for _, seen := range a.Seen {
		m := seen.Memory
		if asked[m.Content] {
			continue
		}
		happened = true
		if m.Kind == memory.KindTodo {
			d.NextSteps = m.Content
		}
	}
	var open []memory.SessionEvent // failures without a later success
	for _, e := range a.SessionEvents {
		happened = happened || e.IsActivity()
		switch e.Kind {
		case memory.EventCommandFailed:
			if !shell.IsReadOnly(commandOf(e)) {
				open = append(open, e)
			}
		case memory.EventCommandSucceeded:
			open = slices.DeleteFunc(open, func(f memory.SessionEvent) bool {
				return shell.HasRun(commandOf(e), commandOf(f)) && !stepOf(e).Repeats(f.Detail)
			})
		case memory.EventFileChanged:
			d.FilesModified = touched(d.FilesModified, e.Files)
		case memory.EventToolUsed:
			d.FilesRead = touched(d.FilesRead, e.Files)
		case memory.EventSubagentReported:
			if task, isTask := strings.CutPrefix(e.Detail, taskOfSubagent); isTask {
				task, _, _ = strings.Cut(task, "\n")
				d.Investigated = task
			}
		case memory.EventTaskCompleted:
			d.Completed = e.Text
		default:
		}
	}
	if len(open) > 0 {
		d.NextSteps = open[len(open)-1].Text
	}
	return d, happened
}

// touched returns the names with files moved to the end.
func touched(names, files []string) []string {
	for _, file := range files {
		name := path.Base(strings.ReplaceAll(file, `\`, "/"))
		names = append(slices.DeleteFunc(names, func(n string) bool { return n == name }), name)
	}
	return names
}

// askedToKeep returns the texts that prompts asked to keep. A start shows them anyway.
func askedToKeep(prompts []memory.Prompt) map[string]bool {
	asked := map[string]bool{}
	for _, p := range prompts {
		for _, d := range knowledge.Directives(p.Text, "") {
			asked[memory.OneLine(d.Text)] = true
		}
	}
	return asked
}

// stated returns the user's last statement that nobody asked to keep, or "".
func stated(all []memory.Seen, asked map[string]bool) (last string) {
	for _, seen := range all {
		m := seen.Memory
		if m.Source == memory.SourceUser && m.Kind.IsUserAuthored() && m.Kind != memory.KindTodo && !asked[m.Content] {
			last = m.Content
		}
	}
	return last
}

// lastSaid returns the summary of the last compaction, and the gist of the last words with content after it.
func lastSaid(events []memory.SessionEvent) (completed, summedUp string) {
	for _, m := range events {
		switch m.Kind {
		case memory.EventCompacted, memory.EventSummarised:
			completed, summedUp = "", strings.TrimRight(memory.OneLine(m.Text), ".")
		case memory.EventTurnEnded:
			if text := knowledge.Gist(m.Text); text != "" {
				completed = text
			}
		default:
		}
	}
	return completed, summedUp
}

// request returns the first prompt with content. It leaves out directives, which become memories, and pasted text, unless everything was pasted.
func request(prompts []memory.Prompt) string {
	for _, p := range prompts {
		if text := memory.OneLine(knowledge.WithoutPaste(p.Text)); text != "" {
			return text
		}
	}
	return ""
}

// part is a field of a digest with the text around it.
type part struct {
	before, text, after string
	isProse             bool // whether only whole sentences are shown
}

func dated(a memory.SessionRecord) string {
	return a.Session.StartedAt.UTC().Format("2006-01-02 15:04 UTC")
}

// writtenLine returns a model's digest on one line as recall shows it, with its number of tokens and the id by which a model can fetch the rest.
func writtenLine(a memory.SessionRecord, d memory.Digest, counter memory.TokenCounter) string {
	head := fmt.Sprintf("%s [%s, %d tokens, written by a model]", dated(a), memory.ShortID(a.Session.ID), counter.Count(d.Lines()))
	parts := []part{
		{text: d.Request}, {before: "done: ", text: d.Completed}, {before: "open: ", text: d.NextSteps}, {before: "learned: ", text: d.Learned},
	}
	for i := range parts {
		parts[i].text = strings.TrimSuffix(parts[i].text, ".")
	}
	return line(head, parts, counter)
}

// line returns a head and the parts of a digest on one line of at most maxDigest tokens. If they are longer, it
// shortens the longest parts first, and then drops the last ones.
func line(head string, parts []part, counter memory.TokenCounter) string {
	parts = slices.DeleteFunc(parts, func(p part) bool { return p.text == "" })
	size := maxDigestPart
	for {
		joined := join(parts, size)
		if joined == "" {
			return ""
		}
		text := head + ": " + joined
		if !strings.HasSuffix(text, "…") {
			text += "."
		}
		switch {
		case counter.Count(render.SummaryLine(text)) <= maxDigest:
			return text
		case size > minDigestPart:
			size -= size / 8
		case len(parts) > 1:
			parts, size = parts[:len(parts)-1], maxDigestPart
		default:
			return text
		}
	}
}

// exitCode matches the text between a failed command and its reason.
var exitCode = regexp.MustCompile("` failed(?: with exit code [0-9]+)?: ")

// parts returns the fields, the most informative first; some may be empty.
func (d Digest) parts() []part {
	all := []part{
		{before: `asked "`, text: d.Request, after: `"`, isProse: true},
		{before: "open: ", text: exitCode.ReplaceAllString(d.NextSteps, "`: ")},
		{text: files("edited ", d.FilesModified)},
		{before: "summed up as: ", text: d.SummedUp, isProse: true},
	}
	if d.Learned == "" || !strings.Contains(d.Completed, d.Learned) {
		all = append(all, part{before: "ended with: ", text: d.Completed, isProse: true})
	}
	if len(d.FilesModified) == 0 {
		all = append(all, part{before: "looked into: ", text: d.Investigated, isProse: true}, part{text: files("read ", d.FilesRead)})
	}
	return all
}

func join(parts []part, size int) string {
	var texts []string
	for _, p := range parts {
		text := memory.CutWords(p.text, size)
		if p.isProse && strings.HasSuffix(text, "…") {
			all := language.Sentences(text) // drops the last sentence: half a sentence may mean the opposite
			text = strings.TrimSpace(strings.TrimSuffix(text, all[len(all)-1]))
		}
		if text != "" {
			texts = append(texts, p.before+strings.TrimRight(text, ".")+p.after)
		}
	}
	return strings.Join(texts, "; ")
}

// files returns a text that names the last files of a list.
func files(did string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	from := max(0, len(names)-maxDigestFiles)
	text := did + strings.Join(names[from:], ", ")
	if from > 0 {
		text += fmt.Sprintf(" and %d more", from)
	}
	return text
}

// written returns the digest that a model wrote of the parts of the session, unless the session has continued since.
func written(a memory.SessionRecord) (found memory.Digest, is bool) {
	var at time.Time
	for _, e := range slices.SortedStableFunc(slices.Values(a.SessionEvents), func(x, y memory.SessionEvent) int { return x.At.Compare(y.At) }) {
		if e.Kind != memory.EventDistilled {
			continue
		}
		if d, err := memory.DistilledOf(e.Text); err == nil && !d.Digest.IsZero() {
			found, at, is = found.Append(d.Digest), e.At, true
		}
	}
	if slices.ContainsFunc(a.Prompts, func(p memory.Prompt) bool { return p.At.After(at) }) {
		return memory.Digest{}, false
	}
	return found, is
}

// importedSummary returns the summary with which a session was imported, or "" if the session has had prompts or work since.
func importedSummary(a memory.SessionRecord) string {
	text := ""
	at := a.Session.StartedAt
	for _, m := range a.SessionEvents {
		if m.Kind == memory.EventSummarised && !m.At.Before(at) {
			text, at = m.Text, m.At
		}
	}
	isTyped := func(p memory.Prompt) bool { return p.At.After(at) }
	isNew := func(e memory.SessionEvent) bool { return e.IsActivity() && e.At.After(at) }
	isStated := func(seen memory.Seen) bool { return seen.At.After(at) && a.Session.LastEventAt.After(at) } // the time of a sighting may be in the future
	if slices.ContainsFunc(a.Prompts, isTyped) || slices.ContainsFunc(a.Seen, isStated) || slices.ContainsFunc(a.SessionEvents, isNew) {
		return ""
	}
	return text
}
