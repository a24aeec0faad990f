// Package places records the folders in which the user works, with the project of each. If a project's key changes,
// because a remote was added or the folder moved, it connects the new key with the former one, by the folder or by
// the first commits of the repository. By these it also connects projects without a remote on the user's machines. It runs git
// at most once for a folder and a key, and once for each start of a session where it found no commit.
package places

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/filestate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

// place is a folder as it was seen last.
type place struct {
	Key    string `json:"key"`
	IsRepo bool   `json:"repository,omitempty"`
	// Folder identifies the folder in its file system, whatever its path; see folderOf.
	Folder uint64 `json:"folder,omitempty"`
	// Stamp is when the repository was made, as text: a new folder may get the Folder of a deleted folder.
	Stamp string `json:"stamp,omitempty"`
	// Commits are the ids of the repository's first commits; none if there are none or git failed.
	Commits []string `json:"commits,omitempty"`
	// isEmpty is set if the repository has no object, so that it cannot be one of the repositories with commits.
	isEmpty bool
}

// successor is the project of a repository that replaced another one at its path.
type successor struct {
	Key   string    `json:"key"`
	Since time.Time `json:"since"` // when the repository was made
}

// saved is the content of the file.
type saved struct {
	Places map[string]place  `json:"places"`           // by path
	Parts  map[string]string `json:"parts,omitempty"`  // key of the whole project, by the key of its part
	Doubts map[string]string `json:"doubts,omitempty"` // key of the project that it may be, by a project's key
	// Elsewhere are the first commits of the projects of the user's other machines, by key.
	Elsewhere map[string][]string `json:"elsewhere,omitempty"`
	// Successors are the projects of the repositories whose paths are the keys of other projects, by path.
	Successors map[string]successor `json:"successors,omitempty"`
}

// Places has the known folders of a home, and stores them in a file.
type Places struct {
	file string
	// IsStored reports whether a key is that of a stored project. OffMarker returns the path of the file that
	// switches a project off. Both must be set before use.
	IsStored  func(key string) bool
	OffMarker func(key string) string
	log       *slog.Logger
	reads     filestate.ReadLimiter

	mu    sync.RWMutex
	known saved
	// written is what save wrote last. Each start of a session in a folder without commits looks again, and seldom changes it.
	written []byte
	looked  map[string]bool // folders at which Record has looked since LookAgain; false: it must look again
}

// New reads the known folders from a file. If the file is missing or unreadable, none is known.
func New(file string, offMarker func(key string) string, log *slog.Logger) *Places {
	p := &Places{file: file, log: log, looked: map[string]bool{}, IsStored: func(string) bool { return false }, OffMarker: offMarker}
	p.known = saved{map[string]place{}, map[string]string{}, map[string]string{}, map[string][]string{}, map[string]successor{}}
	text, err := os.ReadFile(file)
	var read saved
	if err == nil {
		err = json.Unmarshal(text, &read)
	}
	maps.Copy(p.known.Places, read.Places)
	maps.Copy(p.known.Parts, read.Parts)
	maps.Copy(p.known.Doubts, read.Doubts)
	maps.Copy(p.known.Elsewhere, read.Elsewhere)
	maps.Copy(p.known.Successors, read.Successors)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Warn("the known folders cannot be read; none counts as seen", "file", file, "error", err)
	}
	return p
}

// Resolve returns the key of the project that a key stands for.
func (p *Places) Resolve(key string) string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.meant(key)
}

// meant does what Resolve does. The caller must hold p.mu.
func (p *Places) meant(key string) string { return cmp.Or(p.known.Parts[key], key) }

// Doubt returns the key of a project that a key may stand for, or "".
func (p *Places) Doubt(key string) string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.known.Doubts[key]
}

