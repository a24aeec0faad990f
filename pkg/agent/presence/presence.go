// Package presence watches whether the files, folders and commands that facts name are in
// the checkouts of their projects. A name is gone from a checkout if it was found there
// once and is not any more. It looks in the background, runs no program, reads no file but
// git's index and the files that define commands, and waits for no file system that hangs.
// Its findings are of this machine alone, and never in the store.
package presence

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/filestate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const (
	// lookTime is how long the look at one checkout may take.
	lookTime = 30 * time.Second
	// restFactor is how many times as long as a look took a checkout is then left alone, and
	// leastRest and mostRest are the bounds of that.
	restFactor = 50
	leastRest  = time.Second
	mostRest   = 5 * time.Minute
	// lookAgain is how often a checkout is looked at in which nothing happens: it may have
	// been changed by hand. It is, until nothing happened for usedTime.
	lookAgain = 5 * time.Minute
	usedTime  = time.Hour
)

// Options configure a Presence.
type Options struct {
	// File keeps the findings, so that a restart keeps the days; empty: it ends with the
	// process.
	File string
	// Facts lists the facts of a project; Resolve is the key of the project that one was
	// merged into, or its own.
	Facts   func(ctx context.Context, project string) ([]memory.Memory, error)
	Resolve func(project string) string
	Log     *slog.Logger
	Now     func() time.Time
}

// Presence watches the checkouts in which sessions work. Its methods are safe for concurrent
// use.
type Presence struct {
	Options
	looks filestate.Looks

	looking sync.Mutex // held while checkouts are looked at

	mu     sync.RWMutex
	record record
	due    map[string]bool // the roots to look at
	rest   map[string]time.Time
	trees  map[string]*tree
}

// New makes a Presence, which begins with the findings in File.
func New(o Options) *Presence {
	p := &Presence{Options: o, due: map[string]bool{}, rest: map[string]time.Time{}, trees: map[string]*tree{}}
	p.record = load(o.File, o.Log)
	return p
}

// Absence is a name that is gone from a checkout.
type Absence struct {
	Name string
	Day  string // on which that was noticed: 2006-01-02
	// Whole is set if the fact is not to be injected unasked: its title has the name, or all its
	// names are gone.
	Whole bool
}

// Of is the first name of a fact that is gone from the checkout at root. It does not wait.
func (p *Presence) Of(root, id string) (Absence, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.record.of(root, id)
}

// Root is the checkout of a project in which a session worked last; empty if none is known.
func (p *Presence) Root(project string) string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	key, last := p.Resolve(project), ""
	for root, one := range p.record.Roots {
		if one.Project == key && (last == "" || one.Used.After(p.record.Roots[last].Used)) {
			last = root
		}
	}
	return last
}

// Committed notes in which checkouts something has happened. It does not wait.
func (p *Presence) Committed(_ context.Context, c intake.Committed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range c.Events {
		if root := e.Project.Root; filestate.IsProject(root) {
			p.due[root] = true
			p.record.use(root, p.Resolve(e.Project.Key), p.Now().UTC())
		}
	}
	for root, one := range p.record.Roots {
		if c.All || slices.ContainsFunc(c.Memories, func(m memory.Memory) bool {
			return m.IsFact() &&
				m.Project == one.Project
		}) {
			p.due[root] = true
		}
	}
}

// Check looks at the checkouts that are due, unless another call does.
func (p *Presence) Check(ctx context.Context) {
	if !p.looking.TryLock() {
		return
	}
	defer p.looking.Unlock()
	for _, root := range p.next() {
		if ctx.Err() != nil {
			return
		}
		began := p.Now()
		p.check(ctx, root)
		p.mu.Lock()
		p.rest[root] = p.Now().Add(min(max(restFactor*p.Now().Sub(began), leastRest), mostRest))
		p.mu.Unlock()
	}
	if err := p.save(); err != nil {
		p.Log.Warn("the names that are gone from checkouts cannot be recorded; their days are lost at a restart", "error", err)
	}
}

// save writes the record, if it has changed. Nobody waits for the disk meanwhile.
func (p *Presence) save() error {
	p.mu.Lock()
	data := p.record.text()
	p.mu.Unlock()
	if data == nil || p.File == "" {
		return nil
	}
	if err := atomicfile.Write(p.File, 0o600, data); err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.record.isChanged = true
		return fmt.Errorf("record the names that are gone from checkouts: %w", err)
	}
	return nil
}

