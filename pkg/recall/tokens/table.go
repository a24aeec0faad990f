package tokens

import (
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"sort"
)

// table holds the tokens of the encoding, sorted by their bytes, in one text and two lists of numbers, which take 2.9 MB of
// memory; the maps of the library take 23 MB.
type table struct {
	text   string   // all tokens
	starts []uint32 // start of each token in text; the last element is the length of text
	ranks  []uint32 // rank of each token
	first  [257]int // index of the first token that begins with this byte
}

// readTable reads a packed table: the number of tokens, the length of each, the high, the middle and the low bytes of their
// ranks, and the tokens. The tokens are sorted by their bytes, because to sort them here would take longer than all else that a
// daemon does at its start. It fails if the table is damaged.
func readTable(packed io.Reader) (*table, error) {
	from, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	var count uint32
	if err := binary.Read(from, binary.BigEndian, &count); err != nil {
		return nil, err
	}
	numbers := make([]byte, 4*count)
	if _, err := io.ReadFull(from, numbers); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(from)
	if err != nil {
		return nil, err
	}
	t := &table{text: string(text), starts: make([]uint32, 1, count+1), ranks: make([]uint32, 0, count)}
	lengths, high, middle, low := numbers[:count], numbers[count:2*count], numbers[2*count:3*count], numbers[3*count:]
	for i, length := range lengths {
		t.starts = append(t.starts, t.starts[i]+uint32(length))
		t.ranks = append(t.ranks, uint32(high[i])<<16|uint32(middle[i])<<8|uint32(low[i]))
	}
	if end := t.starts[count]; int(end) != len(text) {
		return nil, fmt.Errorf("the tokens have %d bytes, and their lengths add up to %d", len(text), end)
	}
	for b := range t.first {
		t.first[b] = sort.Search(len(t.ranks), func(i int) bool { return t.byteAt(i, 0) >= b })
	}
	return t, nil
}

// token returns the token at an index, a part of the table's text.
func (t *table) token(i int) string { return t.text[t.starts[i]:t.starts[i+1]] }

// hold sets in held the rank of each token that a text begins with. The text must not be empty.
func (t *table) hold(text string, held map[string]int) {
	low, high := t.first[text[0]], t.first[int(text[0])+1]
	for depth := 1; low < high; depth++ {
		// All tokens from low to high begin with text[:depth]; the shortest is the first.
		if token := t.token(low); len(token) == depth {
			held[token] = int(t.ranks[low])
			low++
		}
		if depth == len(text) {
			return
		}
		low = t.search(low, high, depth, int(text[depth]))
		high = t.search(low, high, depth, int(text[depth])+1)
	}
}

// search returns the first index between low and high whose token has at least b at depth. All tokens in
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

func (t *table) byteAt(i, depth int) int { return int(t.text[int(t.starts[i])+depth]) }