// Record records that a folder belongs to a project. If the folder had another key and is certainly the same project, the new key
// stands for the old project from now on. It waits for git the first time. A folder that is missing, or on a file system that
// does not answer, is left out, and may be seen later.
func (p *Places) Record(ctx context.Context, key, root string) {
	if key == "" || !filepath.IsAbs(root) || p.isCurrent(ctx, key, root) {
		return
	}
	now, answers := filestate.TryRead(ctx, &p.reads, root, lookTime, func() place { return look(key, root) })
	if !answers || now.Key == "" {
		return
	}
	if now.IsRepo {
		now.Commits = project.FirstCommits(ctx, root)
	}
	gone := p.gone(ctx, root, now)
	p.mu.Lock()
	defer p.mu.Unlock()
	was := p.known.Places[root]
	if key == filepath.ToSlash(root) {
		p.replace(root, was, now)
	}
	key = cmp.Or(p.known.Successors[key].Key, key)
	now.Key = key
	whole, isCertain := p.whole(key, root, now, gone)
	p.known.Places[root], p.looked[root] = now, true
	p.connect(key, whole, isCertain)
	if isCertain {
		p.AddToListed(key, whole, root)
	}
	if isCertain || was.Key == key && alikeCommits(was.Commits, now.Commits) == equal {
		p.AddToListed(key, was.Key, root)
	}
	p.save()
}

// replace checks whether the repository at root (now) has replaced another one (was) whose key is the path: it was made at another time,
// and shares no first commit. If so, the new repository gets a key of its own, or its former key if it is back, and the other one counts as
// gone. The caller must hold p.mu.
func (p *Places) replace(root string, was, now place) {
	path, isOther := filepath.ToSlash(root), isNewer(was.Stamp, now.Stamp) && len(was.Commits) > 0 && (now.isEmpty || len(now.Commits) > 0)
	if !isOther || was.Key != cmp.Or(p.known.Successors[path].Key, path) || alikeCommits(was.Commits, now.Commits) != none {
		return
	}
	p.known.Places[root+"@"+was.Stamp] = was
	since, _ := time.Parse(time.RFC3339Nano, now.Stamp) // an unknown time is before all events
	next := successor{path + "@" + since.Format(time.DateOnly+"T150405.000"), since}
	for left, one := range p.known.Places {
		if strings.HasPrefix(left, root+"@") && alikeCommits(one.Commits, now.Commits) != none {
			next.Key = one.Key
			delete(p.known.Places, left)
		}
	}
	p.known.Successors[path] = next
	p.log.Info("another repository is at the path of a project", "path", path, "key", next.Key)
}

