package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"
)

// The errors of leases.
var (
	// ErrHeld: another holder has the lease, and it has not expired.
	ErrHeld = errors.New("held by another")
	// ErrLeaseLost: another holder took the lease over, so nothing may be written under it.
	ErrLeaseLost = errors.New("the lease was lost")
)

// Row is a memory with everything that maintenance bases decisions on. All of it is stored: no field depends on the
// time of reading. The fields of Row and Memory are the columns of the table, named by their json or column tags.
// Columns with the option "read" in a column tag are written by the store only.
type Row struct {
	Memory Memory `json:"memory"`

	// Uses counts the sessions that asked for the memory and got it.
	Uses int `json:"uses"`
	// Sessions and Projects are the numbers of sessions and projects that saw the memory, or a memory that was merged into it.
	Sessions int `json:"sessions"`
	Projects int `json:"projects"`

	// UsedAt is the time of the last use, or else of the creation or restoration.
	UsedAt time.Time `json:"used_at,omitzero"`
	// RetiredAt is when Status last became archived.
	RetiredAt time.Time `json:"retired_at,omitzero"`

	// UserWritten is true if a person asked for the memory. Exempt is true if
	// maintenance must skip the memory, because somebody undid an earlier change of the memory.
	UserWritten bool `json:"user_written,omitempty"`
	Exempt      bool `json:"exempt,omitempty"`
	// Rejected: a person archived the memory, so another sighting does not restore it.
	Rejected bool `json:"rejected,omitempty"`

	// SupersededBy is the id of the memory that corrects this memory, MergedInto the id of the duplicate that
	// replaced it. DerivedFrom has the ids of the memories that this memory was made of.
	SupersededBy string   `json:"superseded_by,omitempty" holds:"id"`
	MergedInto   string   `json:"merged_into,omitempty" holds:"id"`
	DerivedFrom  []string `json:"derived_from,omitempty" holds:"id"`

	// Cursor is the row's position in the order of changes; see ChangeQuery.
	Cursor ChangeCursor `json:"-" column:"changed_at,read"`
}

// IsUsers reports whether a person stated a memory or asked for it.
func (r Row) IsUsers() bool { return r.Memory.IsUsersWord() || r.UserWritten }

// ReasonNotReplaceable returns the reason why a fact that a model wrote must not replace the memory; empty if it may.
// Pinned and restored memories are protected, and the user's memories unless the fact rests on the user's own later words.
func (r Row) ReasonNotReplaceable(onLaterWords bool) string {
	switch m := r.Memory; {
	case r.IsUsers() && !onLaterWords:
		return "it is the user's own"
	case !r.IsUsers() && !m.IsFact() && m.Source != SourceAssistant:
		return "it is not a fact"
	case m.Scope == ScopeUser:
		return "it applies to every project"
	case m.Status != StatusActive:
		return "it is " + string(m.Status)
	case m.Pinned:
		return "it is pinned"
	case r.Exempt:
		return "somebody brought it back"
	case r.SupersededBy != "":
		return ShortID(r.SupersededBy) + " has replaced it already"
	}
	return ""
}

// ChangeCursor is a position in the order of a store's changes: later changes have greater cursors.
type ChangeCursor int64

// State is the part of a row that maintenance changes: its fields are columns of the row, by their names.
type State struct {
	Project      string    `json:"project" holds:"id"`
	Scope        Scope     `json:"scope"`
	Status       Status    `json:"status"`
	Kind         Kind      `json:"kind"`
	Content      string    `json:"content"`
	Detail       string    `json:"detail,omitempty"`
	Tags         []string  `json:"tags,omitempty" holds:"label"`
	Title        string    `json:"title,omitempty"`
	Area         string    `json:"area,omitempty" holds:"label"`
	Cues         []string  `json:"cues,omitempty"`
	Everywhere   bool      `json:"everywhere,omitempty"`
	Importance   float64   `json:"importance"`
	Pinned       bool      `json:"pinned,omitempty"`
	CreatedAt    time.Time `json:"created_at"`
	LastSeenAt   time.Time `json:"last_seen_at"`
	Uses         int       `json:"uses"`
	Sessions     int       `json:"sessions"`
	Projects     int       `json:"projects"`
	UsedAt       time.Time `json:"used_at,omitzero"`
	RetiredAt    time.Time `json:"retired_at,omitzero"`
	SupersededBy string    `json:"superseded_by,omitempty" holds:"id"`
	MergedInto   string    `json:"merged_into,omitempty" holds:"id"`
	DerivedFrom  []string  `json:"derived_from,omitempty" holds:"id"`
}

