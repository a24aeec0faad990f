package settings_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/settings"
)

// An object of 200,000 members is read in the time of its bytes: with a search for each name in those before it this test takes
// a minute.
func TestALargeFileIsReadOnce(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"first":1`)
	for i := range 200_000 {
		_, _ = fmt.Fprintf(&text, `,"member number %d":%d`, i, i)
	}
	text.WriteString("}")
	object, err := settings.ParseObject([]byte(text.String()))
	if err != nil || len(object) != 200_001 {
		t.Fatalf("%d members, %v", len(object), err)
	}
	if _, err := settings.ParseObject([]byte(text.String()[:text.Len()-1] + `,"first":2}`)); err == nil {
		t.Error("a name that is there twice was not found")
	}
}
