package mailbox_test

import (
	"bytes"
	"testing"
)

// BenchmarkRead reads a letter of 100 rows, with the process of git that it takes.
func BenchmarkRead(b *testing.B) {
	box := machine(b, repository(b), newKey(b))
	fetched(b, box)
	row := `{"kind":"memory","memory":{"content":"every migration begins with its number"}}` + "\n"
	name, err := box.Send(b.Context(), bytes.Repeat([]byte(row), 100))
	if err != nil {
		b.Fatal(err)
	}
	fetched(b, box)
	for b.Loop() {
		if _, err := box.Read(b.Context(), name); err != nil {
			b.Fatal(err)
		}
	}
}
