// Package places records the folders in which the user works, with the project of each. If a project's key changes, because a
// remote was added or the folder moved, it recognises the project by the folder or by the repository's first commits, and
// connects the new key with the former one. It runs git at most once for a folder and a key, and once for each start of a session
// where it found no commit.
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

// successor is the project of a repository that was made at the path of another one.
type successor struct {
	Key   string    `json:"key"`
	Since time.Time `json:"since"` // when the repository was made
}

// saved is the content of the file.
type saved struct {
	Places map[string]place  `json:"places"`           // by path
	Parts  map[string]string `json:"parts,omitempty"`  // key of the whole project, by the key of its part
	Doubts map[string]string `json:"doubts,omitempty"` // key of the project that a project may be, by the latter's key
	// Successors are the projects of repositories that replaced others, by path. The path is the key of the first project there.
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
	// written is what save wrote last, so that save can leave out a write that changes nothing.
	written []byte
	looked  map[string]bool // folders at which Record has looked since LookAgain; false: it must look once more
}

// New reads the known folders from a file. If the file is missing or unreadable, none is known.
func New(file string, offMarker func(key string) string, log *slog.Logger) *Places {
	p := &Places{file: file, log: log, looked: map[string]bool{}, IsStored: func(string) bool { return false }, OffMarker: offMarker}
	p.known = saved{map[string]place{}, map[string]string{}, map[string]string{}, map[string]successor{}}
	var read saved
	err := atomicfile.ReadJSON(file, &read)
	maps.Copy(p.known.Places, read.Places)
	maps.Copy(p.known.Parts, read.Parts)
	maps.Copy(p.known.Doubts, read.Doubts)
	maps.Copy(p.known.Successors, read.Successors)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Warn("the list of known folders cannot be read, so every folder counts as new", "file", file, "error", err)
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

// Record records that a folder belongs to a project. If the folder had another key and certainly has the same
// project, the new key stands for the old project from now on. Record waits for git the first time. It records
// nothing of a folder that is missing, or whose file system does not answer; a later call may.
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

// replace checks whether a new repository (now) has replaced the one that was at root (was), whose key is this path.
// It has if it was made at another time and shares no first commit. Then the new repository gets a key of its own
// (its former key if it had been here before), and the other one counts as gone. The caller must hold p.mu.
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

// Here returns the key of the project to which an event in a folder belongs. A folder that is gone keeps the key that
// it had. A repository that replaced another one at its path has a key of its own, for the events since it was made.
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

// connect makes key stand for the project whole, or records a doubt if the two are not certainly the same. It does nothing if whole is "".
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

// RecordAddresses makes the addresses that another machine knows for a project stand for it. It records a doubt for an address with memories here.
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

// hasRemote reports whether a key is the address of a remote, not a path.
func hasRemote(key string) bool { return !strings.HasPrefix(key, "/") && !project.IsAbsolute(key) }

// LookAgain makes Record look again at a folder in which it found no commit, because there may be one now.
func (p *Places) LookAgain(root string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.looked, root)
}

// Recheck does what Record does, and looks again at a folder without a commit or where memory is off, because its
// first commits may have changed. It then records whether memory is on there; a hook may wait for this record.
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

// IsRecorded reports whether a folder and its key are recorded. A folder without commits must have been looked at since LookAgain, too.
func (p *Places) IsRecorded(key, root string) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	was, isKnown := p.known.Places[root]
	isLooked, isAsked := p.looked[root]
	return isKnown && was.Key == cmp.Or(p.known.Successors[key].Key, key) && (isLooked || len(was.Commits) > 0 && !isAsked)
}

// isCurrent reports whether a folder is recorded with the key and, as far as it answers, still has the same repository.
func (p *Places) isCurrent(ctx context.Context, key, root string) bool {
	if !p.IsRecorded(key, root) {
		return false
	}
	stamp, answers := filestate.TryRead(ctx, &p.reads, root, lookTime, project.Project{Root: root}.Stamp)
	p.mu.RLock()
	defer p.mu.RUnlock()
	return !answers || stamp == p.known.Places[root].Stamp
}

