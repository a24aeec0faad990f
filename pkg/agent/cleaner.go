package agent

import "github.com/surrealdb-memory/surrealdb-memory/pkg/redact"

// cleaner removes secrets from texts and counts the secrets in them.
type cleaner struct {
	kinds   map[string]int
	changed int  // texts
	quiet   bool // texts are counted, kinds are not
}

func (c *cleaner) clean(text string) string {
	cleaned, report := redact.Text(text)
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
