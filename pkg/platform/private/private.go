// Package private checks whether folders belong to this user alone, or could have been created, changed or replaced by another
// user of the machine. Its errors name the owner of the folder and the remedy. It does not inspect the contents.
//
// On Windows inherited permissions already protect a user's folders, so that only links are refused.
package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrUnsafe is returned if another user may write to a folder or replace it.
var ErrUnsafe = errors.New("not safe from other users")

// unsafeError is an ErrUnsafe with a text of its own.
type unsafeError struct{ problem, remedy string }

func (e unsafeError) Error() string    { return e.problem + ": " + e.remedy }
func (unsafeError) Is(kind error) bool { return kind == ErrUnsafe }

func unsafef(remedy, format string, values ...any) error {
	return unsafeError{fmt.Sprintf(format, values...), remedy}
}

// Remedy splits the text of an ErrUnsafe into the problem and what to do.
func Remedy(err error) (problem, remedy string) {
	unsafe, _ := errors.AsType[unsafeError](err)
	return strings.TrimSuffix(err.Error(), ": "+unsafe.remedy), unsafe.remedy
}

// Reachable fails unless the path to a folder is safe: only this user and root may write to the folder or replace a
// folder on the way. A missing folder is safe, because only users who may write to its parent can create it. Links
// are followed if nobody else could have created them.
func Reachable(dir string) error {
	return walk(dir, onTheWay)
}

// Program fails unless a program is safe to start: it and each folder on the way belong to this user or root, and
// nobody else may write to them. System folders may be writable by the administrators' group.
func Program(file string) error {
	return walk(file, func(path string, info fs.FileInfo) error {
		if info.IsDir() && info.Mode()&fs.ModeSticky != 0 && isTrusted(info) { // nobody else replaces what lies there
			return nil
		}
		return startable(path, info)
	})
}

// Programs does what Program does, for each file and folder in a folder of programs, and for the targets of links in it. A missing folder is safe.
func Programs(dir string) error {
	if err := Program(dir); err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case path == dir && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case entry.Type()&fs.ModeSymlink != 0:
			return Program(path)
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return startable(path, info)
	})
}

func startable(path string, info fs.FileInfo) error {
	switch {
	case !isTrusted(info):
		return unsafef("remove it, or install it elsewhere", "%s belongs to %s, so it is not started", path, ownerOf(info))
	case isOpenToStrangers(info):
		return unsafef("chmod go-w "+path, "others may write to %s (mode %04o), so it is not started", path, info.Mode().Perm())
	}
	return nil
}

// LookPath finds a program as a shell does, but skips programs that must not be started. It returns exec.ErrNotFound, or
// ErrUnsafe if it skipped a program.
func LookPath(name string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) || strings.Contains(name, "/") {
		path, err := exec.LookPath(name)
		if err == nil {
			err = Program(path)
		}
		return path, err
	}
	var unsafe error
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if !filepath.IsAbs(dir) { // relative to the working directory
			continue
		}
		path, err := exec.LookPath(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		if err = Program(path); err == nil {
			return path, nil
		}
		unsafe = errors.Join(unsafe, err)
	}
	if unsafe != nil {
		return "", unsafe
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}

// mostLinks is the maximum number of links on the way, like the operating system's.
const mostLinks = 40

// walk calls check for each folder on the way to a path and for the path itself, and follows links.
func walk(path string, check func(path string, info fs.FileInfo) error) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	volume := filepath.VolumeName(abs)
	at, rest := volume+string(filepath.Separator), elements(abs[len(volume):])
	info, err := os.Lstat(at)
	if err == nil {
		err = check(at, info)
	}
	if err != nil {
		return err
	}
	for links := 0; len(rest) > 0; {
		next := filepath.Join(at, rest[0])
		rest = rest[1:]
		info, err := os.Lstat(next)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			if err := check(next, info); err != nil {
				return err
			}
			at = next
			continue
		}
		if links++; links > mostLinks {
			return fmt.Errorf("%s: too many symbolic links", abs)
		}
		if !isTrusted(info) {
			return foreign(next, info)
		}
		target, err := os.Readlink(next)
		if err != nil {
			return err
		}
		if filepath.IsAbs(target) {
			volume = filepath.VolumeName(target)
			at, target = volume+string(filepath.Separator), target[len(volume):]
		}
		rest = append(elements(target), rest...)
	}
	return nil
}

