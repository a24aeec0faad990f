package sketch

// Similarity estimates the Jaccard similarity of the signed sets, 0 to 1.
func (s Signature) Similarity(other Signature) float64 {
	equal := 0
	for i := range s {
		if s[i] == other[i] {
			equal++
		}
	}
	return float64(equal) / Hashes
}
