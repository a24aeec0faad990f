package distill

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The most bytes that are given of each part of a turn. Statements beyond a cut are
// given by themselves.
const (
	maxPrompt    = 3_000
	maxLastWords = 3_600
	maxSummary   = 3_000
	maxPlan      = 3_000
	maxFailure   = 300
	mostFailures = 4 // of a turn
	minSource    = 100
)

// Source is one thing that the model is shown: a turn, or a statement of the user. A fact
// that quotes it is derived from its memories.
type Source struct {
	At        time.Time
	Memories  []string
	User      string // the user's words
	Written   string // of these, the sentences that are neither pasted nor quoted
	Assistant string // the assistant's last words
	Plan      string // the assistant's plan that the user accepted
	Files     []string
	Failures  []string // commands that failed, with their errors and fixes
}

// text is the source as the model sees it. A line of ours begins in the first column, and no line of a text does: none imitates a turn.
func (s Source) text(n int) string {
	var b strings.Builder
	within := strings.NewReplacer("\n", "\n  ")
	fmt.Fprintf(&b, "[%d] %s\n", n, s.At.UTC().Format("2006-01-02 15:04"))
	if s.User != "" {
		fmt.Fprintf(&b, "user: %s\n", within.Replace(s.User))
	}
	if s.Assistant != "" {
		fmt.Fprintf(&b, "assistant: %s\n", within.Replace(s.Assistant))
	}
	if s.Plan != "" {
		fmt.Fprintf(&b, "the assistant's plan, which the user accepted: %s\n", within.Replace(s.Plan))
	}
	for _, failure := range s.Failures {
		fmt.Fprintf(&b, "failed: %s\n", failure)
	}
	if len(s.Files) > 0 {
		fmt.Fprintf(&b, "edited: %s\n", strings.Join(s.Files, ", "))
	}
	return b.String()
}

// Part is a piece of a session that is asked for in one call.
type Part struct {
	// Key is a hash of the shown sources: the same part has the same, also when the
	// session has gone on.
	Key     string
	Sources []Source
	// Standing are the memories that its facts may be about, by areas; Areas are those in
	// use, also without a line.
	Standing []Line
	Areas    []string
	// Summary is a summary that exists already: a model wrote it, or the client when it
	// compacted the conversation. Then nothing is asked.
	Summary string
	Done    bool
}

// At is when the part ended.
func (p Part) At() time.Time {
	if len(p.Sources) == 0 {
		return time.Time{}
	}
	return p.Sources[len(p.Sources)-1].At
}

// Share is the number of facts that the first of some parts is asked for, of those left:
// as many as every other and some more, because facts are not spread evenly.
func Share(left int, parts []Part) int {
	open := 0
	for _, p := range parts {
		if !p.Done {
			open++
		}
	}
	if open == 0 {
		return 0
	}
	const more = 2
	if open == 1 {
		return max(1, left)
	}
	return max(1, min(left, (left+open-1)/open+more))
}

// summaryText is a summary in one line.
func summaryText(d memory.Digest) string {
	var all []string
	for _, field := range d.Fields() {
		all = append(all, field[0]+": "+field[1])
	}
	return strings.Join(all, "; ")
}

// contains reports whether a text has a passage, whatever the white space between the words.
func contains(text, passage string) bool {
	return passage != "" && strings.Contains(memory.OneLine(text), memory.OneLine(passage))
}

// key is the first 16 digits of a hash.
func key(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
