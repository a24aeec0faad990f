package project

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Memory is switched off in a project by an [OffFile], or by marker files in the directory "off" of the home. The words of this file:
//
//   - The identities of a project are its key, its folder (the folder of its main checkout), and its roots. The roots are the first
//     commits of its repository, and the time when the repository was made (its [Project.Stamp]).
//   - An identity is marked if it has a marker. The parameter mark is always the path of the marker of the project's key, whether or
//     not the file exists. All other markers are beside it.
//   - An "on" marker, beside the others, says that memory was switched on in one folder or under one key.
//   - A project is listed if its key or folder has a file in the directory "only". While it exists, all other projects are off.
//
// A hook looks only for the markers of the key and the folder. Before the daemon stores an event, it looks for the markers of all identities.
// If one identity is marked, it marks the others.

// OffFile is the path, in a project, of a file that switches memory off there: nothing is captured or recalled.
const OffFile = ".claude/memory-off"

// marker is the content of a marker, and the time of its file.
type marker struct {
	key, made string    // the key of the project that was switched off, and the Stamp that it had
	stamp     string    // the Stamp of the folder when the marker was written
	since     time.Time // when memory was switched off, or on by an "on" marker
}

// readMarker reads a marker, and reports whether the file exists. A file that cannot be read counts as an empty marker.
func readMarker(file string) (m marker, isThere bool) {
	info, err := os.Lstat(file)
	if file == "" || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return m, false
	}
	if err == nil {
		m.since = info.ModTime()
	}
	text, _ := os.ReadFile(file)
	lines := strings.Split(string(text)+"\n\n\n", "\n")
	m.key, m.made, m.stamp = lines[0], lines[1], lines[2]
	return m, true
}

func (m marker) write(file string) error {
	text := []byte(m.key + "\n" + m.made + "\n" + m.stamp + "\n")
	if err := cmp.Or(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, text, 0o600)); err != nil {
		return err
	}
	return os.Chtimes(file, m.since, m.since)
}

func differ(a, b string) bool { return a != "" && b != "" && a != b }

func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// mainCheckout returns the main checkout of a linked worktree, and whether it is gone. For any other root it returns the root itself.
func mainCheckout(root string) (main string, isLost bool) {
	git := filepath.Join(root, ".git")
	if info, err := os.Lstat(git); root == "" || err != nil || !info.Mode().IsRegular() {
		return root, false
	}
	dir, lost := readGitFile(git)
	common, err := commonDir(dir)
	if dir == "" || err != nil || filepath.Base(common) != ".git" {
		return root, false
	}
	return filepath.Dir(common), lost != nil
}

// isAtHome reports whether the key is the path of the project's main checkout. Another repository at this path has the same key.
func (p Project) isAtHome() bool {
	main, _ := mainCheckout(p.Root)
	return p.Key == filepath.ToSlash(main)
}

// OnlyMarker returns the file by which a project is listed under its key.
func OnlyMarker(mark string) string {
	return filepath.Join(filepath.Dir(filepath.Dir(mark)), "only", filepath.Base(mark))
}

// FolderMarker returns the folder's file beside marker, which is the key's marker or the key's file in "only". Unlike the key, the folder
// stays the same when a remote is added or changed. It returns "" if marker is "" or the project has no folder.
func (p Project) FolderMarker(marker string) string {
	if p.Root == "" || marker == "" {
		return ""
	}
	main, _ := mainCheckout(p.Root)
	return filepath.Join(filepath.Dir(marker), "folder-"+shortHash(main))
}

// onMarkers returns the "on" markers of the project: first the folder's, if there is a folder, then the key's. A key that is the
// folder's path has none.
func (p Project) onMarkers(mark string) (files []string) {
	if p.Root != "" {
		files = append(files, filepath.Join(filepath.Dir(mark), "on-"+filepath.Base(p.FolderMarker(mark))))
	}
	if !p.isAtHome() {
		files = append(files, filepath.Join(filepath.Dir(mark), "on-"+filepath.Base(mark)))
	}
	return files
}

