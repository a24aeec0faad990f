package memory_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func TestWhoseAMemoryIs(t *testing.T) {
	for whose, m := range map[string]memory.Memory{
		"":                               {Project: "K", Author: "anna <anna@example.org>"},
		"yours alone":                    {Project: "~bob/K", Owner: "bob"},
		"anna's alone":                   {Owner: "anna", Author: "anna"}, // to whoever has the store's credentials
		"yours, shared in this project":  {Project: "K", Owner: "bob"},
		"anna's, shared in this project": {Project: "K", Owner: "anna", Author: "anna"},
	} {
		if got := m.Whose(); got != whose {
			t.Errorf("%+v is %q, want %q", m, got, whose)
		}
	}
}

func TestWhatAPersonMayPurge(t *testing.T) {
	bob := memory.Person{Name: "bob", Reads: []string{"K", "L"}, Writes: []string{"K"}, Leads: []string{"L"}}
	for project, may := range map[string]bool{"~bob/K": true, "L": true, "K": false, "M": false, "~anna/K": false, "": false} {
		if err := bob.MayPurge(project); may != (err == nil) || err != nil && !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("bob purges %q: %v, want it allowed: %v", project, err, may)
		}
		if err := (memory.Person{}).MayPurge(project); err != nil {
			t.Errorf("whoever has the store's credentials purges %q: %v", project, err)
		}
	}
}

// TestAnImportIsOnesOwn: the rows of an export of another go where the importer's own go, under ids of the importer's, and one's own stay.
func TestAnImportIsOnesOwn(t *testing.T) {
	const plain, his = "0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef~bob"
	bob, carol, member := memory.Person{Name: "bob"}, memory.Person{Name: "carol"}, memory.Person{Name: "carol", Reads: []string{"K"}, Writes: []string{"K"}}
	for _, one := range []struct {
		what          string
		who           memory.Person
		key, id       string
		wants, wantID string
	}{
		{"Bob's own", bob, "~bob/K", his, "~bob/K", his},
		{"Bob's in a store with one owner", memory.Person{}, "~bob/K", his, "K", his},
		{"Bob's by Carol", carol, "~bob/K", his, "~carol/K", plain + "~carol"},
		{"a shared row by a member", member, "K", his, "K", his},
		{"Bob's by a member who shares", memory.Person{Name: "bob", Writes: []string{"K"}}, "~bob/K", his, "~bob/K", his},
	} {
		b := memory.Batch{
			Memories:  []memory.Memory{{ID: one.id, Project: one.who.Keeps(one.key), Scope: memory.ScopeProject, Content: "x"}},
			Sightings: []memory.Sighting{{ID: "e", Memory: one.id, Session: "s"}},
		}
		one.who.Own(&b)
		if m := b.Memories[0]; m.Project != one.wants || m.ID != one.wantID || b.Sightings[0].Memory != one.wantID {
			t.Errorf("%s: it is %s of %s, seen as %s; want %s of %s", one.what, m.ID, m.Project, b.Sightings[0].Memory, one.wantID, one.wants)
		}
	}
}

func TestNamesOfPeople(t *testing.T) {
	for name, is := range map[string]bool{
		"anna": true, "a": true, "0-9._x": true, strings.Repeat("a", 40): true,
		"": false, ".anna": false, "Anna": false, "an~na": false, "änna": false, "an/na": false, strings.Repeat("a", 41): false,
	} {
		if got := memory.IsPersonName(name); got != is {
			t.Errorf("%q: %t, want %t", name, got, is)
		}
	}
}
