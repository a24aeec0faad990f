package schedule_test

import (
	"os"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestTheDocumentedJobsAreTheJobs holds the headings of docs/consolidation.md to the list: the same jobs in the same order.
func TestTheDocumentedJobsAreTheJobs(t *testing.T) {
	data := musttest.Get(os.ReadFile("../../../docs/consolidation.md"))(t)
	_, section, _ := strings.Cut(string(data), "\n## The jobs\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var documented []string
	for line := range strings.Lines(section) {
		if name, isHeading := strings.CutPrefix(line, "### "); isHeading {
			name, _, _ = strings.Cut(name, ":")
			documented = append(documented, strings.ToLower(strings.TrimSpace(name)))
		}
	}
	musttest.Same(t, schedule.JobNames(), documented, "docs/consolidation.md (-listed +documented)")
}
