package importer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// walker lists the files below a folder in the order of their names. It follows links, and visits
// each file and folder once, wherever links lead.
type walker struct {
	// visit is called with each file, and with each entry that could not be read.
	visit func(path string, err error)
	seen  map[string]bool // the paths without links
}

// walk visits the files below a folder. The error is that of the folder itself.
func walk(folder string, visit func(path string, err error)) error {
	info, err := os.Stat(folder)
	if err != nil {
		return err
	}
	w := walker{visit, map[string]bool{}}
	w.entry(folder, info.IsDir(), info.Mode().IsRegular())
	return nil
}

func (w walker) entry(path string, isDir, isFile bool) {
	if !isDir && !isFile { // a pipe or a device
		return
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		w.visit(path, err)
		return
	}
	if w.seen[real] {
		return
	}
	w.seen[real] = true
	if isFile {
		w.visit(path, nil)
		return
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		w.visit(path, err)
	}
	for _, one := range entries {
		below, mode := filepath.Join(path, one.Name()), one.Type()
		if mode&fs.ModeSymlink != 0 {
			info, err := os.Stat(below)
			if err != nil {
				w.visit(below, err)
				continue
			}
			mode = info.Mode()
		}
		w.entry(below, mode.IsDir(), mode.IsRegular())
	}
}

// isGone reports whether a file does not exist any more, although its link or name did.
func isGone(path string, err error) bool {
	if !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	_, linkErr := os.Lstat(path)
	return linkErr != nil
}