// onSince returns when memory was switched on in this folder with the repository that it has now, or, if orKey is set, under the
// project's key. It reads the "on" markers.
func (p Project) onSince(mark string, orKey bool) (since time.Time, isOn bool) {
	for i, file := range p.onMarkers(mark) {
		m, isThere := readMarker(file)
		if isThere && (i == 0 && p.Root != "" && m.stamp == p.Stamp() || i > 0 && orKey) {
			return m.since, true
		}
	}
	return since, false
}

// Stamp returns the time when the folder's repository was made, as text, or "" if there is none. It is the
// modification time of .git/description, which git writes once, so it differs for another repository at the same path.
func (p Project) Stamp() string {
	main, isLost := mainCheckout(p.Root)
	info, err := os.Lstat(filepath.Join(main, ".git", "description"))
	if p.Root == "" || err != nil || isLost {
		return ""
	}
	return info.ModTime().UTC().Format(time.RFC3339Nano)
}

// WhyOff returns why memory is off in the project and what switches it on, or "" if it is on.
func (p Project) WhyOff(mark string) string {
	const on = "; switch it on with memory projects on, in your own terminal"
	switch file, _ := p.offFile(mark); {
	case p.isUnlisted(mark):
		return "memory is on in listed projects only, and " + p.Name + " is none of them" + on
	case file == "":
		return ""
	case filepath.Dir(file) != filepath.Dir(mark):
		return "memory is off for " + p.Name + " by the file " + file + "; delete it to switch it on"
	default:
		return "memory is off for " + p.Name + on
	}
}

// lookTime is how long a folder may take to answer whether memory is off.
const lookTime = time.Second

// WhyOffInTime returns the result of WhyOff, or a reason if the project's folder does not answer within a second: a call to a file
// system that hangs never returns.
func (p Project) WhyOffInTime(mark string) string {
	why := make(chan string, 1)
	go func() { why <- p.WhyOff(mark) }()
	select {
	case text := <-why:
		return text
	case <-time.After(lookTime):
		return "the folder of " + p.Name + " does not answer, so nobody knows whether memory is off; until it answers, memory is off"
	}
}

// IsOff reports whether memory is off in the project. It is off if (1) the project or its main checkout has an OffFile, (2) its key or its
// folder is marked, or (3) it is not listed, and the directory "only" exists. It is off, too, if a marker cannot be looked for.
func (p Project) IsOff(mark string) bool {
	file, _ := p.offFile(mark)
	return file != "" || p.isUnlisted(mark)
}

// IsUnsure reports whether memory is off in the project only until the daemon has looked at it. This is so if another repository was in
// its folder when the folder was marked, or if the project may be a listed one that was moved.
func (p Project) IsUnsure(mark string) bool {
	file, isUnsure := p.offFile(mark)
	return isUnsure || file == "" && p.mayBeListed(mark)
}

// isUnlisted reports whether the directory "only" exists, and lists neither the project's folder nor its key. A folder that was listed
// with another repository does not count, and neither does a key that is the path of such a folder.
func (p Project) isUnlisted(mark string) bool {
	only := OnlyMarker(mark)
	if mark == "" || !isDir(filepath.Dir(only)) {
		return false
	}
	stamp, err := os.ReadFile(p.FolderMarker(only))
	isFolder := err == nil && (len(stamp) == 0 || string(stamp) == p.Stamp()) // empty: the folder had no repository when it was listed
	return !isFolder && (!exists(only) || err == nil && p.isAtHome())
}

// mayBeListed reports whether a project that is not listed may be a listed project that has got another folder or key: it has a repository
// at which the daemon has not looked yet.
func (p Project) mayBeListed(mark string) bool {
	main, _ := mainCheckout(p.Root)
	if p.Root == "" || !p.isUnlisted(mark) || !exists(filepath.Join(main, ".git")) {
		return false
	}
	_, isLooked := p.onSince(mark, false)
	return !isLooked
}

