package rescan

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact"
)

// counter cleans texts and counts the secrets in them.
type counter struct {
	scan    func(string) (string, redact.Report)
	kinds   map[string]int
	changed int  // texts
	quiet   bool // texts are counted, kinds are not
}

func (c *counter) clean(text string) string {
	cleaned, report := c.scan(text)
	if cleaned == text {
		return text
	}
	c.changed++
	if !c.quiet {
		for _, f := range report.Found {
			c.kinds[f.Kind] += f.Count
		}
	}
	return cleaned
}
