package ingest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/knowledge"
)

// maxFixSteps is the maximum number of steps between failure and success that a fix lists: the last ones, which made the difference more often than the first.
const maxFixSteps = 5

// fixes returns the changes that made failing commands of a session succeed, if they help other sessions (knowledge.Cures): another flag or variable, a step
// between, or a setting, but not an edit of the source under work.
func fixes(a memory.SessionRecord) []draft {
	activities := slices.DeleteFunc(slices.Clone(a.SessionEvents), func(e memory.SessionEvent) bool { return !e.IsActivity() })
	steps := memory.Each(activities, stepOf)
	var all []draft
	for _, lesson := range knowledge.Cures(steps) {
		failure, success := activities[lesson.Failure], activities[lesson.Success]
		cure, files := describeCure(lesson, activities, steps)
		of := memory.Event{ID: success.ID, Session: a.Session.ID, At: success.At, Project: memory.Project{Key: a.Session.Project}}
		all = append(all, draft{of: of, isExtracted: true, Memory: memory.Memory{
			Kind: memory.KindFix, Source: memory.SourceTool, Content: failure.Text + itWorked + cure, Detail: failure.Detail,
			Tags: []string{memory.TagDebugging}, Files: files, Command: failure.Command, Signature: failure.Signature,
		}})
	}
	return all
}

// stepOf returns an activity as a step for knowledge.Cures. A completed task is a step without effect.
func stepOf(e memory.SessionEvent) knowledge.Step {
	switch e.Kind {
	case memory.EventCommandSucceeded:
		return knowledge.Step{Action: knowledge.Ran, Command: commandOf(e), Output: e.Detail}
	case memory.EventCommandFailed:
		return knowledge.Step{Action: knowledge.Failed, Command: commandOf(e), Error: e.Detail, Signature: e.Signature}
	case memory.EventFileChanged:
		return knowledge.Step{Action: knowledge.Edited, File: strings.Join(e.Files[:min(1, len(e.Files))], "")}
	case memory.EventToolUsed, memory.EventSubagentReported:
		step := knowledge.Step{Action: knowledge.Started}
		if command, isCommand := strings.CutPrefix(e.Text, ofShell); isCommand {
			step.Command = command
		}
		return step
	default:
		return knowledge.Step{Action: knowledge.Ran}
	}
}

// ofShell begins the text of a command that was started in the background.
const ofShell = "Bash: "

// commandOf returns the command of an event as it was given, including the change of directory that e.Command omits.
func commandOf(e memory.SessionEvent) string {
	if e.Command == "" {
		return ""
	}
	rest, quoted := strings.CutPrefix(e.Text, "`")
	end := strings.Index(rest, e.Command)
	if !quoted || end < 0 { // the text was cut
		return e.Command
	}
	return rest[:end+len(e.Command)]
}

// itWorked separates a failure and its cure in the content of a fix.
const itWorked = "; it worked "

// CureOf returns the part of a fix's content that says what worked, or "" if it was cut off.
func CureOf(content string) string {
	at := strings.LastIndex(content, itWorked)
	if at < 0 {
		return ""
	}
	return content[at+len("; "):]
}

// describeCure returns the difference between a failure and the later success as text, and the files edited between.
func describeCure(lesson knowledge.Cure, activities []memory.SessionEvent, steps []knowledge.Step) (cure string, files []string) {
	var in, with, without, after []string
	for _, part := range lesson.Changed {
		if gone, isGone := strings.CutPrefix(part, "without "); isGone {
			without = append(without, quoted(gone))
		} else if dir, isDir := strings.CutPrefix(part, "cd "); isDir {
			in = append(in, quoted(dir))
		} else {
			with = append(with, quoted(part))
		}
	}
	for _, i := range lesson.Steps[max(0, len(lesson.Steps)-maxFixSteps):] {
		if steps[i].Action == knowledge.Edited {
			after = append(after, activities[i].Text)
			files = append(files, activities[i].Files...)
		} else {
			after = append(after, quoted(memory.OneLine(steps[i].Command)))
		}
	}
	after = append(after, memory.Each(lesson.Before, func(command string) string { return quoted(memory.OneLine(command)) })...)
	slices.Sort(files)
	var parts []string
	add := func(how string, list []string, separator string) {
		if len(list) > 0 {
			parts = append(parts, how+strings.Join(list, separator))
		}
	}
	add("in ", in, ", ")
	add("with ", with, ", ")
	add("without ", without, ", ")
	add("after: ", after, "; ")
	return strings.Join(parts, ", "), slices.Compact(files)
}

func quoted(text string) string { return fmt.Sprintf("`%s`", text) }
