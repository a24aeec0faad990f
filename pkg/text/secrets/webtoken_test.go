package secrets_test

import (
	"encoding/base64"
	"math/rand/v2"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/secrets"
)

// TestALongWebTokenGoesWhole, such as one whose header has certificates.
func TestALongWebTokenGoesWhole(t *testing.T) {
	part := func(bytes int) string {
		noise := make([]byte, bytes)
		_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
		return base64.RawURLEncoding.EncodeToString(noise)
	}
	for _, header := range []int{20, 200, 2400} {
		token := "eyJ" + part(header) + "." + "eyJ" + part(300) + "." + part(64)
		if got, _ := secrets.Replace("curl -H 'X: "+token+"' http://x", nil); len(got) > 100 {
			t.Errorf("of a token with a header of %d bytes %d bytes are left: %.80q", header, len(got), got)
		}
	}
}
