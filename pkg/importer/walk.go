package importer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// walker visits the files below a folder in the order of their names. It follows links, and visits each file and folder only once.
type walker struct {
	// visit is called for each file, and for each entry that could not be read.
	visit func(path string, err error)
	seen  map[string]bool // visited paths, without links
}

// walk visits the files below a folder. It fails only if the folder itself cannot be read.
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
	if !isDir && !isFile { // it is a pipe or a device
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

// isGone reports whether a file was deleted, not only the target of its link.
func isGone(path string, err error) bool {
	if !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	_, linkErr := os.Lstat(path)
	return linkErr != nil
}
