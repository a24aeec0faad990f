package rescue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/backup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal"
)

// A move copies the store by way of a backup, compares every row of the copy with it, and
// then writes the copy's place into the settings: that is the switch. The old store is in use
// until then and stays as it is. A move that ended in between is repeated as a whole.

// embeddedPlace is the word for the engine that the agent runs.
const embeddedPlace = "embedded"

// place is where a store is; an empty URL is the data directory of this home.
type place struct {
	URL       string `json:"url"`
	Namespace string `json:"namespace"`
	Database  string `json:"database"`
}

func (p place) String() string {
	if p.URL == "" {
		return "this machine (" + embeddedPlace + ")"
	}
	return fmt.Sprintf("%s, namespace %s, database %s", p.URL, p.Namespace, p.Database)
}

// left is a store as a move has left it. As long as it has these rows, another move may
// replace it: nobody has written to it since.
type left struct {
	place
	backup.Digest
}

// checkMove refuses a move that could not end in a switch.
func (r *Rescuer) checkMove(to string) error {
	for _, variable := range []string{"SURREAL_URL", "SURREAL_NS", "SURREAL_DB"} {
		if r.Getenv(variable) != "" {
			return fmt.Errorf("%s is in the environment and decides which store is used, whatever a move writes into %s: "+
				"put it there (memory config set) and unset the variable, then move", variable, r.Layout.ConfigFile())
		}
	}
	if to != embeddedPlace {
		if _, err := engine.Find(context.Background(), engine.Options{Remote: engine.Endpoint{URL: to}}); err != nil {
			return fmt.Errorf("%q is neither a server nor %q: %w", to, embeddedPlace, err)
		}
	}
	if target := r.place(to); target == r.here() {
		return fmt.Errorf("the store is there already: %s", target)
	}
	return nil
}

// here is the place of the store in use.
func (r *Rescuer) here() place {
	return place{r.Config.Store.URL, r.Config.Store.Namespace, r.Config.Store.Database}
}

func (r *Rescuer) place(to string) place {
	if to == embeddedPlace {
		to = ""
	}
	return place{to, r.Namespace, r.Database}
}

// at is a rescuer for the store of another place.
func (r *Rescuer) at(p place) *Rescuer {
	other := *r
	other.Config.Store.URL, other.Config.Store.Namespace, other.Config.Store.Database = p.URL, p.Namespace, p.Database
	return &other
}

// move moves the store.
func (r *Rescuer) move(ctx context.Context, to string) error {
	from, target := r.here(), r.place(to)
	if err := engine.FinishReplacing(r.data()); err != nil {
		return err
	}
	file, digest, err := r.packed(ctx)
	if err != nil {
		return err
	}
	r.say("%d rows of %s are in the backup %s", digest.Rows, from, file)
	known, err := r.moved()
	if err != nil {
		return err
	}
	mover := mover{r.at(target), file, digest, known, remembered(known, left{from, digest}, left{target, digest})}
	if target.URL == "" {
		err = mover.toEmbedded(ctx, target)
	} else {
		err = mover.toServer(ctx, target)
	}
	if err != nil {
		return fmt.Errorf("%w. The store in use is still that of %s", err, from)
	}
	err = config.SetTexts(r.Layout.ConfigFile(), map[string]string{
		"store.url": target.URL, "store.namespace": target.Namespace, "store.database": target.Database,
	})
	if err != nil {
		return fmt.Errorf("%w. The copy is complete, but the store in use is still that of %s: memory move again", err, from)
	}
	r.say("%d rows are copied and compared; the store in use is now that of %s", digest.Rows, target)
	r.say("the old store is kept as it was: %s", from)
	for _, variable := range []string{"SURREAL_USER", "SURREAL_PASS", "SURREAL_TOKEN"} {
		if target.URL != "" && r.Getenv(variable) != "" {
			r.say("%s comes from the environment here: the agent needs it there, too, or in the settings", variable)
		}
	}
	return nil
}

// packed writes the store into a backup, which is also the newest of the daily ones.
func (r *Rescuer) packed(ctx context.Context) (file string, digest backup.Digest, err error) {
	if err := r.needData("move: memory config set store.url URL uses a server from the start"); err != nil {
		return "", digest, err
	}
	o, err := r.open(ctx)
	if err != nil {
		return "", digest, err
	}
	defer func() { err = errors.Join(err, o.close()) }()
	if err := RefuseUnfinished(ctx, o.store); err != nil {
		return "", digest, err
	}
	made, err := r.saveDaily(ctx, o)
	if err != nil {
		return "", digest, err
	}
	known, err := migrate.Load(migrations.FS)
	if err != nil {
		return "", digest, err
	}
	if made.Header.SchemaVersion < len(known) { // its rows would not be comparable once the copy is migrated
		return "", digest, fmt.Errorf("the store is at schema version %d of %d: memory agent start brings it up to date, then move", made.Header.SchemaVersion, len(known))
	}
	digest, err = backup.DigestOf(ctx, backup.File(made.File))
	return made.File, digest, err
}

