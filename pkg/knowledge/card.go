package knowledge

import (
	"strings"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The most bytes of each part of a card.
const (
	maxCardPrompt   = 300
	maxCardWords    = 500
	maxCardFiles    = 6
	maxCardSentence = 160
)

// Turn is a request and its outcome.
type Turn struct {
	Prompts   []string // several where prompts such as "continue" joined
	LastWords string   // of the assistant
	Files     []string // that were edited
	Failed    string   // the last failure that was not fixed; empty if none
}

// Card renders a turn as one searchable text: the request, the last words, the edited files, the
// remaining failure. It is empty for a turn without content.
func Card(t Turn) string {
	var asked []string
	for _, prompt := range t.Prompts {
		if text, typed := Typed(prompt); typed && !GoOn(text) {
			asked = append(asked, memory.OneLine(text))
		}
	}
	prompt, words := cut(strings.Join(asked, " / "), maxCardPrompt), cut(Gist(t.LastWords), maxCardWords)
	if prompt == "" && words == "" {
		return ""
	}
	text := prompt
	if words != "" {
		text = strings.TrimSpace(prompt + outcome + words)
	}
	if len(t.Files) > 0 {
		text += " [edited " + strings.Join(t.Files[:min(len(t.Files), maxCardFiles)], ", ") + "]"
	}
	if t.Failed != "" {
		text += " [failed: " + cut(memory.OneLine(t.Failed), maxCardPrompt/2) + "]"
	}
	return text
}

// outcome stands between the request and the last words of a card.
const outcome = " -> "

// CutCard shortens a card to about limit bytes, such that both the request and its
// outcome can be seen; any other text is cut at its end.
func CutCard(card string, limit int) string {
	request, words, is := strings.Cut(card, outcome)
	if !is || len(card) <= limit {
		return memory.Cut(card, limit)
	}
	most := min(max(limit/2, limit-len(words)), len(request))
	return memory.Cut(request, most) + outcome + memory.Cut(words, limit-most)
}

// Gist shortens the last words of an assistant, sentence by sentence: it drops code,
// tables and sentences about the work itself, and cuts each sentence so that more of
// them fit.
func Gist(lastWords string) string {
	var kept []string
	size := 0
	for _, s := range sentences(lastWords, true) {
		words := tokens(s.Text)
		if len(words) < minWords || chatter.In(words, 0) {
			continue
		}
		text := cut(s.Text, maxCardSentence)
		if size += len(text) + 1; size > maxCardWords && len(kept) > 0 {
			break
		}
		kept = append(kept, text)
	}
	return memory.OneLine(strings.Join(kept, " "))
}

// cut shortens a text to size bytes at a word boundary.
func cut(text string, size int) string {
	if len(text) <= size {
		return text
	}
	text = text[:size]
	for !utf8.ValidString(text) && len(text) > 0 {
		text = text[:len(text)-1]
	}
	if space := strings.LastIndexByte(text, ' '); space > size/2 {
		text = text[:space]
	}
	return text + "…"
}
