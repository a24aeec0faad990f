// Package redact removes what must not be remembered: text that the user marked private, text that the client or
// this product inserted, and secrets (package secrets).
package redact

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/defuse"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/secrets"
)

// Report counts the findings of Text. It contains nothing of the text.
type Report struct {
	// Found has each kind once, in order of first appearance. Nested elements count once.
	Found []secrets.Finding

	// Empty is set if only white space is left. A wholly private prompt must leave no trace.
	Empty bool
}

// Count returns the number of removed parts.
func (r Report) Count() int {
	count := 0
	for _, found := range r.Found {
		count += found.Count
	}
	return count
}

// maxPasses limits the passes of Text. Replacing a secret may uncover another; clean text takes one pass.
const maxPasses = 8

// Text returns s without private, injected and client-made elements, and with secrets replaced. It changes nothing
// else, except that a space replaces a removed element between two words. Text(Text(s)) equals Text(s), and the
// result has no opening tag of the three elements. If more is found in s as a terminal shows it, without the codes of
// colours and invisible characters, Text returns s in that form.
//
// Elements match in any case and with any attributes. An element extends to its own closing tag, or to the end of s
// if that is missing. Where package hookio cuts an opening tag out of a long text, it puts the tag behind the cut.
func Text(s string) (string, Report) {
	var report Report
	shown := defuse.Visible(s)
	original := s
	s, report.Found = withoutAll(s)
	if shown != original {
		if clean, found := withoutAll(shown); clean != defuse.Visible(s) {
			s, report.Found = clean, found
		}
	}
	report.Empty = strings.TrimSpace(s) == ""
	return s, report
}

// withoutAll returns s without elements and secrets, and what it found.
func withoutAll(s string) (clean string, found []secrets.Finding) {
	for range maxPasses {
		before := s
		s, found = withoutElements(s, found)
		if s, found = secrets.Replace(s, found); s == before {
			break
		}
	}
	return s, found
}

// Clean returns the result of Text without the report.
func Clean(s string) string {
	s, _ = Text(s)
	return s
}

// Writer redacts text on its way to To, for logs. Each Write must get whole lines.
type Writer struct{ To io.Writer }

