package sketch

import (
	"bytes"
	"encoding/base64"
	"slices"
)

// A LineSample is a sample of the distinct lines of a text, by which it can be told
// later how many of them are gone. It is text of at most 96 bytes. White space around a
// line, and lines of less than four bytes, such as a brace, do not count.
type LineSample string

// The lines of a sample, and the bytes of each one's hash: two of 10,000 lines share one
// with a probability of 0.0006.
const (
	sampledLines = 24
	lineBytes    = 3
	leastLine    = 4
)

// SampleLines makes the sample of a text: the lines with the smallest hashes, so that
// each line is as likely in it as any other. A text without lines that count has an
// empty one.
func SampleLines(text []byte) LineSample {
	var smallest []uint64
	for line := range countedLines(text) {
		hash := mix(Hash(string(line)))
		at, known := slices.BinarySearch(smallest, hash)
		if known || at == sampledLines {
			continue
		}
		smallest = slices.Insert(smallest, at, hash)
		smallest = smallest[:min(len(smallest), sampledLines)]
	}
	raw := make([]byte, 0, len(smallest)*lineBytes)
	for _, hash := range smallest {
		raw = append(raw, byte(hash>>16), byte(hash>>8), byte(hash)) // the high bits have chosen it
	}
	return LineSample(base64.RawStdEncoding.EncodeToString(raw))
}

// Gone estimates the share of the sampled text's lines that another text does not have, 0
// to 1; its standard error is at most 0.1. It is exact for texts of up to 24 lines. Of an
// empty sample nothing is gone. Known is false for a text that is no sample.
func (s LineSample) Gone(text []byte) (share float64, known bool) {
	raw, err := base64.RawStdEncoding.DecodeString(string(s))
	if err != nil || len(raw)%lineBytes != 0 || len(raw) > sampledLines*lineBytes {
		return 0, false
	}
	if len(raw) == 0 {
		return 0, true
	}
	left := map[[lineBytes]byte]bool{}
	for at := 0; at < len(raw); at += lineBytes {
		left[[lineBytes]byte(raw[at:])] = true
	}
	sampled := len(left)
	for line := range countedLines(text) {
		hash := mix(Hash(string(line)))
		delete(left, [lineBytes]byte{byte(hash >> 16), byte(hash >> 8), byte(hash)})
		if len(left) == 0 {
			break
		}
	}
	return float64(len(left)) / float64(sampled), true
}

func countedLines(text []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for line := range bytes.Lines(text) {
			if line = bytes.TrimSpace(line); len(line) >= leastLine && !yield(line) {
				return
			}
		}
	}
}