// List lists the project by its key and its folder. From then on memory is off in all projects that are not listed.
func (p Project) List(mark string) error {
	only := OnlyMarker(mark)
	err := cmp.Or(os.MkdirAll(filepath.Dir(only), 0o700), os.WriteFile(only, []byte(p.Key+"\n"), 0o600))
	if folder := p.FolderMarker(only); folder != "" && err == nil {
		err = os.WriteFile(folder, []byte(p.Stamp()), 0o600)
	}
	return err
}

// offFile returns the OffFile or the marker that switches memory off in the project, or "". isUnsure is true if it is the folder's
// marker, and the folder had another repository when it was marked.
func (p Project) offFile(mark string) (file string, isUnsure bool) {
	main, _ := mainCheckout(p.Root)
	for _, file := range []string{filepath.Join(p.Root, OffFile), filepath.Join(main, OffFile)} {
		if _, isThere := readMarker(file); isThere {
			return file, false
		}
	}
	_, file, isUnsure = p.marked(mark)
	return file, isUnsure
}

// marked returns the marker of the project's key or of its folder, the older one if both count, with its file, or "". If the folder
// was marked with another repository, a key that is the folder's path does not count, and the folder's marker counts (isUnsure) only
// until the daemon has looked.
func (p Project) marked(mark string) (by marker, file string, isUnsure bool) {
	folder := p.FolderMarker(mark)
	place, isMarked := readMarker(folder)
	isOther := isMarked && differ(place.stamp, p.Stamp())
	key, isKeyOff := readMarker(mark)
	switch {
	case isKeyOff && !(isOther && p.isAtHome()):
		if !isMarked || isOther || key.since.Before(place.since) {
			return key, mark, false
		}
	case !isMarked:
		return by, "", false
	case isOther:
		if _, isLooked := p.onSince(mark, false); isLooked {
			return by, "", false
		}
	}
	return place, folder, isOther
}

// rootMarkers returns the beginning of the names of a root's markers. A root has a marker for each switched-off project with this root.
func rootMarkers(root string) string { return "root-" + shortHash(root) + "-" }

// offBy returns the oldest marker of the project's identities. A marker of a root does not count if memory was switched on later in this
// folder or under this key. A marker for which marked returns isUnsure does not count either.
func (p Project) offBy(mark string, roots []string) (by marker, isOff bool) {
	by, file, isUnsure := p.marked(mark)
	isOff = file != "" && !isUnsure
	on, isOn := p.onSince(mark, true)
	dir := filepath.Dir(mark)
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if !slices.ContainsFunc(roots, func(root string) bool { return root != "" && strings.HasPrefix(entry.Name(), rootMarkers(root)) }) {
			continue
		}
		m, _ := readMarker(filepath.Join(dir, entry.Name()))
		if (!isOn || on.Before(m.since)) && (!isOff || m.since.Before(by.since)) {
			by, isOff = m, true
		}
	}
	return by, isOff
}

// OffSince reports whether memory is off by a marker of one of the project's identities, or by the marker whole of the project into which
// this one was merged, and since when. If so, it also marks the identities that are not marked yet. roots are the first commits, as far
// as they are known. It fails if an identity cannot be marked.
func (p Project) OffSince(mark, whole string, roots []string) (since time.Time, isOff bool, err error) {
	if mark == "" {
		return since, false, nil
	}
	by, isOff := p.offBy(mark, append(slices.Clip(roots), p.Stamp()))
	if !isOff && whole != mark {
		by, isOff = readMarker(whole)
	}
	if isOff {
		err = p.mark(by, roots, false, mark)
	}
	return by.since, isOff, err
}

