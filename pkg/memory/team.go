package memory

// Team is a store's people as somebody sees them.
type Team struct {
	You Person `json:"you"`
	// People are all of the store for whoever has its credentials, and else the person alone.
	People  []TeamPerson `json:"people"`
	Members []Membership `json:"members"` // of the projects that the person reads
}

// TeamPerson is one who signs in to the store.
type TeamPerson struct {
	Name   string `json:"name"`
	Active bool   `json:"active"`
}

// Role is the right of a member of a shared project.
type Role string

// The roles: a reader reads, a member writes too, an admin says who else does.
const (
	RoleReader Role = "reader"
	RoleMember Role = "member"
	RoleAdmin  Role = "admin"
)

// Membership is a person's part in a shared project.
type Membership struct {
	Project string `json:"project"`
	Person  string `json:"person"`
	Role    Role   `json:"role"`
	// Sharing says that the person's new memories of the project go into it, by that person's own word.
	Sharing bool `json:"sharing"`
}

// TeamChange is a change of somebody's rights.
type TeamChange struct {
	Do      TeamAction `json:"do"`
	Person  string     `json:"person,omitempty"`
	Pass    string     `json:"pass,omitempty"`
	Project string     `json:"project,omitempty"` // as clients name it
	Role    Role       `json:"role,omitempty"`
	// Past has the rows that the person already has of the project shared, too.
	Past bool `json:"past,omitempty"`
}

// TeamAction is a kind of change.
type TeamAction string

// The changes. Whoever has the store's credentials adds and removes people; who leads a project lets people into it; each shares for
// themselves.
const (
	TeamAdd     TeamAction = "add"
	TeamRemove  TeamAction = "remove"
	TeamLet     TeamAction = "let"
	TeamExpel   TeamAction = "expel"
	TeamShare   TeamAction = "share"
	TeamUnshare TeamAction = "unshare"
)
