package ingest

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/knowledge"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/quarantine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// maxDigest is the most that a digest takes as recall renders it, in tokens.
const maxDigest = 60

// The most and the least of a part of a digest, in bytes, and the most files.
const (
	maxDigestPart  = 160
	minDigestPart  = 40
	maxDigestFiles = 3
)

// Digest is what a session was, each field filled by rule and empty where the rules
// find nothing.
type Digest struct {
	Request      string // the first prompt that says something
	Investigated string // what a subagent was last asked to look into
	Learned      string // what the user stated, the most important of it; else what was concluded
	Stated       bool   // whether it is the user's
	Completed    string // the last words that say something, else the last task that was completed
	NextSteps    string // what failed last and stayed so, else what is open
	SummedUp     string // what a compaction made of the session, if that was its end
	Read         []string
	Modified     []string // names of files, in the order in which they were touched last
}

// Summary sums up a session without a model: its digest as one line. A session in
// which nothing was done, stated or concluded has an empty one.
//
// One that was imported keeps the summary it came with, until it goes on.
func Summary(a memory.SessionRecord, counter tokens.Counter) memory.Summary {
	text := imported(a)
	if text == "" {
		text = line(a, DigestOf(a), counter)
	}
	if text == "" {
		return memory.Summary{}
	}
	return memory.Summary{
		Text: text, TokenCount: counter.Count(render.SummaryLine(text)), TokenEncoding: counter.Encoding(),
	}
}

// DigestOf fills the fields of a session's digest. It is the zero value for one in
// which nothing was done, stated or concluded: a question and its answer alone are a
// turn, which is a memory of its own.
func DigestOf(a memory.SessionRecord) Digest {
	asked := askedToKeep(a.Prompts)
	d, happened := done(a.Seen, asked)
	completed, summedUp := lastSaid(a.SessionEvents)
	if !happened && summedUp == "" {
		return Digest{}
	}
	d.Request = request(a.Prompts)
	if best := learned(a.Seen, asked); !strings.Contains(d.Request, best.Content) {
		d.Learned, d.Stated = best.Content, best.Source == memory.SourceUser
	}
	d.SummedUp, d.Completed = summedUp, cmp.Or(completed, d.Completed)
	return d
}

// done is what a session did, without what was said in it, and whether that is
// anything.
func done(all []memory.Seen, asked map[string]bool) (d Digest, happened bool) {
	var open []memory.Memory // failures that no success has followed
	for _, seen := range all {
		m := seen.Memory
		if m.Status == memory.StatusQuarantined {
			continue
		}
		happened = happened || m.Kind != memory.KindTurn && !asked[m.Content]
		switch m.Kind {
		case memory.KindFailure:
			if !knowledge.LooksAround(commandOf(m)) {
				open = append(open, m)
			}
		case memory.KindCommand:
			open = slices.DeleteFunc(open, func(f memory.Memory) bool { return knowledge.SameCommand(commandOf(f), commandOf(m)) })
		case memory.KindEdit:
			d.Modified = touched(d.Modified, m.Files)
		case memory.KindObservation:
			if file, isRead := strings.CutPrefix(m.Content, "Read: "); isRead {
				d.Read = touched(d.Read, []string{file})
			}
		case memory.KindTask:
			d.Completed = m.Content
		case memory.KindTodo:
			if !asked[m.Content] {
				d.NextSteps = m.Content
			}
		case memory.KindDiscovery:
			if task, isTask := strings.CutPrefix(m.Detail, "Task: "); isTask {
				task, _, _ = strings.Cut(task, "\n")
				d.Investigated = task
			}
		default:
		}
	}
	if len(open) > 0 {
		d.NextSteps = open[len(open)-1].Content
	}
	return d, happened
}

