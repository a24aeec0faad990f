package secrets

import (
	"slices"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// tables are the files of the folder rules.
var tables = []string{"prefixes", "programs", "readers", "names", "keywords", "foreign", "lists"}

func clean(text string) string {
	for range 4 {
		text, _ = Replace(text, nil)
	}
	return text
}

// TestEveryRowDoesWhatItsExamplesSay: each row has examples of each kind. Nothing is left of secrets,
// and other texts stay unchanged.
func TestEveryRowDoesWhatItsExamplesSay(t *testing.T) {
	for _, table := range tables {
		for _, r := range rows(t, table) {
			if len(r.No) == 0 || len(r.Yes) == 0 && r.Column(4) != "public" {
				t.Errorf("%s: a row needs examples with + and -", r)
			}
			missed := map[string]int{}
			for _, one := range r.Yes {
				left := Remains(one, clean(one.Text))
				if left == "" {
					continue
				}
				// Of many random texts one looks like words.
				if missed[one.Kind]++; missed[one.Kind] > 1 {
					t.Errorf("%s: %q is left of %q: %q", r, left, one.Text, clean(one.Text))
				}
			}
			for _, one := range r.No {
				musttest.Same(t, one.Text, clean(one.Text), "%s", r)
			}
		}
	}
}

// TestEveryRowIsNeeded switches each row off: one of its examples then comes out otherwise.
func TestEveryRowIsNeeded(t *testing.T) {
	for _, table := range tables {
		if table == "lists" {
			continue
		}
		for _, r := range rows(t, table) {
			with := cleaned(r)
			on := off(t, r)
			if slices.Equal(cleaned(r), with) {
				t.Errorf("%s: its examples come out the same without it: %q", r, with)
			}
			on()
		}
	}
}

// cleaned are the examples of a row as they come out.
func cleaned(r Row) []string {
	var all []string
	for _, one := range slices.Concat(r.Yes, r.No) {
		all = append(all, clean(one.Text))
	}
	return all
}

// nothing is found in no text.
const nothing = "\x00\x00"

// off switches a row off, and returns the function that switches it on.
func off(t *testing.T, r Row) func() {
	t.Helper()
	name := r.Columns[0]
	switch r.Table {
	case "prefixes":
		return hide(t, name, prefixes[:], func(p *prefix) *string { return &p.text })
	case "programs":
		return hide(t, name, programs[:], func(p *program) *string { return &p.name })
	case "readers":
		for i := range readers {
			if readers[i].name == name && readers[i].with == r.Column(1) {
				readers[i].name = nothing
				return func() { readers[i].name = name }
			}
		}
	case "keywords":
		return hide(t, name, keywords[:], func(k *keyword) *string { return &k.word })
	case "foreign":
		_, rest := splitASCII(name)
		return hide(t, rest, foreignWords[:], func(w *foreignWord) *string { return &w.rest })
	case "names":
		all := map[string][]ending{"sure": sureNames[:], "likely": likelyNames[:], "part": nameParts[:], "not": descriptors[:]}[r.Column(2)]
		return hide(t, name, all, func(e *ending) *string { return &e.text })
	}
	t.Fatalf("%s: no such row in the program's tables", r)
	return nil
}

func hide[T any](t *testing.T, name string, all []T, text func(*T) *string) func() {
	t.Helper()
	for i := range all {
		if at := text(&all[i]); *at == name {
			*at = nothing
			return func() { *at = name }
		}
	}
	t.Fatalf("%q is not in the program's tables", name)
	return nil
}