func (r Row) State() (s State) {
	row, state := reflect.ValueOf(&r).Elem(), reflect.ValueOf(&s).Elem()
	for _, field := range stateFields() {
		state.Field(field.inState).Set(row.FieldByIndex(field.inRow))
	}
	return s
}

func (r Row) With(s State) Row {
	row, state := reflect.ValueOf(&r).Elem(), reflect.ValueOf(&s).Elem()
	for _, field := range stateFields() {
		row.FieldByIndex(field.inRow).Set(state.Field(field.inState))
	}
	return r
}

// Becomes returns the action that puts the row into another state.
func (r Row) Becomes(after State, kind, reason string) Action {
	return Action{Memory: r.Memory.ID, Kind: kind, Reason: reason, Before: r.State(), After: after, Cursor: r.Cursor}
}

// Changed names the fields, by their JSON names, in which two states differ.
func (s State) Changed(from State) []string {
	var names []string
	is, was := reflect.ValueOf(s), reflect.ValueOf(from)
	for _, field := range stateFields() {
		if !SameStored(is.Field(field.inState), was.Field(field.inState)) {
			names = append(names, field.name)
		}
	}
	return names
}

// Patch returns the state with the named fields copied from another.
func (s State) Patch(names []string, from State) State {
	into, other := reflect.ValueOf(&s).Elem(), reflect.ValueOf(from)
	for _, field := range stateFields() {
		if slices.Contains(names, field.name) {
			into.Field(field.inState).Set(other.Field(field.inState))
		}
	}
	return s
}

