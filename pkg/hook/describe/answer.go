package describe

import (
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The most that is kept of an answer or a reason, of a question, and of its options, in
// bytes.
const (
	maxAnswer   = 2000
	maxQuestion = 1200
	maxOptions  = 1200
)

// recommended is how the assistant marks the option that it prefers: no part of the
// answer.
const recommended = " (Recommended)"

// Answers makes an event of each question that the user answered when the assistant
// asked by AskUserQuestion; none for another tool, and none for a question that nobody
// or a program was there to answer.
func Answers(o Occurrence) []memory.Event {
	response := o.Input.ToolResponse
	if o.Input.ToolName != askTool || !o.Line.IsPersons() || response.Get("afkTimeoutMs").Kind == hookio.Number {
		return nil
	}
	questions := response.List("questions")
	if len(questions) == 0 {
		questions = o.Input.ToolInput.List("questions")
	}
	var all []memory.Event
	for i, q := range questions {
		question := q.String("question")
		answer := answerTo(response, question)
		if i == 0 && answer == "" { // typed in place of all of them
			answer = response.String("response")
		}
		typed := !offers(q, answer)
		if answer = memory.Cut(Text(answer), maxAnswer); answer == "" || Text(question) == "" {
			continue
		}
		event := New(o, memory.EventAnswered)
		event.Tool, event.Text, event.ByUser = askTool, answer, typed
		event.LastWords, event.Output = memory.Cut(Text(question), maxQuestion), memory.Cut(Text(gist(q.Get("options"))), maxOptions)
		all = append(all, event)
	}
	return all
}

// answerTo is the user's answer to a question: the chosen options and the typed text.
func answerTo(response hookio.Value, question string) string {
	given := response.Get("answers", question)
	chosen := []string{given.Text}
	if given.Kind == hookio.Array {
		chosen = chosen[:0]
		for _, one := range given.Items {
			chosen = append(chosen, one.Text)
		}
	}
	notes := response.String("annotations", question, "notes")
	if len(chosen) == 1 && chosen[0] == "(notes only)" {
		chosen = nil
	}
	answer := strings.ReplaceAll(strings.Join(chosen, ", "), recommended, "")
	return strings.Trim(answer+"; "+notes, "; ")
}

// offers reports whether an answer contains the label of an option, whose words are the assistant's.
func offers(question hookio.Value, answer string) bool {
	return slices.ContainsFunc(question.List("options"), func(option hookio.Value) bool {
		label := strings.TrimSpace(strings.ReplaceAll(option.String("label"), recommended, ""))
		return label != "" && strings.Contains(answer, label)
	})
}

// reasonFollows begins the words of the user in the result of a tool call that was
// refused with a reason.
const reasonFollows = "To tell you how to proceed, the user said:\n"

// ReasonFollows marks a line of a transcript with such words, in the form that JSON gives them.
const ReasonFollows = `To tell you how to proceed, the user said:\n`

// Refusal makes the event of a tool call that the user refused with words, which the
// input has as its error; without an id there are none, as where a program refuses.
func Refusal(o Occurrence) memory.Event {
	_, words, refused := strings.Cut(o.Input.Error, reasonFollows)
	if words = memory.Cut(Text(words), maxAnswer); !refused || words == "" || !o.Line.IsPersons() ||
		!strings.Contains(o.Input.Error, "The user doesn't want to") {
		return memory.Event{}
	}
	event := New(o, memory.EventRefused)
	input := o.Input.ToolInput
	event.Tool, event.Text = o.Input.ToolName, words
	event.Command = Text(input.String("command"))
	if file := input.String("file_path"); file != "" {
		event.File = o.Project.Rel(file)
	}
	switch o.Input.ToolName {
	case planTool:
		event.LastWords = memory.Cut(Text(input.String("plan")), maxQuestion)
	case askTool:
		if questions := input.List("questions"); len(questions) > 0 {
			event.LastWords = memory.Cut(Text(questions[0].String("question")), maxQuestion)
		}
	}
	return event
}
