//go:build unix

package private

import (
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

const writable = 0o022 // mode bits: writable by the group and by others

// anyMode is false because file modes have a meaning here.
const anyMode = false

// nobody is the owner that the kernel shows for files of a user, such as root, who does not exist in a sandbox (user namespace).
const nobody = 65534

// user is this process's user id, cached because each folder on the way to a home is compared with it.
var user = os.Geteuid()

func isOurs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == user
}

// isTrusted reports whether the owner is this user, root, or unknown (nobody). To root every owner is trusted,
// because in a container its files may belong to users that do not exist there.
func isTrusted(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	return user == 0 || int(stat.Uid) == user || stat.Uid == 0 || stat.Uid == nobody
}

// isOpen reports whether others may write. If the group has the same number as the owner, it is the user's own group,
// which some systems create for each user.
func isOpen(info fs.FileInfo) bool {
	mode := info.Mode().Perm()
	stat, ok := info.Sys().(*syscall.Stat_t)
	if ok && stat.Gid == stat.Uid && stat.Uid != nobody {
		return mode&0o002 != 0
	}
	return mode&writable != 0
}

// isOpenToStrangers reports whether anybody except the machine's administrators may write. Root decides about
// root's files; on macOS the files of package managers belong to the administrators' group.
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
