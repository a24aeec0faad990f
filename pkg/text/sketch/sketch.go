// Package sketch finds nearly equal texts. It turns a set of words into a MinHash signature, and a signature into
// band keys, by which an index finds candidates without comparing all pairs. It does not decide which texts are
// duplicates. It is pure and has no randomness, so that keys stored last year still match.
package sketch

import (
	"encoding/hex"
	"math"
	"slices"
)

// Hashes is the number of hash functions in a signature. The standard error of the estimated similarity is at most
// 1/(2*sqrt(128)) = 0.044 (A. Broder, On the resemblance and containment of documents, 1997).
const Hashes = 128

// Bands and BandRows split a signature for locality-sensitive hashing. Two sets of similarity j share a band with
// probability 1-(1-j^BandRows)^Bands: 0.06 at j = 0.50, 0.994 at 0.85, 0.9999 at 0.90 (Leskovec, Rajaraman, Ullman,
// Mining of Massive Datasets, section 3.4). Each stored row costs sixteen index keys. 21 bands of 6 rows would find
// 0.99995 but bring five times as many candidates at 0.50.
const (
	Bands    = 16
	BandRows = Hashes / Bands
)

// Set is a set of words as sorted, distinct 64-bit hashes. In a million words, two share a hash with probability
// 3e-8.
type Set []uint64

func SetOf(words []string) Set {
	set := make(Set, len(words))
	for i, word := range words {
		set[i] = Hash(word)
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// Jaccard returns the size of the intersection divided by the size of the union, from 0 to 1. It returns 1 for two
// empty sets.
func Jaccard(a, b Set) float64 {
	shared := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			shared++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	union := len(a) + len(b) - shared
	if union == 0 {
		return 1
	}
	return float64(shared) / float64(union)
}

// Signature holds the smallest value of each hash function over a set.
type Signature [Hashes]uint64

// Sign returns the MinHash signature of a set. The empty set has the largest possible values.
func Sign(set Set) Signature {
	var signature Signature
	for i := range signature {
		signature[i] = math.MaxUint64
	}
	for _, word := range set {
		for i := range signature {
			signature[i] = min(signature[i], mix(word^seeds[i]))
		}
	}
	return signature
}

// Keys returns the band keys of a signature, each 16 hexadecimal digits. Sets that share a key are candidates. Only
// signatures with the same salt can share one.
func (s Signature) Keys(salt uint64) []string {
	keys := make([]string, Bands)
	for band := range keys {
		sum := mix(salt ^ uint64(band+1))
		for _, row := range s[band*BandRows : (band+1)*BandRows] {
			sum = mix(sum ^ row)
		}
		keys[band] = hexadecimal(sum)
	}
	return keys
}

// Hash returns a 64-bit hash of words in their order: FNV-1a with a final mix, because MinHash needs every output
// bit to depend on the whole input.
func Hash(words ...string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	sum := uint64(offset)
	for _, word := range words {
		for i := range len(word) {
			sum = (sum ^ uint64(word[i])) * prime
		}
		sum = (sum ^ 0x1f) * prime // a separator that no word contains
	}
	return mix(sum)
}

func hexadecimal(sum uint64) string {
	var raw [8]byte
	for i := range raw {
		raw[i] = byte(sum >> (56 - 8*i))
	}
	return hex.EncodeToString(raw[:])
}

// seeds must never change: stored keys depend on them.
var seeds = makeSeeds()

func makeSeeds() [Hashes]uint64 {
	var made [Hashes]uint64
	for i := range made {
		made[i] = mix(uint64(i+1) * 0x9e3779b97f4a7c15)
	}
	return made
}

// mix is the finaliser of splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
