package describe

import (
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Limits in bytes of an answer or a reason, of a question, and of its options.
const (
	maxAnswer   = 2000
	maxQuestion = 1200
	maxOptions  = 1200
)

// recommended is the assistant's mark on the option that it prefers. It is not part of the answer.
const recommended = " (Recommended)"

// Answers returns an event for each question of an AskUserQuestion call that the user answered. It returns none for
// another tool, and none if a program answered or nobody did.
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
		if i == 0 && answer == "" { // typed as the answer to all questions
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

// answerTo returns the user's answer to a question: the chosen options and the typed text.
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

// offers reports whether an answer contains the label of an option, which is the assistant's text.
func offers(question hookio.Value, answer string) bool {
	return slices.ContainsFunc(question.List("options"), func(option hookio.Value) bool {
		label := strings.TrimSpace(strings.ReplaceAll(option.String("label"), recommended, ""))
		return label != "" && strings.Contains(answer, label)
	})
}

// clientsErrors lists the tools whose errors the client writes. The errors of other tools come from a server, a page or a subagent.
var clientsErrors = []string{"Bash", "Edit", "Write", "MultiEdit", "NotebookEdit", readTool, "Glob", "Grep", planTool, askTool}

// Refusal returns the event of a tool call that the user refused with words, which are in the input's error. If there
// are no such words, as when a program refuses or fails, the event has no ID.
func Refusal(o Occurrence) memory.Event {
	// A program that fails can print the client's words, too, but the client then puts its exit code before them.
	line, words, _ := strings.Cut(strings.TrimPrefix(o.Input.Error, "Error: "), "\n")
	hasReason := strings.HasPrefix(line, "The user doesn't want to ") && strings.HasSuffix(line, "To tell you how to proceed, the user said:")
	if words = memory.Cut(Text(words), maxAnswer); !hasReason || words == "" || !o.Line.IsPersons() || !slices.Contains(clientsErrors, o.Input.ToolName) {
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
