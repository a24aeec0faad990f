package importer

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
)

var errLink = errors.New("it is a link, which is not followed")

// walk visits the files below a folder, which may be a link, in the order of their names, and entries that cannot be read. It does not
// follow other links. It fails only if the folder does not exist or cannot be resolved.
func walk(folder string, visit func(path string, err error)) error {
	root, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return err
	}
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type() == fs.ModeSymlink {
			err = errLink
		}
		if err != nil || entry.Type().IsRegular() {
			visit(filepath.Join(folder, strings.TrimPrefix(path, root)), err)
		}
		return nil
	})
}
