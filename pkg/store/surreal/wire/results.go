package wire

import (
	"fmt"

	"github.com/fxamacker/cbor/v2"
	"github.com/surrealdb/surrealdb.go/surrealcbor"
)

// Results has the encoded result of each statement of a query, including BEGIN and COMMIT.
type Results []cbor.RawMessage

// Decode decodes the result of statement i, counted from 0, into v. NONE and NULL leave the zero value.
func (r Results) Decode(i int, v any) error {
	if i < 0 || i >= len(r) {
		return fmt.Errorf("decode the result of statement %d: the server returned %d results", i, len(r))
	}
	if len(r[i]) == 0 {
		return nil
	}
	err := guarded(func() error { return surrealcbor.Unmarshal(r[i], v) })
	if err != nil {
		return fmt.Errorf("decode the result of statement %d: %w", i, err)
	}
	return nil
}

// guarded calls f and returns a panic as an error: the SDK dereferences unchecked answers.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in the SurrealDB SDK: %v", p)
		}
	}()
	return f()
}