// elements returns the names in a path. It keeps "..": filepath.Join resolves it from the folder that was reached,
// which is not a link.
func elements(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == filepath.Separator || r == '/' })
}

func onTheWay(dir string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeDevice != 0:
		return unsafef("set HOME, or MEMORY_HOME to a folder of yours", "%s is a device", dir)
	case !isTrusted(info):
		return foreign(dir, info)
	case isOpen(info) && info.Mode()&fs.ModeSticky == 0:
		return unsafef("chmod go-w "+dir+", or set MEMORY_HOME", "others may write to %s (mode %04o)", dir, info.Mode().Perm())
	}
	return nil
}

func foreign(dir string, info fs.FileInfo) error {
	return unsafef("remove it, or set MEMORY_HOME", "%s belongs to %s", dir, ownerOf(info))
}

// Home fails unless a folder is safe for private files: it belongs to the user, its path is safe, and nobody else may write to
// it. It may be reached by a link that nobody else could have created. A missing folder is as safe as its path.
func Home(dir string) error {
	if err := Reachable(dir); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return alone(dir, info)
}

// Make makes a folder and its missing parents with mode 0700, and checks it as Check does. Home must accept the parent.
func Make(dir string) error {
	if err := Home(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return checkLast(dir)
}

// EnsureDir makes or takes over a folder that the user has named, such as one on another disk. An existing folder must belong to
// the user on a safe path; EnsureDir closes it to others as Check does. It follows a link that nobody else could have created.
func EnsureDir(dir string) error {
	if err := Reachable(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	return shut(dir, info, err, func() error { return os.Chmod(dir, 0o700) })
}

// shut fails unless a folder belongs to this user alone; if failed is set, it returns failed. If other users may read the
// folder, it calls closing.
func shut(dir string, info fs.FileInfo, failed error, closing func() error) error {
	if failed == nil {
		failed = alone(dir, info)
	}
	if failed != nil || anyMode || info.Mode().Perm()&0o077 == 0 {
		return failed
	}
	return closing()
}

// Check fails unless a folder belongs to this user alone: it is in a home of the user (see Home), not a link, and
// owned by the user. It removes the read permission of others, but fails if others may write to the folder, because
// its files cannot be trusted.
func Check(dir string) error {
	if err := Home(filepath.Dir(dir)); err != nil {
		return err
	}
	return checkLast(dir)
}

func checkLast(dir string) error {
	info, err := os.Lstat(dir)
	return shut(dir, info, err, func() error { return os.Chmod(dir, 0o700) })
}

func alone(dir string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return unsafef("remove it, or set MEMORY_HOME", "%s is a symbolic link", dir)
	case !info.IsDir():
		return unsafef("remove it, or set MEMORY_HOME", "%s is not a folder", dir)
	case !isOurs(info):
		return foreign(dir, info)
	case isOpen(info):
		return unsafef("check its contents, then chmod 700 "+dir, "others may write to %s (mode %04o)", dir, info.Mode().Perm())
	}
	return nil
}

// Open opens a folder after Check. Operations through the Root stay in the checked folder even if its path leads
// somewhere else later.
func Open(dir string) (*os.Root, error) {
	if err := Check(dir); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(".")
	if err == nil {
		err = alone(dir, info)
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return root, nil
}

// CheckIn checks a folder inside an opened folder, as Check does.
func CheckIn(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	return shut(filepath.Join(root.Name(), name), info, err, func() error { return root.Chmod(name, 0o700) })
}