// Here returns the key of the project to which an event in a folder belongs. A folder that is gone has the key that it had. A repository
// that replaced another one at its path has its own key, for events that are not older than the repository.
func (p *Places) Here(key, root string, at time.Time) string {
	if hasRemote(key) || root == "" {
		return key
	}
	if !p.IsRecorded(key, root) {
		key = p.formerKey(key, root)
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	if next, isReplaced := p.known.Successors[key]; isReplaced && !at.Before(next.Since) {
		return next.Key
	}
	return key
}

// connect makes a key stand for the project whole, or records a doubt if that is not certain. "" is no project.
func (p *Places) connect(key, whole string, isCertain bool) {
	switch {
	case whole == "":
	case isCertain:
		p.alias(key, whole)
		p.log.Info("a project has another key", "key", key, "is", whole)
	default:
		p.known.Doubts[key] = whole
	}
}

// RecordCommits records the first commits of a project of another machine. If a project here certainly has the same commits, the
// key stands for that project from now on. If it may be the same project, but not certainly, Doubt returns key for it.
func (p *Places) RecordCommits(key string, commits []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, isPart := p.known.Parts[key]; isPart || len(commits) == 0 || slices.Equal(p.known.Elsewhere[key], commits) || p.isElsewhere(key, "") {
		return
	}
	likely, isCertain := p.alike(key, commits)
	if isCertain && !p.IsStored(key) {
		p.connect(key, likely[0], true)
	} else {
		for _, whole := range likely {
			p.connect(whole, key, false)
		}
	}
	p.known.Elsewhere[key] = commits
	p.save()
}

// RecordAddresses makes another machine's addresses of a project stand for it, or records a doubt where one has memories here.
func (p *Places) RecordAddresses(key string, addresses []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	whole := p.meant(key)
	for _, address := range addresses {
		if address == whole || p.meant(address) != address {
			continue
		}
		isCertain := !p.IsStored(address)
		if p.connect(address, whole, isCertain); isCertain {
			p.AddToListed(address, whole, "")
		}
		p.save()
	}
}

// alike returns the keys of the projects, on any machine, that have first commits of the project key, and whether the first of
// these is certainly the same project: all commits are equal, no other project has any of the commits, and both have no remote.
// Projects with different remotes are never alike.
func (p *Places) alike(key string, commits []string) (likely []string, isCertain bool) {
	isCertain = true
	add := func(other string, its []string) {
		how, areRemote := alikeCommits(its, commits), hasRemote(other) && hasRemote(key)
		isCertainToo := how == equal && !slices.Contains(its, copied) && !hasRemote(other) && !hasRemote(key)
		if other = p.meant(other); how == none || areRemote || other == key {
			return
		}
		isCertain = isCertain && isCertainToo
		if !slices.Contains(likely, other) {
			likely = append(likely, other)
		}
	}
	for _, one := range p.known.Places {
		add(one.Key, one.Commits)
	}
	for other, its := range p.known.Elsewhere {
		add(other, its)
	}
	slices.Sort(likely)
	return likely, isCertain && len(likely) == 1
}

// hasRemote reports whether a key is the address of a remote, not a path.
func hasRemote(key string) bool { return !strings.HasPrefix(key, "/") && !project.IsAbsolute(key) }

// copied is added to the first commits of a project if another project here, such as a copy of it, has some of them. Nobody knows
// then which of the two is meant, so with copied the commits equal no other machine's.
const copied = "copied"

// Commits returns a project's first commits for the user's other machines: those of a folder here (with copied if there is a copy
// of it), otherwise those that another machine has sent, because machines read letters in any order.
func (p *Places) Commits(key string) (commits []string) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	isPart := func(other string) bool { return p.known.Parts[other] == key || p.known.Parts[key] == other }
	for _, one := range p.known.Places {
		if one.Key == key && len(one.Commits) > 0 || isPart(one.Key) && len(commits) == 0 {
			commits = one.Commits
		}
	}
	if len(commits) == 0 {
		return p.known.Elsewhere[key]
	}
	for _, one := range p.known.Places {
		if one.Key != key && !isPart(one.Key) && alikeCommits(one.Commits, commits) != none {
			return append(slices.Clone(commits), copied)
		}
	}
	return commits
}

// LookAgain makes Record look again at a folder in which it found no commit, because there may be one now.
func (p *Places) LookAgain(root string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.looked, root)
}

// Recheck does what Record does, and looks again at a folder without a commit and at a folder that is off, because their first commits may
// have changed. Then it records whether memory is on there: a hook may wait for this record.
func (p *Places) Recheck(ctx context.Context, key, root string) {
	p.LookAgain(root)
	p.Record(ctx, key, root)
	if p.WasOff(key, root, time.Now(), true) {
		p.mu.Lock()
		p.looked[root] = false
		p.mu.Unlock()
		p.Record(ctx, key, root)
		p.WasOff(key, root, time.Now(), true)
	}
}

// IsRecorded reports whether a folder and its key are recorded; without a commit, only while this daemon need not look again.
func (p *Places) IsRecorded(key, root string) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	was, isKnown := p.known.Places[root]
	isLooked, isAsked := p.looked[root]
	return isKnown && was.Key == cmp.Or(p.known.Successors[key].Key, key) && (isLooked || len(was.Commits) > 0 && !isAsked)
}

// isCurrent does what IsRecorded does, but returns false if the repository was replaced, as far as the folder answers.
func (p *Places) isCurrent(ctx context.Context, key, root string) bool {
	if !p.IsRecorded(key, root) {
		return false
	}
	stamp, answers := filestate.TryRead(ctx, &p.reads, root, lookTime, project.Project{Root: root}.Stamp)
	p.mu.RLock()
	defer p.mu.RUnlock()
	return !answers || stamp == p.known.Places[root].Stamp
}

// formerKey returns the key that a missing folder had when it was seen last. If it was never seen, the nearest folder above it that was
// seen, and is missing, too, decides. It returns key if there is no such folder, or if the folder at root is there or does not answer.
func (p *Places) formerKey(key, root string) string {
	was, answers := filestate.TryRead(context.Background(), &p.reads, root, lookTime, func() string {
		for at := root; !isThere(at) && at != filepath.Dir(at); at = filepath.Dir(at) {
			p.mu.RLock()
			was, isKnown := p.known.Places[at]
			p.mu.RUnlock()
			if isKnown {
				return was.Key
			}
		}
		return key
	})
	if !answers {
		return key
	}
	return was
}

