package memory_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// reader is a store of memories by their ids.
type reader []memory.Memory

func (r reader) Rows(_ context.Context, q memory.RowQuery) (found []memory.Row, err error) {
	for _, m := range r {
		if strings.HasPrefix(m.ID, string(q.(memory.IDPrefix))) {
			found = append(found, memory.Row{Memory: m})
		}
	}
	return found, nil
}

// A session's start shortens the ids of recallable memories to digits that are unique among
// them. Other projects and records must not make these ambiguous.
func TestAShortIDIsOneOfTheProjects(t *testing.T) {
	one := func(id, project string, kind memory.Kind, status memory.Status) memory.Memory {
		return memory.Memory{ID: id + strings.Repeat("0", 32-len(id)), Project: project, Kind: kind, Status: status}
	}
	store := reader{
		one("a1b21", "p", memory.KindNote, memory.StatusActive),
		one("a1b22", "q", memory.KindNote, memory.StatusActive),
		one("a1b23", "p", memory.KindNote, memory.StatusConsolidated),
		one("a1b24", "p", memory.KindNote, memory.StatusArchived),
		one("c3d41", "p", memory.KindNote, memory.StatusActive),
		one("c3d42", "", memory.KindPreference, memory.StatusActive),
		one("e5f61", "p", memory.KindNote, memory.StatusArchived),
		one("e5f62", "p", memory.KindNote, memory.StatusConsolidated),
		one("07181", "q", memory.KindNote, memory.StatusActive),
		one("29301", "p", memory.KindNote, memory.StatusActive),
		one("29302", "p", memory.KindDiscovery, memory.StatusActive),
		one("29303", "p", memory.KindNote, memory.StatusArchived),
	}
	store[9].Title, store[11].Title = "a fact", "an archived fact"
	for id, want := range map[string]string{
		"a1b2":  store[0].ID,
		"a1b23": store[2].ID,
		"a1b24": store[3].ID,
		"c3d4":  "several ids begin with c3d4, such as c3d410000000 and c3d420000000: give more digits",
		"c3d42": store[5].ID,
		"e5f6":  "several ids begin with e5f6, such as e5f610000000 and e5f620000000: give more digits",
		"e5f61": store[6].ID,
		"0718":  `there is no memory "0718"`,
		"2930":  store[9].ID,
	} {
		m, err := memory.Find(t.Context(), store, id, "p", "")
		got := m.ID
		if err != nil {
			got, _, _ = strings.Cut(err.Error(), ": "+map[bool]string{true: memory.ErrInvalid.Error(), false: memory.ErrNotFound.Error()}[errors.Is(err, memory.ErrInvalid)])
		}
		musttest.Same(t, want, got, "%s", id)
	}
}

type listed []string

func (l listed) Sessions(context.Context, memory.SessionQuery) ([]memory.Session, error) {
	var all []memory.Session
	for _, id := range l {
		all = append(all, memory.Session{ID: id})
	}
	if len(l) == 0 {
		return nil, errors.New("no store")
	}
	return all, nil
}

func TestSessionsAreNamedByTheBeginningOfTheirID(t *testing.T) {
	from := listed{"ab3", "b1", "ab1"}
	for beginning, want := range map[string]int{"ab": 2, "ab1": 1, "c": 0, "": 0} {
		if found, err := memory.SessionsNamed(t.Context(), from, "", beginning); err != nil || len(found) != want {
			t.Errorf("%q: %+v, %v", beginning, found, err)
		}
	}
	musttest.Fails(t, musttest.Err(memory.SessionsNamed(t.Context(), listed{}, "", "a")), "an error of the store is lost")
}

// TestTagsAreTheSameInAnySpelling: a memory is found by a tag, and loses it, in any case of
// letters, even if an import stored the tag in upper case.
func TestTagsAreTheSameInAnySpelling(t *testing.T) {
	m := memory.Memory{ID: "m1", Content: "tides are kept in UTC", Status: memory.StatusActive, Tags: []string{"db", "Gezeiten  Übersicht"}}
	for tag, want := range map[string]bool{"db": true, "DB": true, " Db ": true, "gezeiten übersicht": true, "GEZEITEN ÜBERSICHT": true, "d": false, "": false, "gezeiten": false} {
		musttest.Same(t, want, m.HasTag(tag), "%q is a tag of it", tag)
	}
	after, err := memory.Change{At: time.Now(), By: "cli", RemoveTags: []string{"gezeiten übersicht"}}.Apply(m)
	if err != nil || !slices.Equal(after.Tags, []string{"db"}) {
		t.Errorf("after the tag was removed there are %q, %v", after.Tags, err)
	}
}

// Events say in which folder a file was changed. When they are deleted, a session keeps the names of its files.
func TestAFileIsChangedByItsPathOrItsNameAlone(t *testing.T) {
	withEvents := memory.SessionRecord{SessionEvents: []memory.SessionEvent{{Kind: memory.EventFileChanged, Files: []string{"pkg/export.go"}}, {Kind: memory.EventToolUsed, Files: []string{"pkg/read.go"}}}}
	withEvents.Session.Summary.Digest.FilesModified = []string{"export.go"}
	nameAlone := memory.SessionRecord{Session: withEvents.Session}
	for _, c := range []struct {
		file             string
		byEvents, byName bool
	}{
		{"export.go", true, true},
		{"pkg/export.go", true, true},
		{"cmd/export.go", false, true},
		{"port.go", false, false},
		{"pkg/read.go", false, false},
	} {
		musttest.Same(t, c.byEvents, withEvents.HasChanged(c.file), "%s, with events (-want +got)", c.file)
		musttest.Same(t, c.byName, nameAlone.HasChanged(c.file), "%s, by names alone (-want +got)", c.file)
	}
}
