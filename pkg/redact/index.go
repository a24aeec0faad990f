package redact

// index finds the entries of a list by a one-byte hash. It is built at each start of
// a hook, and is cheaper to build than a map.
type index struct {
	first [256]uint8 // the first entry for a byte, counted from 1; 0: there is none
	next  []uint8    // the next one for the same byte
}

// indexOf makes the index of a list of n entries, at most 255.
func indexOf(n int, byteOf func(i int) byte) (x index) {
	x.next = make([]uint8, n+1)
	for i := n; i > 0; i-- {
		b := byteOf(i - 1)
		x.next[i] = x.first[b]
		x.first[b] = uint8(i)
	}
	return x
}

// hashOf is the byte by which words are found that have to be the same.
func hashOf(word string) byte {
	return byte(len(word))*31 + word[0]*7 + word[len(word)-1]*13
}
