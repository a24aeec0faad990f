package knowledge

import (
	"regexp"
	"strings"
)

// typedLines are the lines of a prompt that the user is likely to have typed, by their
// form alone: it must not miss a line that asks to be kept. What is only guessed to be
// a statement has to pass ownSentences, which is stricter. Left out
// is what shows that it was pasted: code between fences, quotations, what is
// indented like code, the inside of elements, and paragraphs that have the lines of
// a log, a terminal, a diff or a tool.
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

// machineLine is how programs write: times, levels, prompts of a shell, stack
// traces, diffs, objects, and turns of a conversation.
var machineLine = regexp.MustCompile(`^(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE)\b|[$#%❯] \S|PS [A-Z]:|at \S+\(|File "|Traceback|goroutine \d|(?:---|\+\+\+|@@) |diff --git |npm ERR!|[{}\[\]],?$|"[\w-]+": |(?:Human|Assistant|User|System|Tool)\s*:|⏺|●|Exit code \d|HTTP/\d)`)