// formerKey returns the key that a missing folder had when it was last seen. If it was never seen, it returns the key of the
// nearest folder above it that was seen, if that is missing, too. Otherwise, or if the file system does not answer, it returns key.
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

// WasOff reports whether memory was off in a project at the time at: for one of the project's identities (then WasOff marks
// the others, too), or for the project into which it was merged. If a hook held the event back because it did not know (isHeld),
// WasOff also returns true if memory is off now. A folder that does not answer counts as off if memory is off in any project.
func (p *Places) WasOff(key, root string, at time.Time, isHeld bool) bool {
	if !isHeld && !p.IsAnyOff() {
		return false
	}
	mark, whole, where := p.OffMarker(key), p.OffMarker(p.Resolve(key)), project.Project{Key: key, Root: root}
	p.mu.RLock()
	seen := p.known.Places[root]
	p.mu.RUnlock()
	isOff, answers := filestate.TryRead(context.Background(), &p.reads, root, 5*lookTime, func() bool { // a long limit, because an event would be lost whenever the machine is busy
		if seen.Stamp != where.Stamp() { // another repository has been put there since
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

// WhyOff returns why memory is off now in the project key, which was used in the folder dir, or "". If dir has another project
// by now, it looks at each known folder of the project. resolve returns the key of the project for which a folder's key stands.
func (p *Places) WhyOff(key, dir string, resolve func(key string) string) string {
	there, answers := filestate.TryRead(context.Background(), &p.reads, dir, lookTime, func() project.Project {
		where, _ := project.Identify(dir) // an error concerns only the repository: the project can be used
		return where
	})
	folders := map[string]string{} // keys by the path of the folder
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
			return cmp.Or(where.WhyOffInTime(p.OffMarker(own)), "memory is off for "+key+"; switch it on with memory projects on, in your own terminal")
		}
	}
	return ""
}

// OffNotice returns the line of project.Project.OffNotice for the user. Later calls for the project return "".
func (p *Places) OffNotice(key, root string) string {
	return project.Project{Key: key, Name: path.Base(key), Root: root}.OffNotice(p.OffMarker(key))
}

// IsAnyOff reports whether memory is, or ever was, off in any project.
func (p *Places) IsAnyOff() bool {
	entries, _ := os.ReadDir(filepath.Dir(p.OffMarker("")))
	return len(entries) > 0
}

// AddToListed adds the project key to the list of the projects in which memory is on, if there is a list with the
// project whole. root is the folder of the added project, or "". It only logs errors.
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

// whole returns the key that the project at root had before key, or "", and whether this is certain. For the same
// folder it is, unless the folder now has another repository or a clone. For a repository at a new path it is if its
// old folder is in gone and isMoved is true; equal first commits are not enough, because they are public. It never is
// if another project uses key, because that project keeps its own memories.
func (p *Places) whole(key, root string, now place, gone []string) (whole string, isCertain bool) {
	if _, isPart := p.known.Parts[key]; isPart {
		return "", false
	}
	isNew := !p.IsStored(key) && !p.isElsewhere(key, root)
	if was, isKnown := p.known.Places[root]; isKnown {
		alike := alikeCommits(was.Commits, now.Commits)
		if whole = p.meant(was.Key); whole == key { // nothing is new
			return "", false
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
		return "", false
	}
	if slices.Sort(moved); len(moved) > 0 {
		return moved[0], isCertain && len(slices.Compact(moved)) == 1
	}
	return slices.Min(likely), false
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

// isNewer reports whether two stamps are known and differ: then the second repository is not the first, though it may be a copy of it.
func isNewer(was, now string) bool { return was != "" && now != "" && was != now }

// isMoved reports whether the repository in now is certainly the one in was, at a new path, and not a clone, which would
// have been made later. If it has a remote, or the time when it was made is unknown, it must also be the same folder.
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

// look returns what a folder is now, without its first commits. It returns the zero place if there is no such folder,
// or if it is another project: a letter of another machine may name a path that is something else here.
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

// gone returns the known folders that may have become the folder at root: folders that are missing and share a first commit or the identity with
// it, and folders outside of repositories that are now in the one at root. A folder on a file system that does not answer counts as present.
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
