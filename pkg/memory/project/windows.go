package project

import (
	"path/filepath"
	"strings"
)

// IsAbsolute reports whether a path is absolute, on this system or on Windows.
func IsAbsolute(path string) bool { return filepath.IsAbs(path) || isWindows(path) }

// isWindows reports whether a path is absolute on Windows: C:\dir, C:/dir or \\server\share.
func isWindows(path string) bool {
	if strings.HasPrefix(path, `\\`) {
		return true
	}
	if len(path) < 3 || path[1] != ':' || path[2] != '\\' && path[2] != '/' {
		return false
	}
	letter := path[0] | 0x20
	return 'a' <= letter && letter <= 'z'
}

// drives is where the Windows Subsystem for Linux mounts the drives.
var drives = "/mnt"

// local returns the path by which this system reaches a directory: in the Windows Subsystem for Linux, C:\dir
// is /mnt/c/dir, and \\wsl.localhost\NAME\dir is /dir. isForeign is true for any other directory of Windows.
func local(dir string) (path string, isForeign bool) {
	if !isWindows(dir) || filepath.VolumeName(dir) != "" { // this is Windows
		return dir, false
	}
	slashed, mounted := strings.ReplaceAll(dir, `\`, "/"), ""
	if dir[1] == ':' {
		dir = strings.ToUpper(dir[:1]) + dir[1:] // editors write it in either case
		mounted = filepath.Join(drives, strings.ToLower(dir[:1]), slashed[2:])
	}
	for _, share := range []string{"//wsl.localhost/", "//wsl$/"} {
		if inside, found := strings.CutPrefix(slashed, share); found {
			_, inside, _ = strings.Cut(inside, "/")
			mounted = "/" + inside
		}
	}
	if mounted != "" && isDir(mounted) {
		return mounted, false
	}
	return dir, true
}

// relOnWindows does what Rel does, for a project on Windows: it ignores the case of names, as Windows does.
func relOnWindows(root, file string) string {
	root, file = strings.TrimRight(strings.ReplaceAll(root, `\`, "/"), "/")+"/", strings.ReplaceAll(file, `\`, "/")
	switch {
	case strings.EqualFold(file+"/", root):
		return "."
	case len(file) > len(root) && strings.EqualFold(file[:len(root)], root):
		return file[len(root):]
	}
	return file
}
