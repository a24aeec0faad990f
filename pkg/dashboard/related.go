package dashboard

import "github.com/surrealdb-memory/surrealdb-memory/pkg/memory"

// related is another memory, and its relation to this one.
type related struct{ How, ID string }

func relatedTo(row memory.Row) []related {
	var all []related
	if row.SupersededBy != "" {
		all = append(all, related{"corrected by", row.SupersededBy})
	}
	if row.MergedInto != "" {
		all = append(all, related{"merged into", row.MergedInto})
	}
	for _, from := range row.DerivedFrom {
		all = append(all, related{"made of", from})
	}
	return all
}
