package daemon

import "github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"

// cleaner removes secrets, or purged words, from texts and counts what it removes.
type cleaner struct {
	remove  func(string) (string, redact.Report)
	kinds   map[string]int
	changed int  // number of texts changed
	quiet   bool // whether only texts are counted, not kinds
}

func (c *cleaner) clean(text string) string {
	cleaned, report := c.remove(text)
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
