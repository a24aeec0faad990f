package wire

import (
	"context"

	surrealdb "github.com/surrealdb/surrealdb.go"
)

// personName is the name of the person who has signed in; empty: a user of the server has, who needs no rights of a
// person.
func (c *Conn) personName(ctx context.Context, db *surrealdb.DB, endpoint Endpoint) (string, error) {
	if endpoint.Access == "" && endpoint.Token == "" {
		return "", nil
	}
	rows, err := c.once(ctx, db, "RETURN $auth.name ?? ''", nil)
	if err != nil {
		return "", classify(err)
	}
	var name string
	err = rows.Decode(0, &name)
	return name, err
}

// Place begins the ids of rows without an owner that a person has of their own, such as leases; empty: the
// connection is no person's.
func (c *Conn) Place(ctx context.Context) (string, error) {
	current, err := c.link(ctx)
	if err != nil || current.person == "" {
		return "", err
	}
	return "~" + current.person + "/", nil
}