// Alias makes a key stand for another project.
func (p *Places) Alias(key, whole string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.alias(key, whole)
	p.save()
}

// Parts returns the other keys that stand for a project.
func (p *Places) Parts(whole string) (keys []string) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	for key, of := range p.known.Parts {
		if of == whole {
			keys = append(keys, key)
		}
	}
	return keys
}

// Addresses returns the parts of a project that are remotes, for the user's other machines.
func (p *Places) Addresses(whole string) []string {
	return slices.Sorted(slices.Values(slices.DeleteFunc(p.Parts(whole), func(key string) bool { return !hasRemote(key) })))
}

// Forget removes the projects whose keys isOf accepts, and the folders whose paths it accepts.
func (p *Places) Forget(isOf func(key string) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for root, one := range p.known.Places {
		if isOf(one.Key) || isOf(root) {
			delete(p.known.Places, root)
		}
	}
	maps.DeleteFunc(p.known.Successors, func(path string, next successor) bool { return isOf(path) && isOf(next.Key) })
	maps.DeleteFunc(p.known.Elsewhere, func(key string, _ []string) bool { return isOf(key) || isOf(p.known.Parts[key]) })
	for _, keys := range []map[string]string{p.known.Parts, p.known.Doubts} {
		for key, whole := range keys {
			if isOf(key) || isOf(whole) {
				delete(keys, key)
			}
		}
	}
	p.save()
}

func (p *Places) alias(key, whole string) {
	if whole = p.meant(whole); key == whole {
		return
	}
	p.known.Parts[key] = whole
	delete(p.known.Doubts, key)
	for part, of := range p.known.Parts {
		if of == key {
			p.known.Parts[part] = whole
		}
	}
}

// WasOff reports whether memory was off in a project at the time at, although a hook did not know it: one of the project's identities was
// off, or the project that it was merged into. Then it marks the other identities. If the hook held its event back (isHeld), it reports
// whether memory is off now. A folder that does not answer counts as off if memory is off in any project.
func (p *Places) WasOff(key, root string, at time.Time, isHeld bool) bool {
	if !isHeld && !p.IsAnyOff() {
		return false
	}
	mark, whole, where := p.OffMarker(key), p.OffMarker(p.Resolve(key)), project.Project{Key: key, Root: root}
	p.mu.RLock()
	seen := p.known.Places[root]
	p.mu.RUnlock()
	isOff, answers := filestate.TryRead(context.Background(), &p.reads, root, 5*lookTime, func() bool { // a busy machine is no reason to lose an event
		if seen.Stamp != where.Stamp() { // another repository is there since
			seen.Commits = nil
		}
		since, isOff, err := where.OffSince(mark, whole, seen.Commits)
		if !isOff {
			err = where.SetLooked(mark, seen.Commits)
		}
		if err != nil {
			p.log.Error("what is known of a project that is switched on or off could not be recorded", "key", key, "error", err)
		}
		return isOff && !since.After(at) || isHeld && where.IsOff(mark)
	})
	return isOff || !answers
}

// WhyOff returns why memory is off now in a project that was used in the folder dir, or "". resolve returns the key of the project that
// a folder's key stands for. If the project is not in dir any more, it looks at each known folder of the project.
func (p *Places) WhyOff(key, dir string, resolve func(key string) string) string {
	there, answers := filestate.TryRead(context.Background(), &p.reads, dir, lookTime, func() project.Project {
		where, _ := project.Identify(dir) // the project is usable even with an error
		return where
	})
	folders := map[string]string{} // keys by path
	if answers && dir != "" && resolve(p.Here(there.Key, there.Root, time.Now())) == key {
		p.Record(context.Background(), there.Key, there.Root)
		folders[there.Root] = there.Key
	} else if answers {
		p.mu.RLock()
		known := maps.Clone(p.known.Places)
		p.mu.RUnlock()
		for root, one := range known {
			if resolve(one.Key) == key {
				folders[root] = one.Key
			}
		}
	}
	if len(folders) == 0 {
		folders[dir] = key
	}
	for root, own := range folders {
		where := project.Project{Key: own, Name: path.Base(key), Root: root}
		if p.WasOff(own, root, time.Now(), true) || own != key && isThere(p.OffMarker(key)) {
			return cmp.Or(where.WhyOffWithin(lookTime, p.OffMarker(own)), "memory is off for "+key+"; switch it on with memory projects on, in your own terminal")
		}
	}
	return ""
}

