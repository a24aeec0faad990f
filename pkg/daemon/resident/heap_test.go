package resident

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"
)

func TestTheHeapIsLimitedByWhatIsInUse(t *testing.T) {
	for inUse, want := range map[uint64]int64{0: 160 << 20, 60 << 20: 160 << 20, 300 << 20: 400 << 20} {
		if got := heapLimit(inUse); got != want {
			t.Errorf("with %d MB in use: %d MB, want %d", inUse>>20, got>>20, want>>20)
		}
	}
}

// The limit follows the size of the heap, unless somebody has set one.
func TestTheLimitFollowsTheHeap(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64))
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { KeepHeapSmall(ctx); close(ended) }()
		synctest.Wait()
		if got := debug.SetMemoryLimit(-1); got != smallHeap {
			t.Errorf("at first the limit is %d", got)
		}
		large := make([]byte, 200<<20)
		runtime.GC()
		time.Sleep(2 * heapPause) // of the bubble
		synctest.Wait()
		if got := debug.SetMemoryLimit(-1); got < 250<<20 {
			t.Errorf("with 200 MB in use the limit is %d MB", got>>20)
		}
		runtime.KeepAlive(large)
		cancel()
		<-ended
	})
	debug.SetMemoryLimit(1 << 30)
	KeepHeapSmall(t.Context())
	if got := debug.SetMemoryLimit(-1); got != 1<<30 {
		t.Errorf("the limit of 1 GB became %d", got)
	}
}
