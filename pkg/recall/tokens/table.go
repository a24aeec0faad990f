package tokens

import (
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"sort"
)

// table holds the tokens of the encoding in one text and two lists of numbers, which take 2.9 MB of memory; the maps of the library take 23 MB.
type table struct {
	text   string   // all tokens, by rank
	starts []uint32 // start of each token in text, by rank; the last element is the length of text
	sorted []uint32 // ranks, sorted by the bytes of their tokens
	first  [257]int // index in sorted of the first token that begins with this byte
}

// readTable reads a packed table: the number of tokens, the length of each, and their bytes, by rank. It fails if the
// table is damaged.
func readTable(packed io.Reader) (*table, error) {
	from, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	var count uint32
	if err := binary.Read(from, binary.BigEndian, &count); err != nil {
		return nil, err
	}
	lengths := make([]byte, count)
	if _, err := io.ReadFull(from, lengths); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(from)
	if err != nil {
		return nil, err
	}
	t := &table{text: string(text), starts: make([]uint32, 1, count+1)}
	for rank, length := range lengths {
		t.starts = append(t.starts, t.starts[rank]+uint32(length))
	}
	if end := t.starts[count]; int(end) != len(text) {
		return nil, fmt.Errorf("the tokens have %d bytes, and their lengths add up to %d", len(text), end)
	}
	t.sort()
	return t, nil
}

func (t *table) sort() {
	t.sorted = make([]uint32, len(t.starts)-1)
	for rank := range t.sorted {
		t.sorted[rank] = uint32(rank)
	}
	slices.SortFunc(t.sorted, func(a, b uint32) int { return cmp.Compare(t.token(a), t.token(b)) })
	for b := range t.first {
		t.first[b] = sort.Search(len(t.sorted), func(i int) bool { return int(t.token(t.sorted[i])[0]) >= b })
	}
}

// token returns the token of a rank, a part of the table's text.
func (t *table) token(rank uint32) string { return t.text[t.starts[rank]:t.starts[rank+1]] }

// hold sets in held the rank of each token that a text begins with. The text must not be empty.
func (t *table) hold(text string, held map[string]int) {
	low, high := t.first[text[0]], t.first[int(text[0])+1]
	for depth := 1; low < high; depth++ {
		// All tokens from low to high begin with text[:depth]; the shortest is the first.
		if token := t.token(t.sorted[low]); len(token) == depth {
			held[token] = int(t.sorted[low])
			low++
		}
		if depth == len(text) {
			return
		}
		low = t.search(low, high, depth, int(text[depth]))
		high = t.search(low, high, depth, int(text[depth])+1)
	}
}

// search returns the first index between low and high in sorted whose token has at least b at depth. All tokens in
// this range must be longer than depth and equal before it.
func (t *table) search(low, high, depth, b int) int {
	for low < high {
		if middle := int(uint(low+high) >> 1); t.byteAt(middle, depth) < b {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

func (t *table) byteAt(i, depth int) int { return int(t.text[int(t.starts[t.sorted[i]])+depth]) }
