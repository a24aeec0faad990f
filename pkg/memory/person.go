package memory

import (
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

// Sees is the key of the project that the person is told of where a client names key.
func (p Person) Sees(key string) string { return p.place(key, p.Reads) }

// Keeps is the key of the project that the person's new rows of a project get: the private one, unless the person shares
// it.
func (p Person) Keeps(key string) string { return p.place(key, p.Writes) }

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
		if strings.Contains(m.ID, placeMark) {
			continue
		}
		id := m.NewID()
		if m.ID != NewID(m.Scope, PublicKey(m.Project), m.Content) { // of another name of the project, or imported
			id = m.ID
			if m.Scope == ScopeUser || PrivateTo(m.Project) != "" {
				id = ownID(m.ID, p.Name)
			}
		}
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

func (p Person) session(id string) string {
	if len(id) == uuidLength || id == "" {
		return id
	}
	return ownID(id, p.Name)
}
