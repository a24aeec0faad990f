package doctor

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strconv"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
)

// daemon adds a finding if the home's daemon does not answer, or is not ready yet.
func (d *Doctor) daemon(context.Context) {
	switch {
	case d.hasNoDaemon(): // no daemon is fine, unless a lock keeps the next one from starting
		if d.isLocked() {
			remedy := "end the process memoryd; the next hook starts another"
			if pid := daemonclient.PID(d.Paths); pid > 0 {
				remedy = "kill " + strconv.Itoa(pid) + "; the next hook starts another"
			}
			d.bad("daemon", Error, remedy, "a daemon holds the lock %s, but does not listen on %s", d.Paths.Lock(), d.Paths.Socket())
		}
	case errors.Is(d.daemonErr, private.ErrUnsafe):
		d.unsafe("daemon", d.daemonErr, "")
	case d.daemonErr != nil:
		d.bad("daemon", Error, "memory daemon stop ends it, and the next hook starts another", "%v", d.daemonErr)
	case d.status.State == "starting":
		d.bad("daemon", Warning, "wait, and run memory doctor again; memory daemon logs shows what the daemon does", "the daemon is starting")
	case d.status.State == "installing":
		remedy, what := "wait, and look again", d.status.Reason
		if t := d.status.Trouble; t != nil {
			what, remedy = t.Problem, cmp.Or(t.Remedy(), remedy)
		}
		d.bad("daemon", Warning, remedy, "%s; events wait on disk meanwhile", what)
	}
}

// store adds findings if the daemon cannot use the store, or if the store lacks rows. It starts a
// daemon if none runs, except where the first session has to create the store or install an engine.
func (d *Doctor) store(ctx context.Context) {
	files, _ := os.ReadDir(d.Paths.Data())
	_, noRecord := os.Stat(d.Paths.Data() + ".engine.json") // the engine's record stays if somebody deletes the data
	isMade := d.Config.Store.URL != "" || noRecord == nil || len(files) > 0
	if d.hasNoDaemon() && isMade && !d.isLocked() {
		if err := d.Start(ctx); err != nil {
			d.bad("store", Error, "see the reason: memory daemon logs", "the daemon does not start, so the store was not examined: %v", err)
			return
		}
		d.status, d.daemonErr = d.askStatus(ctx)
	}
	if d.daemonErr != nil || d.status.State != "ready" && d.status.State != "waiting" {
		return
	}
	if d.status.State == "waiting" {
		d.waits()
	}
	if s := d.status.Store; s != nil {
		d.rows(*s)
	}
}

// waits adds a finding with the reason why the daemon cannot use its store.
func (d *Doctor) waits() {
	trouble := cmp.Or(d.status.Trouble, &daemonapi.Trouble{Problem: d.status.Reason})
	remedy := trouble.Remedy()
	if trouble.Command == "doctor" || remedy == "" {
		remedy = cmp.Or(trouble.Help, "look whether the disk is full or fails (dmesg), and see the engine's log: memory daemon logs engine")
		if d.Config.Store.URL != "" {
			remedy = cmp.Or(trouble.Help, "correct the settings that the reason names (memory config list), or start the server of store.url")
		}
	}
	d.bad("store", Error, remedy, "%s; events wait on disk meanwhile", trouble.Problem)
}

// rows adds a finding if the store has fewer prompts than the journal. Only a purge deletes prompts, and it deletes them in both.
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
