package memory_test

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func TestWholeIDsInATextAreShortened(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "nothing here": "nothing here", "0123456789ab": "0123456789ab",
		"14491321c5147f89aca2c5a64690c9c2":                         "14491321c514",
		"corrected by 14491321c5147f89aca2c5a64690c9c2: 21 and 24": "corrected by 14491321c514: 21 and 24",
		"14491321c5147f89aca2c5a64690c9c2f":                        "14491321c5147f89aca2c5a64690c9c2f", // no id: one digit more
	} {
		musttest.Same(t, want, memory.ShortenIDs(text), "%q became", text)
	}
}
