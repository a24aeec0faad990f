package ingest

import (
	"fmt"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/knowledge"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/quarantine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// The most of each that a digest names.
const (
	maxDigestFailures = 4
	maxDigestFiles    = 8
	maxDigestCommands = 4
	maxDigestPrompt   = 160
)

// Summary sums up a session without a model: what was asked, what failed, what
// was changed and run. A session in which nothing happened has an empty one.
//
// One that was imported keeps the summary it came with, until it goes on.
func Summary(a memory.SessionRecord, counter tokens.Counter) memory.Summary {
	text := imported(a)
	if text == "" {
		text = digest(a)
	}
	if text == "" {
		return memory.Summary{}
	}
	return memory.Summary{
		Text: text, TokenCount: counter.Count(render.SummaryLine(text)), TokenEncoding: counter.Encoding(),
	}
}

func digest(a memory.SessionRecord) string {
	var parts []string
	if text := asked(a.Prompts); text != "" {
		parts = append(parts, text)
	}
	failures, changes, commands := tally{}, tally{}, tally{}
	for _, seen := range a.Seen {
		if seen.Memory.Status == memory.StatusQuarantined {
			continue
		}
		switch m := seen.Memory; m.Kind {
		case memory.KindFailure:
			failures.add(m.Content)
		case memory.KindEdit:
			changes.add(m.Content)
		case memory.KindCommand:
			commands.add(m.Content)
		}
	}
	parts = failures.appendTo(parts, maxDigestFailures)
	parts = changes.appendTo(parts, maxDigestFiles)
	parts = commands.appendTo(parts, maxDigestCommands)
	parts = append(parts, told(a.SessionEvents)...)
	if len(parts) == 0 {
		return ""
	}
	text := strings.TrimRight(strings.Join(parts, "; "), ".")
	return a.Session.StartedAt.UTC().Format("2006-01-02 15:04 UTC") + ": " + text + "."
}

// The most that is told of a compaction's summary and of the last words, in
// bytes.
const (
	maxDigestCompacted = 900
	maxDigestLastWords = 240
)

// told is what the model itself said of the session: the summary of its last
// compaction, and its last words.
func told(sessionEvents []memory.SessionEvent) []string {
	var compacted, lastWords string
	for _, m := range sessionEvents {
		switch m.Kind {
		case memory.EventCompacted, memory.EventSummarised:
			compacted, lastWords = memory.OneLine(m.Text), ""
		case memory.EventTurnEnded:
			lastWords = memory.OneLine(m.Text)
		default:
		}
	}
	var parts []string
	if compacted != "" {
		parts = append(parts, "summed up as: "+strings.TrimRight(memory.Cut(quarantine.Withhold(compacted), maxDigestCompacted), "."))
	}
	if lastWords != "" {
		parts = append(parts, "ended with: "+memory.Cut(quarantine.Withhold(lastWords), maxDigestLastWords))
	}
	return parts
}

// asked quotes the first prompt that says something, and the last where there are
// several: what the session was to do, and where it had got to.
func asked(prompts []memory.Prompt) string {
	var quotes []string
	for _, p := range prompts {
		if text := quote(p.Text); text != "" {
			quotes = append(quotes, text)
		}
	}
	if len(quotes) == 0 {
		return ""
	}
	first, last := quotes[0], quotes[len(quotes)-1]
	if first == last {
		return "asked " + first
	}
	return fmt.Sprintf("asked %s and, after %d prompts, %s", first, len(prompts), last)
}

// quote leaves out what the prompt asked to be kept: that is a memory of its own
// and would be told twice. What was pasted is left out, too, unless it is all.
func quote(prompt string) string {
	text := knowledge.OwnWords(prompt)
	if text == prompt { // it may be pasted as a whole
		text = quarantine.Withhold(text)
	}
	text = memory.Cut(memory.OneLine(text), maxDigestPrompt)
	if text == "" {
		return ""
	}
	return `"` + text + `"`
}

// tally counts texts and keeps the order in which they first came.
type tally struct {
	order []string
	times map[string]int
}

func (t *tally) add(text string) {
	if t.times == nil {
		t.times = map[string]int{}
	}
	if t.times[text] == 0 {
		t.order = append(t.order, text)
	}
	t.times[text]++
}

// appendTo adds the last limit texts, because a session's end says most about
// where it was left.
func (t *tally) appendTo(parts []string, limit int) []string {
	from := max(0, len(t.order)-limit)
	if from > 0 {
		parts = append(parts, fmt.Sprintf("%d earlier ones", from))
	}
	for _, text := range t.order[from:] {
		if n := t.times[text]; n > 1 {
			text = fmt.Sprintf("%s (%d times)", text, n)
		}
		parts = append(parts, text)
	}
	return parts
}
