package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Digest identifies the rows of a store: stores with the same digest have the same rows, byte
// for byte, in any order.
type Digest struct {
	Rows   int
	SHA256 string
}

// DigestOf reads a whole store or backup.
func DigestOf(ctx context.Context, source Source) (Digest, error) {
	d := digester{}
	if err := source.CopyOut(ctx, d); err != nil {
		return Digest{}, err
	}
	return d.digest(), nil
}

// digester is a sink that collects a hash of each row by table.
type digester map[string][][sha256.Size]byte

func (digester) Begin(memory.Contents) error { return nil }

func (d digester) Row(table string, row []byte) error {
	d[table] = append(d[table], sha256.Sum256(row))
	return nil
}

// digest returns the hash over the tables, ordered by name, and the sorted hashes of their
// rows.
func (d digester) digest() Digest {
	all, rows := sha256.New(), 0
	for _, table := range slices.Sorted(maps.Keys(d)) {
		hashes := d[table]
		slices.SortFunc(hashes, func(a, b [sha256.Size]byte) int { return bytes.Compare(a[:], b[:]) })
		_, _ = fmt.Fprintf(all, "%s %d\n", table, len(hashes))
		for _, hash := range hashes {
			_, _ = all.Write(hash[:])
		}
		rows += len(hashes)
	}
	return Digest{rows, hex.EncodeToString(all.Sum(nil))}
}
