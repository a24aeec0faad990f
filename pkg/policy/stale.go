package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/policy/rules"
)

// TagStale marks a memory that Stale has lowered.
const TagStale = "stale"

// Stale lowers the importance of rows whose files have changed much since, by id in changed, once, and restores it when the files are as they were. Pinned rows, and those that
// the user asked for, keep theirs: their lines mention the change anyway.
func Stale(now Now, rows []Row, changed map[string]bool) (Plan, error) {
	if err := validate(now, rows); err != nil {
		return Plan{}, fmt.Errorf("plan stale memories: %w", err)
	}
	d := newDraft(rows)
	for _, row := range byID(rows) {
		if !row.alive() || row.Exempt || row.Memory.Pinned || row.UserWritten {
			continue
		}
		isChanged, isLowered := changed[row.Memory.ID], row.isStale()
		s := row.State()
		switch {
		case isChanged && !isLowered:
			s.Importance *= rules.StaleFactor
			s.Tags = united(append(slices.Clone(s.Tags), TagStale))
			d.change(KindDemote, row.With(s), fileNames(row)+": changed much since it was stated; its importance is lowered")
		case !isChanged && isLowered:
			s.Importance = min(1, s.Importance/rules.StaleFactor)
			s.Tags = slices.DeleteFunc(slices.Clone(s.Tags), func(tag string) bool { return tag == TagStale })
			d.change(KindPromote, row.With(s), fileNames(row)+": again much as when it was stated; its importance is as before")
		}
	}
	return d.plan(), nil
}

// isStale reports whether Stale has lowered the row.
func (r Row) isStale() bool { return slices.Contains(r.Memory.Tags, TagStale) }

// fileNames are the files of a row that its fingerprints are of.
func fileNames(row Row) string {
	var names []string
	for _, file := range row.Memory.Files {
		if _, known := row.Memory.Fingerprints[file]; known {
			names = append(names, file)
		}
	}
	return strings.Join(names, ", ")
}
