package doctor

import (
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
)

// rows adds a finding if the store has fewer prompts than the journal. Only a purge deletes prompts, and it deletes
// them in both.
func (d *Doctor) rows(stats memory.Stats) {
	journaled := map[string]bool{} // by id, because a prompt may be written twice
	_, err := journal.Read(d.Paths.Journal(), "", func(r journal.Record) error {
		if prompt, isPrompt := r.After.(memory.Prompt); isPrompt {
			journaled[prompt.ID] = true
		}
		return nil
	})
	if err != nil {
		d.bad("rows", Error, "make the journal readable: chown -R \"$USER\" "+d.Paths.Journal(), "%v", err)
		return
	}
	if len(journaled) > stats.Prompts && d.Config.Store.URL == "" {
		d.bad("rows", Error, "memory backup rebuild",
			"the store has %d prompts, and the journal says that at least %d were stored: rows have vanished",
			stats.Prompts, len(journaled))
	}
}
