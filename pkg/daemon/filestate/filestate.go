// Package filestate reads regular files below a folder. No pipe, file of the kernel or hanging file system blocks it.
package filestate

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// IsProject reports whether a folder may be a project: any but the root of the file system, which has the devices.
func IsProject(root string) bool { return filepath.IsAbs(root) && filepath.Dir(root) != root }

var errUnread = errors.New("it is empty, too large, or not a regular file")

// Read returns the content of a regular file below dir. It fails if the file is larger than most bytes. It also fails
// for a size of 0: such a file is empty, or one of the kernel (/proc/kmsg), whose read may never end.
func Read(dir *os.Root, local string, most int64) ([]byte, error) {
	if info, err := dir.Stat(local); err != nil || info.Size() == 0 || info.Size() > most {
		return nil, errors.Join(err, errUnread)
	}
	// Non-blocking, because the file may have been replaced by a pipe.
	file, err := dir.OpenFile(local, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return nil, errors.Join(err, errUnread)
	}
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		err = errUnread
	}
	return text, err
}

// mostReads is the maximum number of reads at the same time, including reads that hang and for which nobody waits any more.
const mostReads = 16

// ReadLimiter limits the reads of folders whose file system (network or FUSE) may hang. Such a read never returns and
// cannot be cancelled. After its limit nobody waits for the read, and no other read of its root begins until it returns.
// The zero value is ready.
type ReadLimiter struct {
	mu       sync.Mutex
	underWay int
	begun    map[string]time.Time // start times of the reads under way, by root
}

// TryRead returns the result of read, or false if read takes longer than limit or may not begin now.
func TryRead[T any](ctx context.Context, l *ReadLimiter, root string, limit time.Duration, read func() T) (result T, answers bool) {
	if !l.begin(root, limit) {
		return result, false
	}
	return Within(ctx, limit, func() T {
		defer l.end(root)
		return read()
	})
}

// Within returns the result of work, or false when ctx ends or after limit. Then work continues unattended.
func Within[T any](ctx context.Context, limit time.Duration, work func() T) (result T, isDone bool) {
	made := make(chan T, 1)
	go func() { made <- work() }()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case result = <-made:
		return result, true
	case <-ctx.Done():
		return result, false
	}
}

func (l *ReadLimiter) begin(root string, limit time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, isUnderWay := l.begun[root]
	if isUnderWay && time.Since(at) >= limit || l.underWay >= mostReads {
		return false
	}
	if l.underWay++; !isUnderWay {
		if l.begun == nil {
			l.begun = map[string]time.Time{}
		}
		l.begun[root] = time.Now()
	}
	return true
}

func (l *ReadLimiter) end(root string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.underWay--
	delete(l.begun, root)
}
