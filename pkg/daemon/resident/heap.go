package resident

import (
	"context"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// smallHeap is the lowest limit of the heap, in bytes: up to it garbage is collected no more
	// often than by default. With the program itself it is less than 200 MB.
	smallHeap = 160 << 20
	// heapPause is the time between two looks at the heap in use.
	heapPause = 2 * time.Second
)

// KeepHeapSmall makes the runtime collect garbage before the heap exceeds heapLimit, until ctx
// ends. By default the heap may be twice the part in use, which for the index of a large project is
// 100 MB too much. If somebody has set GOMEMLIMIT, that limit stays.
func KeepHeapSmall(ctx context.Context) {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return
	}
	next := time.NewTicker(heapPause)
	defer next.Stop()
	for {
		debug.SetMemoryLimit(heapLimit(heapInUse()))
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
	}
}

// heapInUse returns the bytes of the heap that the last collection found in use.
func heapInUse() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// heapLimit returns the limit for a heap, in bytes: a third of the part in use is added for
// garbage. With less the daemon would do little but collect it.
func heapLimit(inUse uint64) int64 { return max(smallHeap, int64(inUse+inUse/3)) }
