package redact

import (
	"fmt"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/defuse"
)

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

// Tags returns the tags of a request in lower case, without secrets. It fails with memory.ErrInvalid if there are too
// many, or one is empty or too long.
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