// OffNotice returns the line of project.Project.OffNotice for the user. Later calls for the project return "".
func (p *Places) OffNotice(key, root string) string {
	return project.Project{Key: key, Name: path.Base(key), Root: root}.OffNotice(p.OffMarker(key))
}

// IsAnyOff reports whether a project is off, or was.
func (p *Places) IsAnyOff() bool {
	entries, _ := os.ReadDir(filepath.Dir(p.OffMarker("")))
	return len(entries) > 0
}

// AddToListed lists the project key, with its folder if it has one, where memory is on in listed projects only and whole is
// listed. It only logs errors.
func (p *Places) AddToListed(key, whole, root string) {
	if whole == "" || !isThere(project.OnlyMarker(p.OffMarker(whole))) {
		return
	}
	if err := (project.Project{Key: key, Root: root}).List(p.OffMarker(key)); err != nil {
		p.log.Error("a project in which memory is on has another key, and could not be listed", "key", key, "error", err)
	}
}

// save writes the file, and only logs errors: without the file, a project whose key changes counts as new.
func (p *Places) save() {
	text, err := json.Marshal(p.known)
	if err == nil && bytes.Equal(text, p.written) {
		return
	}
	if err == nil {
		err = atomicfile.Write(p.file, 0o600, text)
	}
	if p.written = text; err != nil {
		p.written = nil
		p.log.Error("the known folders cannot be written", "file", p.file, "error", err)
	}
}

// whole returns the key that the project at root had before it got key, or "", and whether this is certain. It is certain for
// the same folder unless the folder now has another repository or a clone. For a repository at another path it is certain if its old
// folder is in gone and isMoved is true: equal first commits are not enough, because they are public. It is never certain if another
// project uses key, because that project keeps its own memories.
func (p *Places) whole(key, root string, now place, gone []string) (whole string, isCertain bool) {
	if _, isPart := p.known.Parts[key]; isPart {
		return "", false
	}
	isNew := !p.IsStored(key) && !p.isElsewhere(key, root)
	if was, isKnown := p.known.Places[root]; isKnown {
		alike := alikeCommits(was.Commits, now.Commits)
		if whole = p.meant(was.Key); whole == key && alike == equal { // looked at again: nothing is new
			return "", false
		} else if whole == key {
			return p.likely(key, now)
		}
		if alike == none && (isNewer(was.Stamp, now.Stamp) || len(was.Commits) > 0 && len(now.Commits) > 0) { // another repository at the same path
			return "", false
		}
		return whole, isNew && (alike == equal || was.Folder == now.Folder) && !(hasRemote(key) && isNewer(was.Stamp, now.Stamp))
	}
	if !isNew {
		return "", false
	}
	for dir := filepath.Dir(root); !now.IsRepo && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if above, isKnown := p.known.Places[dir]; isKnown && above.IsRepo { // the folder's .git is gone
			return p.meant(above.Key), above.Folder == folderOf(dir)
		}
	}
	var likely, moved []string
	isCertain = true
	for path, was := range p.known.Places {
		alike := alikeCommits(was.Commits, now.Commits)
		isPart := now.IsRepo && slices.Contains(gone, path) && isPlainBelow(root, path, was)
		if alike == none && !isPart && (len(was.Commits) > 0 || len(now.Commits) > 0 || was.Folder == 0 || was.Folder != now.Folder || !slices.Contains(gone, path)) {
			continue
		}
		whole := p.meant(was.Key)
		if alike == equal && slices.Contains(gone, path) && isMoved(was, now) {
			moved = append(moved, whole)
		} else {
			isCertain = isCertain && isNewer(was.Stamp, now.Stamp)
		}
		likely = append(likely, whole)
	}
	if len(likely) == 0 {
		return p.likely(key, now)
	}
	if slices.Sort(moved); len(moved) > 0 {
		return moved[0], isCertain && len(slices.Compact(moved)) == 1
	}
	return slices.Min(likely), false
}

