package surreal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const teamSQL = `
SELECT record::id(id) AS name, active FROM person ORDER BY name;
SELECT project, person, role, sharing ?? false AS sharing FROM membership ORDER BY project, person;`

// Team implements storetest.Store.
func (s *Store) Team(ctx context.Context, c memory.TeamChange) (memory.Team, error) {
	if c.Do != "" {
		if err := s.changeTeam(ctx, c); err != nil {
			return memory.Team{}, err
		}
	}
	you, err := s.Person(ctx)
	if err != nil {
		return memory.Team{}, err
	}
	team := memory.Team{You: you, People: []memory.TeamPerson{}, Members: []memory.Membership{}}
	result, err := s.ask(ctx, "read the team", teamSQL, nil)
	if err != nil {
		return memory.Team{}, err
	}
	return team, errors.Join(result.Decode(0, &team.People), result.Decode(1, &team.Members))
}

// Each of these returns the rows that it has changed.
const (
	addPersonSQL = `INSERT INTO person { id: $person, active: true, pass: crypto::argon2::generate($pass) } RETURN VALUE id`
	// removePersonSQL keeps the row, so that the name is not given to another.
	removePersonSQL = `UPDATE $person SET active = false, pass = NONE WHERE active RETURN VALUE id; DELETE membership WHERE person = $name RETURN NONE`
	letSQL          = `IF record::exists($membership) { UPDATE $membership SET role = $role RETURN VALUE id }
	ELSE { CREATE $membership SET project = $project, person = $name, role = $role RETURN VALUE id }`
	expelSQL = `RETURN (DELETE $membership RETURN BEFORE).id`
	shareSQL = `IF record::exists($membership) { UPDATE $membership SET sharing = true WHERE role IN ['member', 'admin'] RETURN VALUE id }
	ELSE { CREATE $membership SET project = $project, person = $name, role = 'admin', sharing = true RETURN VALUE id };
INSERT IGNORE INTO project (SELECT VALUE { id: type::record('project', $project), name: name, root: root, seen_at: seen_at }
	FROM type::record('project', $private) WHERE id != NONE) RETURN NONE;`
	unshareSQL = `UPDATE $membership SET sharing = false RETURN VALUE id`
	// pastSQL moves the person's rows into the shared project.
	pastSQL = `
INSERT IGNORE INTO active_day (SELECT VALUE { id: type::record('active_day', $project + '/' + day), project: $project, day: day }
	FROM active_day WHERE project = $private) RETURN NONE;
UPDATE memory SET project = $project, changed_at = time::nano(), due_on = 0 WHERE project = $private RETURN NONE;
UPDATE session SET project = $project WHERE project = $private RETURN NONE;
UPDATE prompt SET project = $project WHERE project = $private RETURN NONE;`
	// withdrawSQL takes some of the person's memories out of a shared project, with the person's own sightings. They get ids of
	// the person's own: the others may say the same, and are not to run into what they must not see.
	withdrawSQL = `
BEGIN;
LET $mine = (SELECT * FROM memory WHERE project = $project AND owner = $name LIMIT $batch);
LET $seen = (SELECT * FROM seen_in WHERE in IN $mine.id AND owner = $name);
DELETE $seen.id RETURN NONE;
DELETE $mine.id RETURN NONE;
INSERT INTO memory $mine.map(|$m| object::extend($m, { id: type::record('memory', IF string::contains(record::id($m.id), '~') THEN record::id($m.id) ELSE record::id($m.id) + '~' + $name END), project: $private, changed_at: time::nano(), due_on: 0 })) RETURN NONE;
INSERT RELATION IGNORE INTO seen_in $seen.map(|$e| object::extend($e, { in: type::record('memory', IF string::contains(record::id($e.in), '~') THEN record::id($e.in) ELSE record::id($e.in) + '~' + $name END) })) RETURN NONE;
RETURN array::len($mine);
COMMIT;`
	leaveSQL = `
UPDATE session SET project = $private WHERE project = $project AND owner = $name RETURN NONE;
UPDATE prompt SET project = $private WHERE project = $project RETURN NONE;`
	withdrawBatch = 100
)

// leastShared is the oldest engine that a store which several share may run on: that of which it was tested that it shows nobody
// the ends of another's edges.
var leastShared = []int{3, 3, 5}