// SameStored reports whether two fields of a State are stored alike: an empty list is stored like no list, and times without
// their zones.
func SameStored(a, b reflect.Value) bool {
	if t, isTime := a.Interface().(time.Time); isTime {
		return t.Equal(b.Interface().(time.Time))
	}
	if a.Kind() == reflect.Slice && a.Len() == 0 && b.Len() == 0 {
		return true
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// Only returns the named fields as a JSON object. Empty fields may be missing.
func (s State) Only(names []string) map[string]any {
	object := map[string]any{}
	data, _ := json.Marshal(s) // a state holds nothing that JSON cannot
	_ = json.Unmarshal(data, &object)
	maps.DeleteFunc(object, func(name string, _ any) bool { return !slices.Contains(names, name) })
	return object
}

// Recorded returns the fields of the action's states that are recorded, as JSON objects.
func (a Action) Recorded() (before, after map[string]any) {
	names := append(a.After.Changed(a.Before), a.Fields...)
	before, after = a.Before.Only(names), a.After.Only(names)
	for _, name := range a.Fields {
		if _, isThere := after[name]; !isThere {
			after[name] = nil // the field is empty
		}
	}
	return before, after
}

// stateField is a field of a State, which is a column of the row with the same name.
type stateField struct {
	name    string
	inState int
	inRow   []int
}

var allStateFields struct {
	once sync.Once
	all  []stateField
}

// stateFields returns the fields of a State. They are found on first use, like rowTypes.
func stateFields() []stateField {
	allStateFields.once.Do(func() {
		columns := ColumnsOf(reflect.TypeFor[Row]())
		for i, field := range ColumnsOf(reflect.TypeFor[State]()) {
			at := slices.IndexFunc(columns, func(c Column) bool { return c.Name == field.Name })
			allStateFields.all = append(allStateFields.all, stateField{field.Name, i, columns[at].Field})
		}
	})
	return allStateFields.all
}

type Run struct {
	ID          string    `json:"id"`
	Job         string    `json:"job" holds:"word"`
	Trigger     string    `json:"trigger" holds:"word"` // cron, idle, session_end, manual, or the program that asked for a change
	StartedAt   time.Time `json:"started_at"`
	EndedAt     time.Time `json:"ended_at,omitzero"` // zero while it runs, or if it was interrupted
	Examined    int       `json:"examined"`          // number of rows
	Changed     int       `json:"changed"`           // number of rows
	TokensFreed int       `json:"tokens_freed"`      // tokens of the rows that recall no longer shows
	Error       string    `json:"error,omitempty"`
	Notes       []string  `json:"notes,omitempty"` // skipped work with reasons; for a change by hand, the changes
	Actions     []Action  `json:"actions,omitempty" column:"-"`
}

func (r *Run) Add(a Action) {
	a.ID = fmt.Sprintf("%s-%06d", r.ID, len(r.Actions))
	r.Actions = append(r.Actions, a)
	r.Examined, r.Changed = r.Examined+1, r.Changed+1
}

// Action is one change of a run: a memory with its states before and after.
type Action struct {
	ID     string `json:"id"`
	Memory string `json:"memory" holds:"id"`
	Kind   string `json:"kind" holds:"word"` // such as ActionAmend or a kind of package policy
	Reason string `json:"reason"`
	Before State  `json:"before" column:"before,object"`
	After  State  `json:"after" column:"after,object"`

	// Cursor is the row's cursor at planning: a row that has changed since is skipped. Needs is a memory that must be active for
	// the action to be applied, such as the target of a merge; empty for none.
	Cursor ChangeCursor `json:"-"`
	Needs  string       `json:"-" holds:"id"`
	// Group is the same for the actions of a step that are applied together or not at all, such as the actions of a
	// merge; empty for none.
	Group string `json:"-" holds:"id"`
	// Freed is the number of tokens that the action removes from recall.
	Freed int `json:"-"`
	// Fields lists the fields of a decision that are recorded even if they did not change. The journal has them, so that a rebuilt store records them, too.
	Fields []string `json:"fields,omitempty" column:"-" holds:"word"`
	// Rejected is the value of Row.Rejected after a decision; nil: the action decides the value.
	Rejected *bool `json:"-"`
}

// ActionAmend is the kind of an action that a person or model requested.
const ActionAmend = "amend"

// Commit holds the writes of one step of a run, which are applied together.
type Commit struct {
	Run Run // Actions are of this step only; the counts are of all steps so far
	// Job, if set, is the job's progress after the step.
	Job *JobState
	// Lease, if set, must still be held, or nothing is written: ErrLeaseLost.
	Lease *Lease
	// Exempt sets Row.Exempt on the memories of the actions.
	Exempt bool
	// Distillation, if set, replaces an entry in the queue of distillation.
	Distillation *Distillation
	// Old lists rows of events to delete.
	Old []EventRow
}

// Subject describes the commit in errors.
func (c Commit) Subject() string {
	if c.Distillation != nil {
		return "the state of the distillation of session " + c.Distillation.Session
	}
	return "run " + c.Run.ID + " of " + c.Run.Job
}

type JobState struct {
	Job string `column:"id"`
	// Cursor is the last change that the job has processed.
	Cursor ChangeCursor `column:"cursor"`
	// Slot is the last scheduled time that the job has run for.
	Slot time.Time `column:"slot"`
}

// RunQuery selects maintenance runs, the newest first.
type RunQuery struct {
	// ID selects the run with that id, or up to two runs whose ids begin with it; a single match includes its ordered
	// actions. The other fields are ignored then.
	ID    string
	Open  bool // selects unfinished runs only, the oldest first
	Limit int  // 0 means 100
}

type Leaser interface {
	Lease(ctx context.Context, l Lease, d time.Duration) (Lease, error)
}

// Lease is an exclusive right that one process holds at a time.
type Lease struct {
	Name   string
	Holder string
	// Token is the fencing token: it grows with each new holder, so that the store refuses writes under an older token.
	Token int
}

// Use records that a session used a memory. A session's use of a memory counts once.
type Use struct {
	Memory  string    `json:"memory" column:"in,of memory"`
	Session string    `json:"session" column:"out,of session"`
	At      time.Time `json:"at"`
}

// Key returns the identifying part of the use; a store has each key once.
func (u Use) Key() Use { return Use{Memory: u.Memory, Session: u.Session} }

// ActiveDay records activity in a project on a UTC day.
type ActiveDay struct {
	Project string `json:"project" holds:"id"`
	Day     string `json:"day" holds:"word"` // 2006-01-02
}

// ChangeQuery asks for a page of the changes of memories.
type ChangeQuery struct {
	After ChangeCursor // changes after it
	Limit int
}

// ChangePage is a page of changed rows. The rows have the stored numbers of sessions and projects; Store.Rows counts
// them again from the sightings.
type ChangePage struct {
	Rows   []Row        // the oldest change first
	Cursor ChangeCursor // cursor for the next query
	Last   bool         // whether this is the last page
}

// Sleep waits for d. It returns false if ctx ends first.
func Sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// releaseTime limits the release of a lease.
const releaseTime = 2 * time.Second

// HoldLease extends a lease until release is called, which gives it back. The returned context ends when another holder has
// taken the lease over. If the store does not answer, it tries again, because only the store can decide that the lease
// is lost. release fails with the store's error; the lease then expires by itself.
func HoldLease(ctx context.Context, leaser Leaser, l Lease, d time.Duration) (held context.Context, release func() error) {
	held, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(d / 3)
		defer ticker.Stop()
		for {
			select {
			case <-held.Done():
				return
			case <-ticker.C:
			}
			if _, err := leaser.Lease(held, l, d); errors.Is(err, ErrLeaseLost) {
				cancel(err)
				return
			}
		}
	}()
	return held, func() error {
		cancel(nil)
		<-ended
		// Even if the caller has given up, because others wait for the lease.
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
		defer stop()
		_, err := leaser.Lease(ctx, l, 0)
		return err
	}
}
