package speaker

import "strings"

// Typed returns the part of a message that the user typed, "" if it is nobody's or another's: without the elements and notices that
// clients put into a message in the user's name, such as the file that is open in the editor, and without all that follows on words of
// others, such as a channel's, another agent's, or a report of background work. A slash command is returned as it was typed. Hooks are
// given the same messages as transcripts hold.
func Typed(text string, line Line) string {
	if !line.IsTyped() {
		return ""
	}
	return typed(text)
}

func typed(text string) string {
	text = strings.TrimSpace(text)
	text = strings.TrimSpace(text[:ofOthers(text)])
	if command, rest, found := slashCommand(text); found {
		return strings.TrimSpace(command + "\n" + typed(rest))
	}
	if request, found := requestIn(text); found {
		text = request
	}
	text = withoutElements(text)
	for {
		rest, found := withoutNotice(text)
		if !found {
			return text
		}
		text = rest
	}
}

// slashCommand is a slash command that becomes a prompt, one of a user, project or plugin, with its arguments. Claude
// Code writes those that it carries out itself (/clear, /model) with their name first.
func slashCommand(text string) (command, rest string, found bool) {
	_, rest, found = leading(text, "command-message")
	if !found {
		return "", "", false
	}
	name, rest, found := leading(rest, "command-name")
	if !found {
		return "", "", false
	}
	arguments, behind, found := leading(rest, "command-args")
	if !found {
		return strings.TrimSpace(name), rest, true
	}
	return strings.TrimSpace(strings.TrimSpace(name) + " " + strings.TrimSpace(arguments)), behind, true
}

// leading is the text in the element that a text begins with, and the rest.
func leading(text, name string) (inside, rest string, found bool) {
	inside, found = strings.CutPrefix(strings.TrimSpace(text), "<"+name+">")
	if !found {
		return "", text, false
	}
	return strings.Cut(inside, "</"+name+">")
}

// Codex's extension describes the editor under one of these headings, and the user's words follow behind another. The
// last one counts, because a file that is open in the editor may contain one, too.
const (
	editorHeading  = "# Context from my IDE setup:"
	filesHeading   = "# Files mentioned by the user:"
	requestHeading = "\n## My request for Codex:"
)

func requestIn(text string) (request string, found bool) {
	if !strings.HasPrefix(text, editorHeading) && !strings.HasPrefix(text, filesHeading) {
		return text, false
	}
	at := strings.LastIndex(text, requestHeading)
	if at < 0 {
		return text, false
	}
	return strings.TrimSpace(text[at+len(requestHeading):]), true
}

// withoutElements removes the elements at the beginning of a line. Each ends with the last tag that could end it,
// because the text in it, such as a file's, may hold such tags, too. One without an end is all of a text that it
// begins.
func withoutElements(text string) string {
	for at := 0; at < len(text); {
		name, isElement := elementAt(text[at:], strings.TrimSpace(text[:at]) == "")
		if !isElement {
			next := strings.IndexByte(text[at:], '\n')
			if next < 0 {
				break
			}
			at += next + 1
			at += len(text[at:]) - len(strings.TrimLeft(text[at:], " \t"))
			continue
		}
		before, rest := text[:at], text[at:]
		end := strings.LastIndex(rest, "</"+name+">")
		switch {
		case end >= 0:
			rest = rest[end+len(name)+3:]
		case strings.TrimSpace(before) == "":
			return ""
		default: // a person writes about such elements
			at += len(name)
			continue
		}
		rest = strings.TrimLeft(rest, " \t\r\n")
		text, at = before+rest, len(before)
	}
	return strings.TrimSpace(text)
}

// elementAt returns the name of the element of a client that a text begins with. One that is not known, but whose name is a
// program's, is a client's where it is the first of a message and its end is that of a line.
func elementAt(text string, isFirst bool) (name string, is bool) {
	name, is = nameAt(text)
	if !is || isOneOf(name, beside) {
		return name, is
	}
	end := strings.LastIndex(text, "</"+name+">")
	if !isFirst || !isCompound(name) || end < 0 {
		return "", false
	}
	behind := strings.TrimLeft(text[end+len(name)+3:], " \t\r")
	return name, behind == "" || behind[0] == '\n'
}

// notices are lines that clients write in the user's name, each from its beginning to its end.
var notices = [...]struct{ begins, ends string }{
	{"[Request interrupted by user", "]"},
	{"# AGENTS.md instructions for ", "\n"}, // its element follows
}

// withoutNotice removes the notice that a text begins with, and the elements behind it.
func withoutNotice(text string) (rest string, has bool) {
	for _, n := range notices {
		if !strings.HasPrefix(text, n.begins) {
			continue
		}
		_, rest, _ = strings.Cut(text[len(n.begins):], n.ends)
		return withoutElements(strings.TrimSpace(rest)), true
	}
	return text, false
}
