package ingest

import (
	"fmt"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The maximum number of bytes kept of a text. A longer text is cut, and ends with "…".
const (
	maxContent  = 600
	maxDetail   = 4000
	maxImported = 2 * maxDetail // detail of an imported memory; larger, because archiving appends its reason
	maxActivity = 200           // detail of an edit, a command that succeeded, or another tool
	maxPrompt   = 8000          // prompts, and the words of a session event
)

// words returns a session event with the words of an event, such as the assistant's last words.
func words(e memory.Event) (memory.SessionEvent, bool) {
	return memory.SessionEvent{Text: memory.Cut(e.Text, maxPrompt)}, true
}

func distilled(e memory.Event) (memory.SessionEvent, bool) {
	return memory.SessionEvent{Text: memory.DistilledText(*e.Distilled)}, true
}

// activity returns a session event for what a tool, a subagent or a task did: a line, and a detail, cut to the given number of bytes.
func activity(line, detail string, most int) memory.SessionEvent {
	return memory.SessionEvent{Text: memory.Cut(memory.OneLine(line), maxContent), Detail: memory.Cut(detail, most)}
}

func changed(e memory.Event) (memory.SessionEvent, bool) {
	kept := activity(change(e), e.After, maxActivity)
	kept.Files = []string{e.File}
	return kept, e.File != ""
}

func succeeded(e memory.Event) (memory.SessionEvent, bool) {
	kept := activity(fmt.Sprintf("`%s` succeeded", memory.OneLine(e.Command)), e.Output, maxActivity)
	kept.Command = memory.CommandKey(e.Command)
	return kept, true
}

func failed(e memory.Event) (memory.SessionEvent, bool) {
	kept := activity(failure(e), e.Error, maxDetail)
	kept.Command, kept.Signature = memory.CommandKey(e.Command), memory.ErrorSignature(e.Error)
	return kept, true
}

// used returns a session event for the use of another tool. The session's digest mentions files that were read.
func used(e memory.Event) (memory.SessionEvent, bool) {
	if e.File != "" {
		return memory.SessionEvent{Text: e.File, Files: []string{e.File}}, true
	}
	return activity(e.Tool+": "+e.Text, e.Output, maxActivity), true
}

// taskOfSubagent begins the detail of a subagent's report.
const taskOfSubagent = "Task: "

// reported returns a session event for a subagent's report, whose beginning names its subject, or for a completed task.
func reported(e memory.Event) (memory.SessionEvent, bool) {
	detail := e.Text
	if e.Prompt != "" { // the task of a subagent
		detail = taskOfSubagent + e.Prompt + "\n\n" + e.Text
	}
	return activity(e.Text, detail, maxDetail), strings.TrimSpace(e.Text) != ""
}

// failure returns a failure as one line: the command, the exit code, and the most likely line of output with the reason.
func failure(e memory.Event) string {
	first, rest, _ := strings.Cut(e.Error, "\n")
	code, isCode := strings.CutPrefix(first, "Exit code ")
	if !isCode {
		return fmt.Sprintf("`%s` failed: %s", memory.OneLine(e.Command), memory.Cut(memory.OneLine(first), maxSnippet*2))
	}
	text := fmt.Sprintf("`%s` failed with exit code %s", memory.OneLine(e.Command), code)
	if reason := memory.ErrorReason(rest); reason != "" {
		text += ": " + memory.Cut(reason, maxSnippet*2)
	}
	return text
}

// maxSnippet is the maximum number of bytes of a text that is quoted within another.
const maxSnippet = 100

// change returns an edit or a written file as one line: the file, and the part that differs.
func change(e memory.Event) string {
	if e.Tool == "Edit" {
		return edited(e.File, memory.OneLine(e.Before), memory.OneLine(e.After))
	}
	text := "Wrote " + e.File
	if !e.Truncated { // otherwise the hook has not seen all lines
		text += " (" + memory.Counted(e.Lines, "line") + ")"
	}
	first, _, _ := strings.Cut(strings.TrimSpace(e.After), "\n")
	if gist := memory.OneLine(first); gist != "" {
		text += ": " + memory.Cut(gist, maxSnippet)
	}
	return text
}

func edited(file, before, after string) string {
	text := "Edited " + file
	was, is := differing(before, after)
	switch {
	case before == after && strings.HasSuffix(before, "…"): // the texts differ behind the part that the hook kept
		return text
	case before == after:
		return text + ": white space"
	case strings.Trim(was, "…") == "":
		return text + fmt.Sprintf(": added %q", is)
	case strings.Trim(is, "…") == "":
		return text + fmt.Sprintf(": removed %q", was)
	}
	return text + fmt.Sprintf(": %q became %q", was, is)
}

// differing returns the words in which two texts differ, each part cut to maxSnippet.
func differing(before, after string) (was, is string) {
	old, new := strings.Fields(before), strings.Fields(after)
	start, end := 0, 0
	for start < min(len(old), len(new)) && old[start] == new[start] {
		start++
	}
	for end < min(len(old), len(new))-start && old[len(old)-1-end] == new[len(new)-1-end] {
		end++
	}
	return snippet(old, start, end), snippet(new, start, end)
}

// snippet returns a text without its first start words and last end words.
func snippet(words []string, start, end int) string {
	part := memory.Cut(strings.Join(words[start:len(words)-end], " "), maxSnippet)
	if start > 0 {
		part = "…" + part
	}
	if end > 0 && !strings.HasSuffix(part, "…") {
		part += "…"
	}
	return part
}
