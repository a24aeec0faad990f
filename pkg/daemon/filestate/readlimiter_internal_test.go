package filestate

import (
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestAFileSystemThatHangsIsNotWaitedFor has folders below which no call returns, and one that answers.
func TestAFileSystemThatHangsIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = time.Second
		var reads ReadLimiter
		var calls atomic.Int64 // that hang
		answer := make(chan struct{})
		look := func(root string) (took time.Duration) {
			begun := time.Now()
			TryRead(t.Context(), &reads, root, limit, func() bool {
				calls.Add(1)
				<-answer
				return true
			})
			return time.Since(begun)
		}
		musttest.Same(t, limit, look("/net/0"), "the first look took (-want +got)")
		musttest.Same(t, time.Duration(0), look("/net/0"), "the next look at the same place took (-want +got)")
		well := func() bool {
			found, isKnown := TryRead(t.Context(), &reads, "/well", limit, func() bool { return true })
			return found && isKnown
		}
		if !well() {
			t.Error("elsewhere nothing is found")
		}
		for n := range 2 * mostReads {
			look(fmt.Sprintf("/net/%d", n+1))
		}
		musttest.Same(t, mostReads, calls.Load(), "how many calls hang")
		close(answer)
		synctest.Wait()
		if !well() {
			t.Error("after they answer nothing is found")
		}
		synctest.Wait()
		if reads.underWay != 0 || len(reads.begun) != 0 {
			t.Errorf("%d looks are under way, of %v, want none", reads.underWay, reads.begun)
		}
	})
}

// TestFilesOfTheKernelAreNotRead: to read /proc/kmsg is to wait for ever.
func TestFilesOfTheKernelAreNotRead(t *testing.T) {
	for _, root := range []string{"/", "proc"} {
		if IsProject(root) {
			t.Errorf("%s is taken for a project", root)
		}
	}
	proc, err := os.OpenRoot("/proc")
	if err != nil {
		t.Skip("there is no /proc")
	}
	defer func() { _ = proc.Close() }()
	for _, name := range []string{"kmsg", "meminfo"} { // neither has a size
		if text, err := Read(proc, name, 1<<20); err == nil {
			t.Errorf("%d bytes of %s were read", len(text), name)
		}
	}
}
