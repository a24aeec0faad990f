package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Person is the one as whom this home has signed in to a store that several share. The zero value has the store's own
// credentials: it owns all rows that have no owner, and may do everything.
type Person struct {
	Name string `json:"name,omitempty"`
	// Reads, Writes and Leads are the keys of the projects that are shared with the person: to read, to write, and to say with
	// whom.
	Reads  []string `json:"reads,omitempty"`
	Writes []string `json:"writes,omitempty"`
	Leads  []string `json:"leads,omitempty"`
}

// placeMark begins the keys of private projects, and separates an owner from the rest of an id. No key of a shared
// project begins so.
const placeMark = "~"

// IsPersonName tells whether a person can have a name: 1 to 40 of a-z 0-9 . _ - of which the first is a letter or a number.
func IsPersonName(name string) bool {
	const first, longest = "abcdefghijklmnopqrstuvwxyz0123456789", 40
	return name != "" && len(name) <= longest && strings.Contains(first, name[:1]) && strings.Trim(name, first+"._-") == ""
}

// Sees is the key of the project that the person is told of where a client names key.
func (p Person) Sees(key string) string { return p.place(key, p.Reads) }

// Keeps is the key of the project that the person's new rows of a project get: the private one, unless the person shares
// it. A key that is another's alone, in what that one has exported, is the project's.
func (p Person) Keeps(key string) string {
	if PrivateTo(key) != p.Name {
		key = PublicKey(key)
	}
	return p.place(key, p.Writes)
}

func (p Person) place(key string, shared []string) string {
	if p.Name == "" || key == "" || strings.HasPrefix(key, placeMark) || slices.Contains(shared, key) {
		return key
	}
	return placeMark + p.Name + "/" + key
}

// Shares tells whether a project that the person sees is shared.
func (p Person) Shares(key string) bool { return slices.Contains(p.Reads, key) }

// PrivateTo is the person whose alone a project is; empty: it is shared, or of a store with one owner.
func PrivateTo(project string) string {
	place, isPrivate := strings.CutPrefix(project, placeMark)
	if !isPrivate {
		return ""
	}
	name, _, _ := strings.Cut(place, "/")
	return name
}

// IsShared tells whether a memory is of a project that several people share: it has an owner, and is not the owner's alone.
func (m Memory) IsShared() bool {
	return m.Owner != "" && m.Project != "" && PrivateTo(m.Project) == ""
}

// PublicKey is the key that clients have for a project.
func PublicKey(project string) string {
	if PrivateTo(project) == "" {
		return project
	}
	_, key, _ := strings.Cut(project, "/")
	return key
}

// Whose says whose row a memory is, and who reads it; nothing in a store with one owner.
func (m Memory) Whose() string {
	switch {
	case m.Owner == "":
		return ""
	case !m.IsShared() && m.Author != m.Owner:
		return "yours alone"
	case !m.IsShared():
		return m.Owner + "'s alone"
	case m.Author != m.Owner:
		return "yours, shared in this project"
	default:
		return m.Owner + "'s, shared in this project"
	}
}

// MayChange is ErrRefused, with the owner and the way out, if the person may not change a memory like that. The engine refuses
// in silence.
func (p Person) MayChange(before, after Memory) error {
	isShared := before.Project != "" && PrivateTo(before.Project) == ""
	of := cmp.Or(before.Owner, "nobody") + "'s"
	if before.Owner == p.Name {
		of = "yours"
	}
	switch {
	case p.Name == "" || !isShared && before.Owner == p.Name:
		return nil
	case !slices.Contains(p.Writes, before.Project):
		return fmt.Errorf("memory %s is %s, in the shared project %s, which you may read and not write now; memory team share if you are a member, else ask an admin for that (memory team lists them): nothing was changed: %w",
			ShortID(before.ID), of, before.Project, ErrRefused)
	case before.Owner != p.Name && (after.ID != before.ID || after.Kind != before.Kind || after.Project != before.Project):
		return fmt.Errorf("memory %s is %s, and nobody else changes its words, kind or reach; say yours with memory remember, and memory forget %[1]s puts that one away: nothing was changed: %[3]w",
			ShortID(before.ID), of, ErrRefused)
	}
	return nil
}