// Write implements io.Writer. It returns len(text) even if redaction wrote fewer bytes.
func (w Writer) Write(text []byte) (int, error) {
	clean, _ := Text(string(text))
	if _, err := io.WriteString(w.To, clean); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Tag is the element around everything that we inject. Text removes it, so that recalled memories are not captured again.
const Tag = "surrealdb-memory"

// The names of the elements that Text removes; each is also the kind of its findings.
const (
	Injected       = Tag
	SystemReminder = "system-reminder"
	Private        = "private"
)

// elements are removed together with their content.
var elements = [...]string{Injected, SystemReminder, Private}

// withoutElements removes all elements with their content and adds them to found. It counts the depth of each
// element separately and hides text while any is open, so that overlapping elements hide everything inside them.
func withoutElements(s string, found []secrets.Finding) (string, []secrets.Finding) {
	r := remover{s: s}
	var depth [len(elements)]int
	open := 0 // the sum of depth
	for i := nextAngle(s, 0); i < len(s); i = nextAngle(s, i) {
		tag := tagAt(s, i)
		if tag.kind == noTag || tag.kind == closing && depth[tag.element] == 0 {
			i++
			continue
		}
		if open == 0 {
			found = secrets.Add(found, elements[tag.element])
			r.keep(i)
		}
		switch tag.kind {
		case opening:
			depth[tag.element]++
			open++
		case closing:
			depth[tag.element]--
			open--
		}
		i = tag.end
		r.kept = i
	}
	if r.kept == 0 {
		return s, found
	}
	if open == 0 {
		r.keep(len(s))
	}
	return string(r.out), found
}

// remover builds the text without its elements.
type remover struct {
	s    string
	out  []byte
	kept int // length of the prefix of s that is copied or removed
}

// keep appends s[kept:to] to out.
func (r *remover) keep(to int) {
	r.out = appendApart(r.out, r.s[r.kept:to])
	r.kept = to
}

// nextAngle returns the next position at which a tag may begin, or the length of s.
func nextAngle(s string, from int) int {
	for i := from; i < len(s); i++ {
		if c := s[i]; c == '<' || c == '&' || c == "＜"[0] && strings.HasPrefix(s[i:], "＜") {
			return i
		}
	}
	return len(s)
}

// appendApart appends text to out, after a space if the removed element stood between two words or halves of a tag.
func appendApart(out []byte, text string) []byte {
	if len(out) > 0 && text != "" && !isBlank(out[len(out)-1]) && !isBlank(text[0]) {
		out = append(out, ' ')
	}
	return append(out, text...)
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

type tagKind uint8

const (
	noTag tagKind = iota
	opening
	closing
	selfClosed
)

type tag struct {
	kind    tagKind
	element int // index in elements
	end     int // position after the tag
}

// lefts and rights are the ways to write the brackets of a tag. Full-width forms count as ASCII everywhere in a tag.
var lefts, rights = []string{"<", "&lt;", "&#60;", "&#x3c;"}, []string{">", "&gt;", "&#62;", "&#x3e;"}

// tagAt parses the tag whose left bracket is at i. An opening tag needs no right bracket, because anything that may be one must hide the
// text after it. A closing tag must be exact, because it ends the hiding. If the bracket is written for HTML (&lt;), only private counts
// as an element: a user may have typed it in a client that writes brackets so.
func tagAt(s string, i int) tag {
	name := afterAny(s, i, lefts)
	if name < 0 {
		return tag{}
	}
	inside := after(s, name, "/")
	slash := inside >= 0
	name = max(name, inside)
	for element, want := range elements {
		end := after(s, name, want)
		if end < 0 || nameContinues(s, end) || s[i] == '&' && want != Private {
			continue
		}
		rest := end
		for rest < len(s) && isBlank(s[rest]) {
			rest++
		}
		if closed := afterAny(s, rest, rights); slash && closed >= 0 {
			return tag{closing, element, closed}
		}
		if slash {
			return tag{}
		}
		if rest = after(s, rest, "/"); rest >= 0 {
			if closed := afterAny(s, rest, rights); closed >= 0 {
				return tag{selfClosed, element, closed}
			}
		}
		return tag{opening, element, end}
	}
	return tag{}
}

// afterAny returns the result of after for the first of several texts that is at i, or -1.
func afterAny(s string, i int, wanted []string) int {
	for _, want := range wanted {
		if end := after(s, i, want); end >= 0 {
			return end
		}
	}
	return -1
}

// after returns the position after the lower-case ASCII text want, which is at position i of s in any case and width, or -1 if it is not.
func after(s string, i int, want string) int {
	for _, c := range want {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r >= '！' && r <= '～' { // full width
			r -= '！' - '!'
		}
		if unicode.ToLower(r) != c || size == 0 {
			return -1
		}
		i += size
	}
	return i
}

// nameContinues reports whether the element name continues at i, so that it is another name. Two dashes do not
// continue it: they may begin a private key, and its later replacement must not expose a tag.
func nameContinues(s string, i int) bool {
	return i < len(s) && isNameByte(s[i]) && !strings.HasPrefix(s[i:], "--")
}

func isNameByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '-' || c == '_' || c == '.' || c == ':'
}

// MaxTags is the maximum number of tags in one request, and maxTag the maximum length of each, in bytes.
const (
	MaxTags = 20
	maxTag  = 40
)

// Memory returns a text that somebody asked to keep, without secrets and private parts, and how many of them it removed. It fails
// with memory.ErrInvalid if the text is too long, or nothing is left. what names the text in an error.
func Memory(what, text string) (clean string, removed int, err error) {
	switch {
	case strings.TrimSpace(text) == "":
		err = fmt.Errorf("%s is empty: give the text to remember", what)
	case len(text) > memory.MaxContent:
		err = fmt.Errorf("%s has %d bytes, at most %d are allowed: shorten it, or store several memories", what, len(text), memory.MaxContent)
	default:
		var report Report
		clean, report = Text(defuse.Visible(text))
		clean, removed = strings.TrimSpace(defuse.Tags(clean)), report.Count()
		if report.Empty || memory.Normalise(clean) == "" {
			err = fmt.Errorf("nothing is left of %s: all of it is private, a secret, or something that was recalled", what)
		}
	}
	if err != nil {
		return "", 0, memory.Mark(err, memory.ErrInvalid)
	}
	return clean, removed, nil
}

// Tags returns the tags of a request in lower case, without secrets. It fails with memory.ErrInvalid if there are too many, or one is empty or too long.
func Tags(tags []string) (all []string, err error) {
	if len(tags) > MaxTags {
		return nil, memory.Mark(fmt.Errorf("%d tags were given, at most %d are allowed", len(tags), MaxTags), memory.ErrInvalid)
	}
	for _, tag := range tags {
		clean, _ := Text(tag)
		clean = strings.ToLower(defuse.Line(clean))
		if clean == "" || len(clean) > maxTag {
			return nil, memory.Mark(fmt.Errorf("tag %q: a tag has 1 to %d bytes", memory.Cut(tag, maxTag), maxTag), memory.ErrInvalid)
		}
		all = append(all, clean)
	}
	return all, nil
}
