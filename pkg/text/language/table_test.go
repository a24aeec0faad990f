package language_test

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

func TestRows(t *testing.T) {
	got := language.Rows("# a table\n\none | 0.5 | a ; b|c ;\n\t^d *\n+ yes it is\n- no\n+ two\nother\n")
	want := []language.Row{{Line: 3, Columns: []string{"one", "0.5", "a ; b|c ; ^d *"}, Yes: []string{"yes it is", "two"}, No: []string{"no"}}, {Line: 8, Columns: []string{"other"}}}
	musttest.Same(t, want, got, "rows differ (-want +got)")
	musttest.Same(t, []string{"a", "b|c", "^d *"}, got[0].List(2), "lists differ (-want +got)")
	if got[1].Column(1) != "" || got[1].List(1) != nil {
		t.Errorf("a missing column is %q, %q", got[1].Column(1), got[1].List(1))
	}
}