// touched moves the names of files to the end of a list.
func touched(names, files []string) []string {
	for _, file := range files {
		name := path.Base(strings.ReplaceAll(file, `\`, "/"))
		names = append(slices.DeleteFunc(names, func(n string) bool { return n == name }), name)
	}
	return names
}

// askedToKeep is what prompts asked to be kept. That is told anyway.
func askedToKeep(prompts []memory.Prompt) map[string]bool {
	asked := map[string]bool{}
	for _, p := range prompts {
		for _, d := range knowledge.Directives(p.Text) {
			asked[memory.OneLine(d.Text)] = true
		}
	}
	return asked
}

// learned is the most important of what the user stated; where there is nothing, of
// what was concluded.
func learned(all []memory.Seen, asked map[string]bool) (best memory.Memory) {
	for _, seen := range all {
		m := seen.Memory
		stated := m.Source == memory.SourceUser && m.Kind.UserAuthored() && m.Kind != memory.KindTodo && !asked[m.Content]
		if (!stated && !m.IsConclusion()) || m.Status == memory.StatusQuarantined {
			continue
		}
		if best.Content == "" || m.Source.Trust() > best.Source.Trust() || m.Source == best.Source && m.Importance >= best.Importance {
			best = m
		}
	}
	return best
}

// lastSaid is the gist of the last words that say something, and, where a compaction
// summed the session up after them, that.
func lastSaid(events []memory.SessionEvent) (completed, summedUp string) {
	for _, m := range events {
		switch m.Kind {
		case memory.EventCompacted, memory.EventSummarised:
			completed, summedUp = "", strings.TrimRight(quarantine.Withhold(memory.OneLine(m.Text)), ".")
		case memory.EventTurnEnded:
			if text := knowledge.Gist(m.Text); text != "" {
				completed = quarantine.Withhold(text)
			}
		default:
		}
	}
	return completed, summedUp
}

// request is the first prompt that says something. What it asked to be kept is left
// out: that is a memory of its own and would be told twice. So is what was pasted,
// unless it is all.
func request(prompts []memory.Prompt) string {
	for _, p := range prompts {
		text := knowledge.OwnWords(p.Text)
		if text == p.Text { // it may be pasted as a whole
			text = quarantine.Withhold(text)
		}
		if text = memory.OneLine(text); text != "" {
			return text
		}
	}
	return ""
}

// part is a field of a digest as its line tells it.
type part struct{ before, text, after string }

// line is the digest as recall tells it, of at most maxDigest tokens: where it would
// be longer, its parts are shortened, the longest first, and the last go.
func line(a memory.SessionRecord, d Digest, counter tokens.Counter) string {
	parts := d.parts()
	if len(parts) == 0 {
		return ""
	}
	size := maxDigestPart
	for {
		text := a.Session.StartedAt.UTC().Format("2006-01-02 15:04 UTC") + ": " + join(parts, size)
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

// exitCode is what stands between a command that failed and the reason.
var exitCode = regexp.MustCompile("` failed(?: with exit code [0-9]+)?: ")

// parts are the fields that there are, the most telling first.
func (d Digest) parts() []part {
	var parts []part
	add := func(before, text, after string) {
		if text != "" {
			parts = append(parts, part{before, text, after})
		}
	}
	add(`asked "`, d.Request, `"`)
	if d.Stated {
		add(`said "`, d.Learned, `"`)
	} else {
		add("found: ", d.Learned, "")
	}
	add("open: ", exitCode.ReplaceAllString(d.NextSteps, "`: "), "")
	add("", files("edited ", d.Modified), "")
	add("summed up as: ", d.SummedUp, "")
	if d.Learned == "" || !strings.Contains(d.Completed, d.Learned) {
		add("ended with: ", d.Completed, "")
	}
	if len(d.Modified) == 0 {
		add("looked into: ", d.Investigated, "")
		add("", files("read ", d.Read), "")
	}
	return parts
}

func join(parts []part, size int) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.before + strings.TrimRight(memory.Cut(p.text, size), ".") + p.after
	}
	return strings.Join(texts, "; ")
}

// files names the last files of a list.
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
