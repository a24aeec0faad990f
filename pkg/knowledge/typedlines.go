package knowledge

import (
	"regexp"
	"strings"
)

// typedLines are the lines of a prompt that the user probably typed, judged by form
// alone: it must not miss a directive. Statements must also pass ownSentences, which is
// stricter. It drops pasted text: fenced code, quotations, lines indented like code,
// the content of elements, and paragraphs with lines of a log, a terminal, a diff or a
// tool.
func typedLines(prompt string) []string {
	var typed, paragraph []string
	pasted, fence, element := false, "", ""
	end := func() {
		if !pasted {
			typed = append(typed, paragraph...)
		}
		paragraph, pasted = nil, false
	}
	for line := range strings.Lines(prompt) {
		text := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(text, fence) {
				fence = ""
			}
		case strings.HasPrefix(text, "```"), strings.HasPrefix(text, "~~~"):
			end()
			fence = text[:3]
		case element != "":
			if strings.Contains(text, "</"+element) {
				element = ""
			}
		case opened(text) != "":
			end()
			if name := opened(text); !strings.Contains(text, "</"+name) {
				element = name
			}
		case text == "":
			end()
			typed = append(typed, line)
		case strings.HasPrefix(text, ">"), strings.HasPrefix(text, "|"), strings.HasPrefix(text, "│"), strings.HasPrefix(text, "⎿"),
			strings.HasPrefix(line, "\t"), strings.HasPrefix(line, "    "):
		case machineLine.MatchString(text):
			pasted = true
		default:
			paragraph = append(paragraph, line)
		}
	}
	end()
	return typed
}

// opened is the name of the element that a line opens.
func opened(line string) string {
	if found := elementLine.FindStringSubmatch(line); found != nil {
		return found[1]
	}
	return ""
}

var elementLine = regexp.MustCompile(`^<([A-Za-z][\w:-]*)(?:\s[^>]*)?>`)

// machineLine matches lines written by programs: times, log levels, shell prompts,
// stack traces, diffs, objects, and turns of a conversation.
var machineLine = regexp.MustCompile(`^(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE)\b|[$#%❯] \S|PS [A-Z]:|at \S+\(|File "|Traceback|goroutine \d|(?:---|\+\+\+|@@) |diff --git |npm ERR!|[{}\[\]],?$|"[\w-]+": |(?:Human|Assistant|User|System|Tool)\s*:|⏺|●|Exit code \d|HTTP/\d)`)
