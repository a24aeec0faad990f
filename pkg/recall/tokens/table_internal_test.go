package tokens

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"flag"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pkoukk/tiktoken-go-loader/assets"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestATableIsSmall bounds the memory of an encoding: as maps of the library o200k_base took 23 MB.
func TestATableIsSmall(t *testing.T) {
	const most = 7 << 19 // 3.5 MB
	before := heap()
	all := musttest.Get(readTable(bytes.NewReader(packed)))(t)
	if kept := heap() - before; kept > most {
		t.Errorf("a table keeps %d bytes, the most is %d", kept, most)
	}
	musttest.Same(t, 199_998, len(all.ranks), "the number of tokens of o200k_base (-want +got)")
}

func heap() int64 {
	runtime.GC()
	runtime.GC() // the first one ends the garbage of meanwhile
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

var update = flag.Bool("update", false, "pack the table of tiktoken-go-loader again")

// TestThePackedTableIsTheLibrarys: token by token, by their bytes, with the rank of each.
func TestThePackedTableIsTheLibrarys(t *testing.T) {
	published := musttest.Get(assets.Assets.ReadFile(encoding + ".tiktoken"))(t)
	ranks := map[string]int{}
	for line := range strings.Lines(string(published)) {
		token, rank, _ := strings.Cut(strings.TrimSpace(line), " ")
		decoded, err := base64.StdEncoding.DecodeString(token)
		if err != nil || rank != strconv.Itoa(len(ranks)) || len(decoded) > 255 {
			t.Fatalf("%s has the line %q: %v", encoding, line, err)
		}
		ranks[string(decoded)] = len(ranks)
	}
	sorted := slices.Sorted(maps.Keys(ranks))
	want := binary.BigEndian.AppendUint32(nil, uint32(len(sorted)))
	for _, token := range sorted {
		want = append(want, byte(len(token)))
	}
	for _, shift := range []int{16, 8, 0} {
		for _, token := range sorted {
			want = append(want, byte(ranks[token]>>shift))
		}
	}
	want = append(want, strings.Join(sorted, "")...)
	if *update {
		var out bytes.Buffer
		w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level exists
		_, _ = w.Write(want)
		musttest.Do(t, w.Close())
		musttest.Do(t, os.WriteFile(encoding+".gz", out.Bytes(), 0o600))
		return
	}
	unpacked := musttest.Get(gzip.NewReader(bytes.NewReader(packed)))(t)
	if got, err := io.ReadAll(unpacked); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s.gz is not the library's table (%v): go test ./pkg/recall/tokens -run Packed -update", encoding, err)
	}
}