// next takes the checkouts to look at now.
func (p *Presence) next() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.Now().UTC()
	var roots []string
	for root, one := range p.record.Roots {
		isDue := p.due[root] || now.Sub(one.Looked) >= lookAgain && now.Sub(one.Used) < usedTime
		if isDue && !now.Before(p.rest[root]) {
			delete(p.due, root)
			roots = append(roots, root)
		}
	}
	slices.Sort(roots)
	return roots
}

// check looks at a checkout. Where the facts cannot be read, or the checkout does not answer,
// nothing changes.
func (p *Presence) check(ctx context.Context, root string) {
	p.mu.RLock()
	one := p.record.Roots[root]
	t := p.trees[root]
	p.mu.RUnlock()
	if one == nil {
		return
	}
	all, err := p.Facts(ctx, one.Project)
	if err != nil {
		if ctx.Err() == nil {
			p.Log.Debug("the facts of a project could not be read to look for their names", "project", one.Project, "error", err)
		}
		return
	}
	if t == nil {
		t = &tree{root: root}
	}
	facts := namedBy(all)
	found, isKnown := filestate.Look(ctx, &p.looks, root, lookTime, func() findings { return t.look(namesOf(facts)) })
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !isKnown:
		delete(p.trees, root) // the look may be under way still
	case found.isGone:
		p.record.drop(root)
		delete(p.trees, root)
	case found.names != nil:
		p.trees[root] = t
		p.record.update(root, facts, found, p.Now().UTC())
	}
}

// Discard drops the records of projects.
func (p *Presence) Discard(isOf func(project string) bool) error {
	p.looking.Lock() // a look that is under way would record it again
	defer p.looking.Unlock()
	p.mu.Lock()
	for root, one := range p.record.Roots {
		if isOf(one.Project) {
			p.record.drop(root)
		}
	}
	p.mu.Unlock()
	return p.save()
}

const (
	// mostRoots is the most checkouts that are watched, those used last.
	mostRoots = 64
	// fickleDays is how long a name that has come back is taken for one that comes and goes,
	// as a plan does or the files of a branch: it is not gone while it is away.
	fickleDays = 14
	// unusedTime is the time without a session after which a checkout is watched no more.
	unusedTime = 30 * 24 * time.Hour
)

// record has the findings of checkouts.
type record struct {
	Roots map[string]*checkout `json:"roots"`

	isChanged bool
}

// checkout is a folder in which sessions of a project work.
type checkout struct {
	Project string             `json:"project"`
	Used    time.Time          `json:"used"`
	Facts   map[string]*sought `json:"facts"` // by id: those of which a name was found
	// Back are the names that were gone and were found again, with the last day of that.
	Back map[string]string `json:"back,omitempty"`

	Looked time.Time `json:"-"`
}

// sought is a fact with those of its names that were found once.
type sought struct {
	Names map[string]seen `json:"names"`
	Whole bool            `json:"whole,omitempty"` // see Absence
}

// seen is a name that was found.
type seen struct {
	Gone   string `json:"gone,omitempty"`   // the day on which it was noticed to be gone; empty: it is there
	Listed bool   `json:"listed,omitempty"` // it was found by git's index
}

// load reads a record. A damaged one counts as none.
func load(file string, log *slog.Logger) record {
	r := record{Roots: map[string]*checkout{}}
	if file == "" {
		return r
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return r
	}
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	for root, one := range r.Roots {
		if one == nil || slices.Contains(slices.Collect(maps.Values(one.Facts)), nil) {
			delete(r.Roots, root)
		}
	}
	if err != nil || r.Roots == nil {
		log.Warn("the record of names that are gone from checkouts cannot be read and is made anew", "file", file, "error", err)
		r.Roots = map[string]*checkout{}
	}
	return r
}

// text is the record as it is written, if it has changed since.
func (r *record) text() []byte {
	if !r.isChanged {
		return nil
	}
	r.isChanged = false
	data, _ := json.Marshal(r) // texts and times alone can always be written
	return data
}

// use notes that a session works in a checkout, and lets go of those that nobody uses.
func (r *record) use(root, project string, now time.Time) {
	one := r.Roots[root]
	if one == nil || one.Project != project {
		one = &checkout{Project: project, Facts: map[string]*sought{}}
		r.Roots[root], r.isChanged = one, true
	}
	if now.Sub(one.Used) >= time.Hour { // the file need not be exact
		r.isChanged = true
	}
	one.Used = now
	oldest := root
	for other, it := range r.Roots {
		if now.Sub(it.Used) > unusedTime {
			r.drop(other)
		} else if it.Used.Before(r.Roots[oldest].Used) {
			oldest = other
		}
	}
	if len(r.Roots) > mostRoots {
		r.drop(oldest)
	}
}