func (s *Store) changeTeam(ctx context.Context, c memory.TeamChange) error {
	place, err := s.place(ctx, fmt.Sprintf("%s %s", c.Do, c.Person))
	if err != nil {
		return err
	}
	you := strings.Trim(place, "~/")
	if err := s.checkTeamChange(ctx, c, you); err != nil {
		return err
	}
	name := c.Person
	if c.Do == memory.TeamShare || c.Do == memory.TeamUnshare {
		name = you
	}
	vars := map[string]any{
		"person": recordID("person", name), "name": name, "pass": c.Pass, "project": c.Project, "role": string(c.Role), "private": place + c.Project,
		"membership": models.RecordID{Table: "membership", ID: []any{c.Project, name}},
	}
	if c.Do == memory.TeamUnshare {
		if err := s.withdraw(ctx, "withdraw what you share of "+c.Project, vars); err != nil {
			return err
		}
	}
	sql := map[memory.TeamAction]string{
		memory.TeamAdd: addPersonSQL, memory.TeamRemove: removePersonSQL, memory.TeamLet: letSQL, memory.TeamExpel: expelSQL,
		memory.TeamShare: shareSQL, memory.TeamUnshare: unshareSQL,
	}[c.Do]
	purpose := fmt.Sprintf("%s %s", c.Do, name)
	result, err := s.administer(ctx, purpose, sql, vars)
	if err != nil {
		return err
	}
	var changed []any
	if err := result.Decode(0, &changed); err != nil {
		return fmt.Errorf("%s: %w", purpose, err)
	}
	if len(changed) == 0 {
		return refusedTeamChange(c)
	}
	if c.Do == memory.TeamShare && c.Past {
		_, err = s.administer(ctx, "share what you know of "+c.Project, pastSQL, vars)
	}
	return err
}

// checkTeamChange is an error if a change cannot be made by you, who are no person if that is empty.
func (s *Store) checkTeamChange(ctx context.Context, c memory.TeamChange, you string) error {
	switch c.Do {
	case memory.TeamAdd, memory.TeamRemove:
		if you != "" {
			return fmt.Errorf("%s %s: only who has the store's own credentials (SURREAL_USER without SURREAL_ACCESS) does that, and you are %s: %w", c.Do, c.Person, you, memory.ErrInvalid)
		}
		if !memory.IsPersonName(c.Person) {
			return fmt.Errorf("%.40q cannot name a person: use 1 to 40 of a-z 0-9 . _ -: %w", c.Person, memory.ErrInvalid)
		}
		if c.Do == memory.TeamAdd {
			if err := s.isForSharing(ctx); err != nil {
				return err
			}
			return s.defineRights(ctx)
		}
	case memory.TeamLet, memory.TeamExpel:
		if c.Person == "" || c.Project == "" {
			return fmt.Errorf("name the person and the project: %w", memory.ErrInvalid)
		}
	default:
		if you == "" {
			return fmt.Errorf("you use this store by its own credentials, and a project is shared by a person: memory team add NAME makes one: %w", memory.ErrInvalid)
		}
	}
	return nil
}

func (s *Store) defineRights(ctx context.Context) error {
	_, err := s.administer(ctx, "define what people may", s.Rights, nil)
	return err
}

// RenewRights defines people's rights anew, after a change of the schema. A store without people stays closed to them.
func (s *Store) RenewRights(ctx context.Context) error {
	team, err := s.Team(ctx, memory.TeamChange{})
	if err != nil || len(team.People) == 0 {
		return err
	}
	return s.defineRights(ctx)
}

// isForSharing is an error if the engine is too old for several people.
func (s *Store) isForSharing(ctx context.Context) error {
	version, err := s.conn.Version(ctx)
	if err != nil {
		return domain(err)
	}
	released, _, _ := strings.Cut(version, "-")
	var numbers []int
	for part := range strings.SplitSeq(released, ".") {
		number, _ := strconv.Atoi(part)
		numbers = append(numbers, number)
	}
	if slices.Compare(numbers, leastShared) < 0 {
		return fmt.Errorf("the server is SurrealDB %s, and several people may share one from 3.3.5 on: older ones show edges of private rows; update the server: %w", version, memory.ErrInvalid)
	}
	return nil
}

// withdraw takes the person's rows out of a shared project.
func (s *Store) withdraw(ctx context.Context, purpose string, vars map[string]any) error {
	vars["batch"] = withdrawBatch
	for gone := withdrawBatch; gone == withdrawBatch; {
		result, err := s.administer(ctx, purpose, withdrawSQL, vars)
		if err != nil {
			return err
		}
		if err := result.Decode(len(result)-2, &gone); err != nil {
			return fmt.Errorf("%s: %w", purpose, err)
		}
	}
	_, err := s.administer(ctx, purpose, leaveSQL, vars)
	return err
}

// refusedTeamChange says why nothing has changed.
func refusedTeamChange(c memory.TeamChange) error {
	why := map[memory.TeamAction]string{
		memory.TeamRemove:  "there is no such person, or it was removed before",
		memory.TeamLet:     "only an admin of the project lets people in",
		memory.TeamExpel:   "the person is not in the project, or you are not its admin",
		memory.TeamShare:   "others share it, and have not let you in as a member: ask one of its admins for memory team role YOU member",
		memory.TeamUnshare: "you are not in the project",
	}[c.Do]
	return fmt.Errorf("%s: %s %s %s: %w", why, c.Do, c.Person, c.Project, memory.ErrInvalid)
}
