package database

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/backup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// embeddedPlace is the word for the engine that the agent runs.
const embeddedPlace = "embedded"

// elsewhere is a rescuer of the store that a move goes to.
func (r *Rescuer) elsewhere(to string) *Rescuer {
	other := *r
	store := &other.Config.Store
	store.URL, store.Namespace, store.Database = to, r.Namespace, r.Database
	if to == embeddedPlace {
		store.URL = ""
	}
	return &other
}

// where is the place of the store.
func (r *Rescuer) where() string {
	store := r.Config.Store
	return fmt.Sprintf("%s, namespace %s, database %s", cmp.Or(store.URL, "this machine ("+embeddedPlace+")"),
		store.Namespace, store.Database)
}

// checkMove refuses a move that could not end in a switch.
func (r *Rescuer) checkMove(to string) error {
	for _, variable := range []string{"SURREAL_URL", "SURREAL_NS", "SURREAL_DB"} {
		if r.Getenv(variable) != "" {
			return fmt.Errorf("%s is in the environment and decides which store is used, whatever a move writes into %s: "+
				"put it there (memory config set KEY VALUE) and unset the variable, then move", variable, r.Layout.ConfigFile())
		}
	}
	other := r.elsewhere(to)
	if other.isRemote() {
		if _, err := engine.Find(context.Background(), engine.Options{Remote: engine.Endpoint{URL: to}}); err != nil {
			return fmt.Errorf("%q is neither a server nor %q: %w", to, embeddedPlace, err)
		}
	}
	if other.where() == r.where() {
		return fmt.Errorf("the store is there already: %s", r.where())
	}
	return nil
}

// move backs the store up, restores the backup elsewhere, and writes that place into the settings: this is the switch. The old
// store is in use until then and stays as it is. A move that ended in between is repeated as a whole.
func (r *Rescuer) move(ctx context.Context, to string) error {
	var made backup.Made
	err := r.use(ctx, "move: memory config set store.url URL uses a server from the start", func(o *opened) (err error) {
		if err := RefuseUnfinished(ctx, o.store); err != nil {
			return err
		}
		made, err = r.save(ctx, o, "")
		return err
	})
	if err != nil {
		return err
	}
	r.say("%d rows of %s are in the backup %s", made.Header.Rows(), r.where(), made.File)
	other := r.elsewhere(to)
	if err = other.copied(ctx, made.File); err == nil {
		store := other.Config.Store
		err = config.SetTexts(r.Layout.ConfigFile(), map[string]string{
			"store.url": store.URL, "store.namespace": store.Namespace, "store.database": store.Database,
		})
	}
	if err != nil {
		return fmt.Errorf("%w. The store in use is still that of %s", err, r.where())
	}
	r.say("all rows are copied and compared; the store in use is now that of %s", other.where())
	r.say("the old store is kept as it was: %s", r.where())
	for _, variable := range []string{"SURREAL_USER", "SURREAL_PASS", "SURREAL_TOKEN"} {
		if other.isRemote() && r.Getenv(variable) != "" {
			r.say("%s comes from the environment here: the agent needs it there, too, or in the settings", variable)
		}
	}
	return nil
}

// copied makes the store one of a backup, and compares every row. Rows on a server are replaced only if they are in a backup here:
// an earlier move has left them. A store on this machine is kept aside.
func (r *Rescuer) copied(ctx context.Context, file string) error {
	if !r.isRemote() {
		return r.refill(ctx, func(ctx context.Context, o *opened) error { return r.fill(ctx, o, file, true) })
	}
	return r.fillRemote(ctx, func(ctx context.Context, o *opened) error {
		err := r.fill(ctx, o, file, true)
		if !errors.Is(err, memory.ErrNotEmpty) {
			return err
		}
		if isBackedUp, digestErr := r.isBackedUp(ctx, o); digestErr != nil || !isBackedUp {
			return errors.Join(err, digestErr)
		}
		if err := o.store.BeginReplacing(ctx, filepath.Base(file)); err != nil {
			return err
		}
		return r.fill(ctx, o, file, true)
	})
}

// isBackedUp reports whether a backup of this home has exactly the rows of a store.
func (r *Rescuer) isBackedUp(ctx context.Context, o *opened) (bool, error) {
	there, err := backup.DigestOf(ctx, o.store)
	if err != nil {
		return false, err
	}
	files, err := backup.List(Backups(r.Layout, r.Config))
	return slices.ContainsFunc(files, func(file string) bool {
		digest, err := backup.DigestOf(ctx, backup.File(file))
		return err == nil && digest == there // a damaged one does not count
	}), err
}
