package tokens

import (
	"runtime"
	"testing"

	"github.com/pkoukk/tiktoken-go-loader/assets"
)

// TestATableIsSmall bounds the memory of an encoding: as maps of the library o200k_base took 23 MB.
func TestATableIsSmall(t *testing.T) {
	const most = 7 << 19 // 3.5 MB
	file, err := assets.Assets.Open("o200k_base.tiktoken")
	if err != nil {
		t.Fatal(err)
	}
	before := heap()
	all, err := readTable(file)
	if err != nil {
		t.Fatal(err)
	}
	if kept := heap() - before; kept > most {
		t.Errorf("a table keeps %d bytes, the most is %d", kept, most)
	}
	if n := len(all.sorted); n != 199_998 {
		t.Errorf("o200k_base has %d tokens, want 199998", n)
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC() // the first one ends the garbage of meanwhile
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
