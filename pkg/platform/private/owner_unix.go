//go:build unix

package private

import (
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

const writable = 0o022 // by the group and by others

// anyMode: file modes have no meaning here.
const anyMode = false

// nobody is the user whom the kernel shows as the owner of files of a user that a sandbox
// (a user namespace) does not have, such as root.
const nobody = 65534

// user is who this process is, asked once: each folder on the way to a home is compared with it.
var user = os.Geteuid()

func isOurs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == user
}

// isTrusted reports whether the owner is this user or root. For root, and so in a container without other users,
// every folder is safe.
func isTrusted(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	return user == 0 || int(stat.Uid) == user || stat.Uid == 0 || stat.Uid == nobody
}

// isOpen reports whether others may write. A group with the user's own number is the user alone, which is how some
// systems set up users.
func isOpen(info fs.FileInfo) bool {
	mode := info.Mode().Perm()
	stat, ok := info.Sys().(*syscall.Stat_t)
	if ok && stat.Gid == stat.Uid && stat.Uid != nobody {
		return mode&0o002 != 0
	}
	return mode&writable != 0
}

// isOpenToStrangers reports whether anybody but the administrators of this machine may write: root decides about root's
// files, and on macOS the files of package managers belong to the group of administrators.
func isOpenToStrangers(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	const administrators = 80
	if ok && (stat.Uid == 0 || stat.Gid == 0 || runtime.GOOS == "darwin" && stat.Gid == administrators) {
		return info.Mode().Perm()&0o002 != 0
	}
	return isOpen(info)
}

func ownerOf(info fs.FileInfo) string {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("user %d", stat.Uid)
	}
	return "an unknown user"
}
