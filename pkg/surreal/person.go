package surreal

import (
	"context"
	"fmt"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// personSQL is whom the database knows the connection as.
const personSQL = "SELECT name, reads, writes, leads FROM person WHERE id = $auth.id AND active"

// Person implements storetest.Store.
func (s *Store) Person(ctx context.Context) (memory.Person, error) {
	place, err := s.conn.Place(ctx)
	if err != nil {
		return memory.Person{}, fmt.Errorf("ask who is signed in: %w", domain(err))
	}
	if place == "" {
		return memory.Person{}, nil
	}
	result, err := s.conn.ExecIdempotent(ctx, personSQL, nil)
	if err != nil {
		return memory.Person{}, fmt.Errorf("ask who is signed in: %w", domain(err))
	}
	var found []memory.Person
	if err := result.Decode(0, &found); err != nil {
		return memory.Person{}, fmt.Errorf("ask who is signed in: %w", err)
	}
	if len(found) == 0 {
		return memory.Person{}, fmt.Errorf("ask who is signed in: %w", domain(fmt.Errorf("%w: the person was removed from the team", wire.ErrAuth)))
	}
	return found[0], nil
}

// keysOf are the keys of a project's rows: of a shared one a person also has rows of their own.
func (s *Store) keysOf(ctx context.Context, project string) ([]string, error) {
	place, err := s.conn.Place(ctx)
	if err != nil {
		return nil, domain(err)
	}
	if place == "" || memory.PrivateTo(project) != "" {
		return []string{project}, nil
	}
	return []string{project, place + project}, nil
}

// mayAdminister is memory.ErrInvalid if the store is used as a person: it would be done in part.
func (s *Store) mayAdminister(ctx context.Context, what string) error {
	person, err := s.Person(ctx)
	if err != nil {
		return err
	}
	return person.MayAdminister(what)
}

// writtenSQL looks for the rows that a transaction should have written, because the engine refuses a person's write in silence. It follows the
// transaction: the engine 3.0.2 shows a transaction none of its own rows.
const writtenSQL = "\nSELECT VALUE id FROM $written WHERE id != NONE;"

// missing is memory.ErrRefused with the first row that a person should have written and that is not there.
func missing(result wire.Results, written []models.RecordID) error {
	var there []models.RecordID
	if err := result.Decode(len(result)-1, &there); err != nil {
		return fmt.Errorf("look for what was written: %w", err)
	}
	known := make(map[string]bool, len(there))
	for _, id := range there {
		known[id.String()] = true
	}
	for _, id := range written {
		if !known[id.String()] {
			return fmt.Errorf("a row of the table %s: %w", id.Table, memory.ErrRefused)
		}
	}
	return nil
}