// moved reads the record of earlier moves.
func (r *Rescuer) moved() (known []left, err error) {
	content, err := os.ReadFile(r.Layout.Moved())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &known)
	}
	if err != nil {
		return nil, fmt.Errorf("read the record of earlier moves, %s: %w", r.Layout.Moved(), err)
	}
	return known, nil
}

// remembered is the record with new entries in the place of those of the same stores. The data
// directory is one store, whatever the names in it.
func remembered(known []left, now ...left) []left {
	return append(now, slices.DeleteFunc(slices.Clone(known), func(old left) bool {
		return slices.ContainsFunc(now, func(one left) bool { return one.place == old.place || one.URL == "" && old.URL == "" })
	})...)
}

// mover fills the store at one place from a backup.
type mover struct {
	*Rescuer // of the target
	file     string
	digest   backup.Digest // of the file
	known    []left
	result   []left // the stores that a finished move leaves
}

// state is the fitness of a place as the target of a move.
type state int

const (
	isFree     state = iota // it has no rows, or those of an unfinished restore
	isLeft                  // it is as an earlier move has left it
	isFinished              // it has all rows already
)

// examine looks at the rows of a target. It refuses rows that the source may not have.
func (m *mover) examine(ctx context.Context, o *opened, at place) (state, error) {
	tables, err := o.store.Tables(ctx)
	if err != nil {
		return isFree, err
	}
	held := precious(tables)
	unfinished, err := o.store.UnfinishedRestore(ctx)
	if err != nil || unfinished != "" || len(held) == 0 {
		return isFree, err
	}
	digest, err := backup.DigestOf(ctx, o.store)
	switch {
	case err != nil:
		return isFree, err
	case digest == m.digest:
		return isFinished, nil
	}
	for _, one := range m.known {
		if one.place == at && one.Digest == digest {
			return isLeft, nil
		}
	}
	return isFree, fmt.Errorf("the store of %s is %w and has rows that no move of this home has left there: it has %s, and nothing of it is overwritten", at, memory.ErrNotEmpty, describe(held))
}

func (m *mover) toServer(ctx context.Context, at place) (err error) {
	o, err := m.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.close()) }()
	found, err := m.examine(ctx, o, at)
	switch {
	case errors.Is(err, memory.ErrNotEmpty):
		return fmt.Errorf("%w: name an empty database with --database; to use that one without these rows: memory config set store.url %s", err, at.URL)
	case err != nil:
		return err
	case found == isFinished:
		return m.record()
	}
	return m.fill(ctx, o, found)
}

func (m *mover) toEmbedded(ctx context.Context, at place) error {
	empty, err := engine.IsEmpty(m.data())
	if err != nil {
		return err
	}
	if !empty {
		found, err := m.examineData(ctx, at)
		switch {
		case errors.Is(err, memory.ErrNotEmpty):
			return fmt.Errorf("%w: to put it aside, rename %s, with the files beside it whose names begin so", err, m.data())
		case err != nil:
			return err
		case found == isFinished:
			return m.record()
		}
	}
	return m.refill(ctx, func(ctx context.Context, o *opened) error { return m.fill(ctx, o, isFree) })
}

// examineData is examine for the data directory, under the names that it had when it was
// left.
func (m *mover) examineData(ctx context.Context, at place) (found state, err error) {
	then := at
	for _, one := range m.known {
		if one.URL == "" {
			then = one.place
		}
	}
	o, err := m.at(then).open(ctx)
	if err != nil {
		return isFree, fmt.Errorf("the store in %s cannot be opened: %w; rename it, with the files beside it whose names begin so, to put it aside", m.data(), err)
	}
	defer func() { err = errors.Join(err, o.close()) }()
	found, err = m.examine(ctx, o, then)
	if found == isFinished && then != at { // its rows are under other names
		found = isLeft
	}
	return found, err
}

// fill copies all rows, compares them, and records the old place of the store.
func (m *mover) fill(ctx context.Context, o *opened, found state) error {
	target, err := m.target(o)
	if err != nil {
		return err
	}
	target.IsCompared = true
	if found == isLeft {
		target.Store = replacing{o.store}
	}
	if _, err := backup.Fill(ctx, m.file, target); err != nil {
		return err
	}
	if err := m.record(); err != nil {
		return err
	}
	return o.store.EndRestore(ctx)
}

// record writes down both stores, before the switch: whatever ends this process, the next
// move knows its own copies.
func (m *mover) record() error {
	content, err := json.MarshalIndent(m.result, "", "  ")
	if err == nil {
		err = atomicfile.Write(m.Layout.Moved(), 0o600, content)
	}
	if err != nil {
		return fmt.Errorf("record the move: %w", err)
	}
	return nil
}

// replacing is a store whose rows may be removed first: they are as a move has left them.
type replacing struct{ *surreal.Store }

// BeginRestore implements backup.TargetStore.
func (r replacing) BeginRestore(ctx context.Context, source string) error {
	return r.BeginReplacing(ctx, source)
}
