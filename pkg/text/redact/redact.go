// Package redact removes what must not be remembered: text that the user marked private, text that the client or
// this product inserted, and secrets (package secrets).
package redact

import (
	"io"
	"strings"

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

// maxPasses limits the passes of Text. A second pass finds secrets that a replaced one had hidden; clean text takes
// one pass.
const maxPasses = 8

// Text returns s without private, injected and client-made elements, and with secrets replaced. It changes nothing
// else, except that a space replaces a removed element between two words. Text(Text(s)) equals Text(s), and the
// result has no opening tag of the three elements.
//
// Elements match in any case and with any attributes. An element extends to its own closing tag, or to the end of s
// if that is missing. Where package hookio cuts an opening tag out of a long text, it puts the tag behind the cut.
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
