package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// MaxContent is the maximum size of a memory's content in a change or import, in bytes.
const MaxContent = 4000

// Change is a change of one memory by a person or model. An empty field changes nothing.
type Change struct {
	ID     string    `json:"id"` // id of the change: applying a change twice has no further effect
	At     time.Time `json:"at"`
	By     string    `json:"by" holds:"word"` // the requesting program: mcp, cli, dashboard
	Reason string    `json:"reason,omitempty"`

	// Content replaces the memory by a successor, because the content is the identity.
	Content string `json:"content,omitempty"`
	// Kind changes the kind of a statement; the id stays.
	Kind Kind `json:"kind,omitempty"`
	// Status archives the memory (archived), or restores it (active).
	Status Status `json:"status,omitempty"`
	// Scope changes the scope; the id stays. Project is the project that a memory of the scope user returns to.
	Scope      Scope    `json:"scope,omitempty"`
	Project    string   `json:"project,omitempty" holds:"id"`
	AddTags    []string `json:"add_tags,omitempty" holds:"label"`
	RemoveTags []string `json:"remove_tags,omitempty" holds:"label"`
	Importance *float64 `json:"importance,omitempty"` // 0 to 1
	Pinned     *bool    `json:"pinned,omitempty"`
}

// IsImportance reports whether a number is between 0 and 1. NaN, which JSON cannot hold, is not.
func IsImportance(number float64) bool { return number >= 0 && number <= 1 }

// Apply returns the memory after the change. If its id differs, it is a successor, and
// the caller archives the old memory. The error is ErrInvalid.
func (c Change) Apply(m Memory) (Memory, error) {
	next := m
	if err := c.applyStatus(&next); err != nil {
		return m, err
	}
	if err := c.applyScope(&next); err != nil {
		return m, err
	}
	if err := c.applyKind(&next); err != nil {
		return m, err
	}
	if c.Importance != nil {
		if !IsImportance(*c.Importance) {
			return m, fmt.Errorf("importance %g is not from 0 to 1: %w", *c.Importance, ErrInvalid)
		}
		next.Importance = *c.Importance
	}
	if c.Pinned != nil {
		next.Pinned = *c.Pinned
	}
	for _, tag := range c.AddTags {
		if hasTag(c.RemoveTags, tag) {
			return m, fmt.Errorf("the tag %q is to be added and removed: give it once: %w", tag, ErrInvalid)
		}
	}
	next.Tags = retagged(m.Tags, c.AddTags, c.RemoveTags)
	if err := c.applyContent(&next); err != nil {
		return m, err
	}
	return next, nil
}

func (c Change) applyStatus(m *Memory) error {
	if c.Status == "" || c.Status == m.Status {
		return nil
	}
	switch c.Status {
	case StatusArchived:
		m.Detail = archivedPrefix + c.At.UTC().Format(time.DateOnly) + ": " + cmp.Or(OneLine(c.Reason), noReason) + "\n" + m.Detail
	case StatusActive:
		m.Detail = withoutArchivedLine(m.Detail)
	default:
		return fmt.Errorf("status %q cannot be asked for, only %s and %s: %w", c.Status, StatusArchived, StatusActive, ErrInvalid)
	}
	m.Status = c.Status
	return nil
}

// archivedPrefix begins the line in an archived memory's detail that gives the reason.
const archivedPrefix = "Archived on "

// TookBack is the reason of a change that archives what the user said before going back to an earlier prompt.
const TookBack = "you took the prompt back"

// Withdrew is the reason of a change that archives what the client's own memory has lost.
const Withdrew = "the client's memory does not have it any more"

const noReason = "no reason given"

// ownReasons are the reasons that no person or model has worded.
var ownReasons = []string{TookBack, Withdrew, noReason}

// AskedAgain is the reason of a change that restores a memory because somebody asked again to keep it.
const AskedAgain = "asked for again"

// IsRejected reports whether a memory is archived by a decision, or because its text was edited, rather than by maintenance.
func (m Memory) IsRejected() bool {
	return m.Status == StatusArchived && strings.HasPrefix(m.Detail, archivedPrefix)
}

// IsTakenBack reports whether a memory is archived because the user took its words back by a rewind.
func (m Memory) IsTakenBack() bool {
	first, _, _ := strings.Cut(m.Detail, "\n")
	return m.IsRejected() && strings.HasSuffix(first, ": "+TookBack)
}

func withoutArchivedLine(detail string) string {
	if !strings.HasPrefix(detail, archivedPrefix) {
		return detail
	}
	_, rest, _ := strings.Cut(detail, "\n")
	return rest
}

func (c Change) applyScope(m *Memory) error {
	switch {
	case c.Scope == "" || c.Scope == m.Scope:
		return nil
	case c.Scope == ScopeUser:
		m.Project = ""
	case c.Scope == ScopeProject && c.Project != "":
		m.Project = c.Project
	default:
		return fmt.Errorf("memory %s has the scope %s, which cannot become %q: %w", m.ID, m.Scope, c.Scope, ErrInvalid)
	}
	m.Scope = c.Scope
	return nil
}

// applyKind changes the kind of a statement. A fix and a discovery keep theirs.
func (c Change) applyKind(m *Memory) error {
	switch {
	case c.Kind == "" || c.Kind == m.Kind:
		return nil
	case !c.Kind.IsUserAuthored():
		return fmt.Errorf("memory %s cannot be made a %q: a statement is one of %s: %w", m.ID, c.Kind, listed(statementKinds), ErrInvalid)
	case !m.Kind.IsUserAuthored():
		return fmt.Errorf("memory %s is of kind %q, which cannot be changed: only statements (%s) can: %w", m.ID,
			m.Kind, listed(statementKinds), ErrInvalid)
	}
	m.Kind = c.Kind
	return nil
}