// MayPurge is ErrInvalid if the person may not delete a project for good, or everything if none is named.
func (p Person) MayPurge(project string) error {
	switch {
	case p.Name == "" || PrivateTo(project) == p.Name || project != "" && slices.Contains(p.Leads, project):
		return nil
	case project == "":
		return fmt.Errorf("%w; memory purge --project PROJECT deletes one of yours, memory purge --all --local only what is on this machine", p.MayAdminister("delete everything in it"))
	}
	return fmt.Errorf("%s is shared, and only an admin of it deletes it for good (memory team lists them); memory team unshare takes back what is yours: nothing was deleted: %w", project, ErrInvalid)
}

// MayMerge is ErrInvalid if the person may not move all rows of a project into another: of a shared one others' rows would stay.
func (p Person) MayMerge(from, into string) error {
	if p.Name == "" || PrivateTo(from) == p.Name && (PrivateTo(into) == p.Name || slices.Contains(p.Writes, into)) {
		return nil
	}
	return fmt.Errorf("merge %s into %s: a person merges what is his or hers alone, into that or into a project that he or she shares: nothing was changed: %w", from, into, ErrInvalid)
}

// MayAdminister is ErrInvalid for a person: the whole store is for whoever has its own credentials.
func (p Person) MayAdminister(what string) error {
	if p.Name == "" {
		return nil
	}
	return fmt.Errorf("several people share this store, and you use it as %s: only whoever has its own credentials may %s: %w", p.Name, what, ErrInvalid)
}

// ownID is an id that nobody but its owner can write; without an owner it stays.
func ownID(id, owner string) string {
	if owner == "" || strings.Contains(id, placeMark) {
		return id
	}
	return id + placeMark + owner
}

// NewID is the identity of a memory; see the function. The owner is part of it where the memory is the owner's alone.
func (m Memory) NewID() string {
	if m.Scope == ScopeUser && m.Owner != "" {
		return NewID(m.Scope, placeMark+m.Owner+"/", m.Content)
	}
	return NewID(m.Scope, m.Project, m.Content)
}

// uuidLength is that of the ids that clients give sessions: nobody guesses one.
const uuidLength = 36

// Own makes a batch the person's: memories of the user, rows of private projects and sessions with an id that others could guess get
// ids that are the person's alone. Its projects have been replaced before; whichever has been made the person's stays as it
// is.
func (p Person) Own(b *Batch) {
	if p.Name == "" {
		return
	}
	renamed := map[string]string{}
	for i := range b.Memories {
		m := &b.Memories[i]
		m.Owner, m.Session = p.Name, p.session(m.Session)
		id := p.ownMemoryID(*m)
		renamed[m.ID], m.ID = id, id
	}
	named := func(id *string) {
		if to, isNew := renamed[*id]; isNew {
			*id = to
		}
	}
	for i := range b.Sightings {
		named(&b.Sightings[i].Memory)
		b.Sightings[i].Session = p.session(b.Sightings[i].Session)
	}
	for i := range b.Derived {
		named(&b.Derived[i].Memory)
		named(&b.Derived[i].From)
	}
	for i := range b.UserWritten {
		named(&b.UserWritten[i])
	}
	for i := range b.Sessions {
		b.Sessions[i].ID = p.session(b.Sessions[i].ID)
	}
	for i := range b.Prompts {
		b.Prompts[i].Session = p.session(b.Prompts[i].Session)
	}
	for i := range b.SessionEvents {
		b.SessionEvents[i].Session = p.session(b.SessionEvents[i].Session)
	}
	for i := range b.Summaries {
		b.Summaries[i].Session = p.session(b.Summaries[i].Session)
	}
}

// ownMemoryID is the id under which the person stores a memory.
func (p Person) ownMemoryID(m Memory) string {
	isPrivate := m.Scope == ScopeUser || PrivateTo(m.Project) != ""
	plain, owner, isOwned := strings.Cut(m.ID, placeMark)
	switch {
	case isOwned && (owner == p.Name || !isPrivate):
		return m.ID
	case isOwned: // of another's export
		return ownID(plain, p.Name)
	case m.ID == NewID(m.Scope, PublicKey(m.Project), m.Content):
		return m.NewID()
	case isPrivate: // of another name of the project, or imported
		return ownID(m.ID, p.Name)
	}
	return m.ID
}

func (p Person) session(id string) string {
	if len(id) == uuidLength || id == "" {
		return id
	}
	return ownID(id, p.Name)
}
