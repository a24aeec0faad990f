package surreal

import (
	"context"
	"fmt"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

// personSQL is whom the database knows the connection as.
const personSQL = "SELECT name, reads, writes, leads FROM person WHERE id = $auth.id AND active"

// Person implements storetest.Store.
func (s *Store) Person(ctx context.Context) (memory.Person, error) {
	place, err := s.place(ctx, "ask who is signed in")
	if err != nil || place == "" {
		return memory.Person{}, err
	}
	found, err := value[[]memory.Person](ctx, s, "ask who is signed in", personSQL, nil)
	if err != nil {
		return memory.Person{}, err
	}
	if len(found) == 0 {
		return memory.Person{}, fmt.Errorf("ask who is signed in: %w", domain(fmt.Errorf("%w: the person was removed from the team", wire.ErrAuth)))
	}
	return found[0], nil
}

// keysOf are the keys of a project's rows: of a shared one a person also has rows of their own.
func (s *Store) keysOf(ctx context.Context, project string) ([]string, error) {
	place, err := s.place(ctx, "look up project "+project)
	if err != nil {
		return nil, err
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
