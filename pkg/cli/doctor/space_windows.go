package doctor

import (
	"syscall"
	"unsafe"
)

// FreeBytes returns the bytes that this user may still use on the disk of a path.
func FreeBytes(path string) (uint64, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return 0, err
	}
	var free uint64
	ask := syscall.NewLazyDLL("kernel32.dll").NewProc("GetDiskFreeSpaceExW")
	if done, _, err := ask.Call(uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(&free)), 0, 0); done == 0 {
		return 0, err
	}
	return free, nil
}