// likely returns the project of another machine that is the same as a folder's project, or "", and whether this is certain.
func (p *Places) likely(key string, now place) (whole string, isCertain bool) {
	likely, isCertain := p.alike(key, now.Commits)
	if len(likely) == 0 {
		return "", false
	}
	return likely[0], isCertain && !p.IsStored(key)
}

// isElsewhere reports whether another folder has the key, too.
func (p *Places) isElsewhere(key, root string) bool {
	for path, one := range p.known.Places {
		if path != root && one.Key == key {
			return true
		}
	}
	return false
}

// Degrees of equality of the first commits of two repositories.
const (
	none = iota
	some
	equal
)

func alikeCommits(a, b []string) int {
	if len(a) > 0 && slices.Equal(a, b) {
		return equal
	}
	if slices.ContainsFunc(a, func(one string) bool { return slices.Contains(b, one) }) {
		return some
	}
	return none
}

// isNewer reports whether two stamps are known and differ: the second repository is then another one, or a copy of the first.
func isNewer(was, now string) bool { return was != "" && now != "" && was != now }

// isMoved reports whether the repository now, at another path, is certainly the one that was seen and no clone, which is made later. Where
// it has a remote now, it must be the same folder, too. Without a time the folder decides.
func isMoved(was, now place) bool {
	isSame := was.Folder != 0 && was.Folder == now.Folder
	return was.Stamp == now.Stamp && (isSame || was.Stamp != "" && !hasRemote(now.Key))
}

// isPlainBelow reports whether a known folder was in no repository, and lies below root.
func isPlainBelow(root, path string, was place) bool {
	return !was.IsRepo && was.Key == filepath.ToSlash(path) && strings.HasPrefix(path, root+string(filepath.Separator))
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// lookTime limits each look at a folder, because a file system may hang.
const lookTime = time.Second

// look returns what a folder is now, without its first commits; the zero place if there is no such folder, or if it is
// another project: a letter of another machine may name a path that is something else here.
func look(key, root string) place {
	info, err := os.Stat(root)
	if err != nil || !info.IsDir() {
		return place{}
	}
	if is, err := project.Identify(root); err == nil && is.Key != key {
		return place{}
	}
	now := place{Key: key, Folder: folderOf(root), Stamp: project.Project{Root: root}.Stamp(), IsRepo: project.Repository(root) == root}
	now.isEmpty = isEmptyStore(filepath.Join(root, ".git", "objects"))
	return now
}

// isEmptyStore reports whether a folder of git's objects is there and has none. It stops at the first one.
func isEmptyStore(objects string) bool {
	folders, err := os.ReadDir(objects)
	return err == nil && !slices.ContainsFunc(folders, func(folder os.DirEntry) bool {
		files, _ := os.ReadDir(filepath.Join(objects, folder.Name()))
		return len(files) > 0
	})
}

// gone returns the known folders that may be the folder at root now: they are missing, and share a first commit with it, or its identity; or
// they were in no repository, and are in the one at root now. A folder on a file system that does not answer counts as present.
func (p *Places) gone(ctx context.Context, root string, now place) (missing []string) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	p.mu.RLock()
	known := maps.Clone(p.known.Places)
	p.mu.RUnlock()
	for path, was := range known {
		isPart := now.IsRepo && isPlainBelow(root, path, was)
		if !isPart && alikeCommits(was.Commits, now.Commits) == none && (was.Folder == 0 || was.Folder != now.Folder) {
			continue
		}
		isGone, answers := filestate.TryRead(ctx, &p.reads, path, lookTime, func() bool {
			return !isThere(path) || isPart && project.Repository(path) == root || isNewer(was.Stamp, project.Project{Root: path}.Stamp())
		})
		if answers && isGone {
			missing = append(missing, path)
		}
	}
	return missing
}
