package speaker

import "strings"

// Typed returns the part of a message that the user typed, or "". It removes the elements and notices that clients
// add in the user's name (such as the open file), and everything after the first message from somebody else (a
// channel, another agent, a background task). It returns a slash command as it was typed. Hook inputs and
// transcripts hold the same messages.
func Typed(text string, line Line) string {
	if !line.IsTyped() {
		return ""
	}
	return typed(text)
}

func typed(text string) string {
	text = strings.TrimSpace(text)
	text = strings.TrimSpace(text[:otherSenderAt(text)])
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

// slashCommand returns the slash command (of a user, project or plugin) that became a prompt, with its arguments,
// and the rest of the text. Commands that Claude Code carries out itself (/clear, /model) have another form, with
// the name first.
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

// leading returns the content of the element name at the beginning of a text, and the text after it.
func leading(text, name string) (inside, rest string, found bool) {
	inside, found = strings.CutPrefix(strings.TrimSpace(text), "<"+name+">")
	if !found {
		return "", text, false
	}
	return strings.Cut(inside, "</"+name+">")
}

// Codex's extension describes the editor under editorHeading or filesHeading; the user's words follow under
// requestHeading. Its last occurrence counts, because an open file may contain it too.
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

// withoutElements removes the elements that begin a line. An element extends to the last closing tag of its name,
// because its content (such as a file) may contain that tag too. If the first element of a text has no end, nothing
// is left.
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
		default: // a person writes about the element
			at += len(name)
			continue
		}
		rest = strings.TrimLeft(rest, " \t\r\n")
		text, at = before+rest, len(before)
	}
	return strings.TrimSpace(text)
}

// elementAt returns the name of the client's element at the beginning of a text. An unknown element counts if it
// begins the message, has a compound name, and ends a line.
func elementAt(text string, isFirst bool) (name string, is bool) {
	name, is = nameAt(text)
	if !is || matchesAny(name, clientElements) {
		return name, is
	}
	end := strings.LastIndex(text, "</"+name+">")
	if isCompound := strings.ContainsAny(strings.Trim(name, "-_"), "-_"); !isFirst || !isCompound || end < 0 { // HTML has no compound names
		return "", false
	}
	behind := strings.TrimLeft(text[end+len(name)+3:], " \t\r")
	return name, behind == "" || behind[0] == '\n'
}

// notices are lines that clients write in the user's name, each given by its beginning and its end.
var notices = [...]struct{ begins, ends string }{
	{"[Request interrupted by user", "]"},
	{"# AGENTS.md instructions for ", "\n"}, // an element follows
}

// withoutNotice removes the notice at the beginning of a text and the elements after it.
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
