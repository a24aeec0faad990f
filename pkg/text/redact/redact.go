// Package redact removes the parts of a text that must not be remembered: text that
// the user marked private, text that the client or this product inserted, and secrets,
// which package secrets finds.
package redact

import (
	"io"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/secrets"
)

// Report counts the findings of Text; it never contains any of the text itself.
type Report struct {
	// Found lists each kind once, in order of first appearance. Nested elements
	// count once.
	Found []secrets.Finding

	// Empty: only white space is left. A wholly private prompt must leave no trace at
	// all.
	Empty bool
}

// Count is the number of parts that were left out.
func (r Report) Count() int {
	count := 0
	for _, found := range r.Found {
		count += found.Count
	}
	return count
}

// maxPasses limits the passes of Text over a text that it changed. The second pass finds
// secrets that a replaced one had hidden; clean text takes one pass.
const maxPasses = 8

// Text returns s without private, injected and client-made elements and with
// secrets replaced. The rest of s is unchanged, except for one space where a
// removed element was between two words. Text(Text(s)) is Text(s), and the
// result has no opening tag of the three elements.
//
// Elements are matched without regard to case and attributes. They hide up to
// their own closing tag, and up to the end of s when that is missing. After the
// mark of a cut ("…[9 bytes cut]…") a closing tag alone hides back to the mark.
func Text(s string) (string, Report) {
	var report Report
	for range maxPasses {
		before := s
		s, report.Found = withoutElements(s, report.Found)
		s, report.Found = secrets.Replace(s, report.Found)
		if s == before {
			break
		}
	}
	report.Empty = strings.TrimSpace(s) == ""
	return s, report
}

// Clean is Text without the report.
func Clean(s string) string {
	s, _ = Text(s)
	return s
}

// Writer redacts each text that is written, for logs. Each Write must get whole
// lines.
type Writer struct{ To io.Writer }

// Write implements io.Writer. It counts the bytes it was given, not those that
// were left.
func (w Writer) Write(text []byte) (int, error) {
	clean, _ := Text(string(text))
	if _, err := io.WriteString(w.To, clean); err != nil {
		return 0, err
	}
	return len(text), nil
}