// mark writes the marker by for the identities of the project that have none, and replaces the marker of a folder that had another repository then. If all is
// set, it writes the marker for all identities. marks are the markers of the project's keys, first that of p.Key. roots are its first commits.
func (p Project) mark(by marker, roots []string, all bool, marks ...string) error {
	by.stamp = p.Stamp()
	folder := p.FolderMarker(marks[0])
	files := append(slices.Clip(marks), folder)
	for _, root := range append(slices.Clip(roots), by.stamp) {
		if root != "" {
			files = append(files, filepath.Join(filepath.Dir(marks[0]), rootMarkers(root)+shortHash(by.key+"\n"+by.made)))
		}
	}
	var failed error
	for _, file := range files {
		if m, isThere := readMarker(file); file != "" && (all || !isThere || file == folder && by.stamp != "" && m.stamp != by.stamp) {
			failed = cmp.Or(failed, by.write(file))
		}
	}
	return failed
}

// SwitchOff marks all identities of the project, and deletes its "on" markers. roots and marks are as in mark.
func (p Project) SwitchOff(roots []string, marks ...string) error {
	by := marker{key: p.Key, made: p.Stamp(), since: time.Now()}
	if was, isOff := p.offBy(marks[0], roots); isOff {
		by.since = was.since
	}
	err := p.mark(by, roots, true, marks...)
	for _, file := range append(p.onMarkers(marks[0]), p.toldMarker(marks[0])) {
		if failed := os.Remove(file); !errors.Is(failed, fs.ErrNotExist) {
			err = cmp.Or(err, failed)
		}
	}
	return err
}

// SwitchOn deletes the markers of the project's key and folder, and all markers that were written when a project with one of the given
// keys was switched off. It keeps the markers of roots that were written for another project. Then it writes the "on" markers.
func (p Project) SwitchOn(mark string, keys ...string) (err error) {
	dir, its := filepath.Dir(mark), []string{mark, p.FolderMarker(mark), p.toldMarker(mark)}
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		file := filepath.Join(dir, entry.Name())
		m, _ := readMarker(file)
		isOfAnother := m.key == p.Key && p.isAtHome() && differ(m.made, p.Stamp()) // a project that was at this path before
		if slices.Contains(its, file) || slices.Contains(keys, m.key) && !isOfAnother {
			err = cmp.Or(err, os.Remove(file))
		}
	}
	return cmp.Or(err, p.setOn(p.onMarkers(mark)))
}

// setOn writes "on" markers with the present time.
func (p Project) setOn(files []string) (err error) {
	for _, file := range files {
		err = cmp.Or(err, marker{key: p.Key, made: p.Stamp(), stamp: p.Stamp(), since: time.Now()}.write(file))
	}
	return err
}

// SetLooked records, by an "on" marker, that the daemon has looked at a folder for which IsUnsure is true and found no marked root. The
// next hooks then do not wait. If the folder itself is marked and there are no roots (first commits) yet, it does nothing.
func (p Project) SetLooked(mark string, roots []string) error {
	file, isUnsure := p.offFile(mark)
	if isUnsure && len(roots) > 0 || file == "" && p.mayBeListed(mark) {
		return p.setOn(p.onMarkers(mark)[:1])
	}
	return nil
}

// toldMarker returns the file which records that OffNotice has told the user.
func (p Project) toldMarker(mark string) string {
	return filepath.Join(filepath.Dir(mark), "told-"+filepath.Base(p.FolderMarker(mark)))
}

// OffNotice returns a line for the user if memory is off here because this is, or may be, a project that the user has switched off
// under another key. It returns the line once: at the next call, and in all other cases, it returns "".
func (p Project) OffNotice(mark string) string {
	m, isMarked := readMarker(p.FolderMarker(mark))
	main, _ := mainCheckout(p.Root)
	if !isMarked || m.key == "" || m.key == p.Key || m.key == filepath.ToSlash(main) {
		return ""
	}
	file, err := os.OpenFile(p.toldMarker(mark), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return ""
	}
	_ = file.Close()
	return "memory is off for " + p.Name + ", because it is off for " + m.key + ", which seems to be the same project; switch it on with memory projects on, in your own terminal"
}
