package resident

import (
	"context"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// smallHeap is the minimum limit of the heap, in bytes. Up to it, garbage is collected as often as by default.
	// With the program itself the daemon then takes less than 200 MB.
	smallHeap = 160 << 20
	// heapPause is the time between two adjustments of the limit.
	heapPause = 2 * time.Second
)

// KeepHeapSmall adjusts the runtime's memory limit to heapLimit until ctx ends. By default the heap may grow to twice
// the part in use, which is 100 MB too much for the index of a large project. It does nothing if GOMEMLIMIT is set.
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

// heapInUse returns the number of bytes in use after the last collection.
func heapInUse() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// heapLimit returns the limit of the heap, in bytes: the part in use and a third more for garbage. A lower limit
// would make the daemon collect most of the time.
func heapLimit(inUse uint64) int64 { return max(smallHeap, int64(inUse+inUse/3)) }
