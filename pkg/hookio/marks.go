package hookio

import (
	"bufio"
	"io"
)

// withoutMarks reads a text without its byte order marks.
func withoutMarks(r io.Reader) *bufio.Reader {
	head := bufio.NewReader(r)
	for {
		if first, _ := head.Peek(1); string(first) != "\xef" {
			return head
		}
		if mark, _ := head.Peek(3); string(mark) != "\ufeff" {
			return head
		}
		_, _ = head.Discard(3) // they were peeked at
	}
}
