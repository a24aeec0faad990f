package daemonapi

import (
	"syscall"
	"unsafe"
)

// Constants of <sys/un.h> and <sys/ucred.h> that package syscall lacks.
const (
	solLocal      = 0
	localPeerCred = 1
	xucredVersion = 0
	mostGroups    = 16
)

type xucred struct {
	version uint32
	user    uint32
	count   int16
	groups  [mostGroups]uint32
}

func peerOf(fd uintptr) (int, error) {
	var peer xucred
	size := uint32(unsafe.Sizeof(peer))
	_, _, errno := syscall.Syscall6(syscall.SYS_GETSOCKOPT, fd, solLocal, localPeerCred,
		uintptr(unsafe.Pointer(&peer)), uintptr(unsafe.Pointer(&size)), 0)
	if errno != 0 {
		return 0, errno
	}
	if peer.version != xucredVersion {
		return 0, syscall.EINVAL
	}
	return int(peer.user), nil
}