func (r *record) drop(root string) {
	delete(r.Roots, root)
	r.isChanged = true
}

// of is the first name of a fact that is gone.
func (r *record) of(root, id string) (Absence, bool) {
	one := r.Roots[root]
	if one == nil || one.Facts[id] == nil {
		return Absence{}, false
	}
	for _, name := range slices.Sorted(maps.Keys(one.Facts[id].Names)) {
		if day := one.Facts[id].Names[name].Gone; day != "" {
			return Absence{Name: name, Day: day, Whole: one.Facts[id].Whole}, true
		}
	}
	return Absence{}, false
}

// update brings a checkout to the findings of a look.
func (r *record) update(root string, facts []fact, found findings, now time.Time) {
	one := r.Roots[root]
	if one == nil { // it was discarded meanwhile
		return
	}
	one.Looked = now
	before := one.Facts
	r.noteBack(one, found, now)
	one.Facts = make(map[string]*sought, len(before))
	for _, f := range facts {
		s := &sought{Names: map[string]seen{}}
		for _, name := range f.names {
			was, wasSeen := seen{}, false
			if before[f.id] != nil {
				was, wasSeen = before[f.id].Names[name]
			}
			if is, isSeen := r.now(root, f.id, name, was, wasSeen, found.names[name], now); isSeen {
				s.Names[name] = is
			}
		}
		if len(s.Names) == 0 {
			continue
		}
		s.Whole = isWhole(f, s.Names)
		one.Facts[f.id] = s
		r.isChanged = r.isChanged || before[f.id] == nil || before[f.id].Whole != s.Whole ||
			!maps.Equal(before[f.id].Names, s.Names)
	}
	r.isChanged = r.isChanged || len(one.Facts) != len(before)
}

// now is the state of a name after a look.
func (r *record) now(root, id, name string, was seen, wasSeen bool, is finding, now time.Time) (seen, bool) {
	switch {
	case is == there:
		return seen{}, true
	case is == listed:
		return seen{Listed: true}, true
	case is == unknown || is == absentHere && was.Listed || wasSeen && was.Gone != "":
		return was, wasSeen
	case r.isFickle(r.Roots[root].Project, name, now):
		return was, wasSeen
	case wasSeen:
		return seen{Gone: now.Format(time.DateOnly), Listed: was.Listed}, true
	}
	return r.elsewhere(root, id, name)
}

// noteBack notes which names are found again.
func (r *record) noteBack(one *checkout, found findings, now time.Time) {
	for _, s := range one.Facts {
		for name, was := range s.Names {
			if is := found.names[name]; was.Gone != "" && (is == there || is == listed) {
				if one.Back == nil {
					one.Back = map[string]string{}
				}
				one.Back[name], r.isChanged = now.Format(time.DateOnly), true
			}
		}
	}
	maps.DeleteFunc(one.Back, func(_, day string) bool { return day < now.AddDate(0, 0, -fickleDays).Format(time.DateOnly) })
}

// isFickle reports whether a name of a project, or a folder above it, came back lately.
func (r *record) isFickle(project, name string, now time.Time) bool {
	since := now.AddDate(0, 0, -fickleDays).Format(time.DateOnly)
	for _, one := range r.Roots {
		for back, day := range one.Back {
			if one.Project == project && day >= since &&
				strings.HasPrefix(strings.TrimSuffix(name, "/")+"/", strings.TrimSuffix(back, "/")+"/") {
				return true
			}
		}
	}
	return false
}

// elsewhere is the state of a name that a checkout never had: gone if it is gone from another
// checkout of the project, and in none.
func (r *record) elsewhere(root, id, name string) (state seen, isSeen bool) {
	for other, one := range r.Roots {
		if other == root || one.Project != r.Roots[root].Project || one.Facts[id] == nil {
			continue
		}
		if is, has := one.Facts[id].Names[name]; has && is.Gone == "" {
			return seen{}, false
		} else if has && (state.Gone == "" || is.Gone < state.Gone) {
			state, isSeen = is, true
		}
	}
	return state, isSeen
}

// isWhole reports whether so many names of a fact are gone that it is not injected unasked.
func isWhole(f fact, names map[string]seen) bool {
	left := false
	for name, is := range names {
		if is.Gone != "" && slices.Contains(f.inTitle, name) {
			return true
		}
		left = left || is.Gone == ""
	}
	return !left
}