func listed(kinds []Kind) string {
	return strings.Join(Each(kinds, func(kind Kind) string { return string(kind) }), ", ")
}

func retagged(tags, add, remove []string) []string {
	all := slices.DeleteFunc(Union(tags, add), func(tag string) bool { return hasTag(remove, tag) })
	if len(all) == 0 {
		return nil
	}
	return all
}

func (c Change) applyContent(m *Memory) error {
	if c.Content == "" || Normalise(c.Content) == Normalise(m.Content) {
		return nil
	}
	switch {
	case m.Status == StatusArchived:
		return fmt.Errorf("memory %s is archived: restore it first, or change the memory that replaced it: %w", ShortID(m.ID), ErrInvalid)
	case m.Status == StatusConsolidated:
		return fmt.Errorf("memory %s was merged: change the memory that replaced it: %w", ShortID(m.ID), ErrInvalid)
	case Normalise(c.Content) == "":
		return fmt.Errorf("the new content of memory %s is empty: %w", m.ID, ErrInvalid)
	case len(c.Content) > MaxContent:
		return fmt.Errorf("the new content has %d bytes, at most %d are allowed: %w", len(c.Content), MaxContent, ErrInvalid)
	}
	m.Content, m.Detail = OneLine(c.Content), MultilineDetail(c.Content)
	m.ID = NewID(m.Scope, m.Project, m.Content)
	m.CreatedAt, m.LastSeenAt = c.At, c.At
	if m.Source = SourceAssistant; c.IsPersons() {
		m.Source = SourceUser
	}
	return nil
}

// ByPerson is the By of a change made in a terminal, and ByDashboard of a change made in a browser. Both come from a person.
const (
	ByPerson    = "cli"
	ByDashboard = "dashboard"
)

// BySync is the By of a decision that was made on another machine. The decision keeps its time.
const BySync = "sync"

func (c Change) IsPersons() bool { return c.By == ByPerson || c.By == ByDashboard }

// replacedBy begins the reason for which Superseded archives a memory.
const replacedBy = "replaced by "

// Superseded returns the old memory, archived in favour of its successor.
func (c Change) Superseded(m, successor Memory) Memory {
	away := Change{At: c.At, Reason: replacedBy + successor.ID, Status: StatusArchived}
	if c.Reason != "" {
		away.Reason += ": " + c.Reason
	}
	_ = away.applyStatus(&m) // archiving is always allowed, so this cannot fail
	return m
}

// MultilineDetail returns the text if it has several lines, to be kept as the detail of a memory
// whose content is the same text on one line; otherwise "".
func MultilineDetail(text string) string {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "\n") {
		return ""
	}
	return text
}

// changes describes the changes in words, such as "pinned".
func (c Change) changes() []string {
	var named []string
	add := func(is bool, words string) {
		if is {
			named = append(named, words)
		}
	}
	add(c.Content != "", "text edited")
	add(c.Kind != "", "kind changed to "+string(c.Kind))
	add(c.Status == StatusArchived, "archived")
	add(c.Status == StatusActive, "restored")
	add(c.Scope != "", "scope changed to "+string(c.Scope))
	for _, tag := range c.AddTags {
		add(true, "tagged "+tag)
	}
	for _, tag := range c.RemoveTags {
		add(true, "tag "+tag+" removed")
	}
	if c.Importance != nil {
		add(true, fmt.Sprintf("importance set to %g", *c.Importance))
	}
	if c.Pinned != nil {
		add(*c.Pinned, "pinned")
		add(!*c.Pinned, "unpinned")
	}
	if len(named) == 0 {
		return []string{"edited"}
	}
	return named
}

// The jobs of a run that records a change, and of one that reverts another run.
const (
	Amend = "amend"
	Undo  = "undo"
)

// ShownName returns the name of a run's job, trigger or kind of action as people see it.
func ShownName(stored string) string {
	return cmp.Or(map[string]string{Amend: "edit", "cron": "schedule", "manual": "command", ByPerson: "command"}[stored], stored)
}

func (c Change) Amended(row Row, after Memory) Row {
	was := row.Memory
	row.Memory = after
	if after.Status == was.Status && c.Status != StatusActive {
		return row
	}
	row.Rejected = after.Status == StatusArchived
	switch after.Status {
	case StatusArchived:
		row.RetiredAt = c.At
	case StatusActive: // counts as used now, or its strength would be low at once
		row.RetiredAt, row.UsedAt = time.Time{}, c.At
		row.SupersededBy, row.MergedInto = "", ""
	default:
	}
	return row
}

// AmendRun returns the record of a change, with the memory before and after it. If after has another id, it supersedes before.
func AmendRun(before, after Memory, c Change) Run {
	was := Row{Memory: before}.State()
	is := Row{Memory: after}.State()
	if after.ID != before.ID {
		is = Row{Memory: c.Superseded(before, after), SupersededBy: after.ID}.State()
	}
	if is.Status == StatusArchived && was.Status != StatusArchived {
		is.RetiredAt = c.At
	}
	return Run{
		ID: c.ID, Job: Amend, Trigger: c.By, StartedAt: c.At, EndedAt: c.At, Examined: 1, Changed: 1,
		Notes: []string{strings.Join(c.changes(), ", ")},
		Actions: []Action{{
			ID: c.ID + "-0", Memory: before.ID, Kind: ActionAmend,
			Reason: cmp.Or(c.Reason, strings.Join(c.changes(), ", ")), Before: was, After: is,
		}},
	}
}
