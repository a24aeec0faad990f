package wire

import "context"

// exec runs a query once. It repeats it only if the server cannot have received it, or reports that it was rolled
// back completely and can be retried.
//
// Errors: *StatementError for the statement that failed, ErrUnavailable, ErrStorage, ErrDamaged, ErrAuth, ErrClosed, or
// the end of ctx.
func (c *Conn) exec(ctx context.Context, sql string, vars map[string]any) (Results, error) {
	return c.Run(ctx, Request{SQL: sql, Vars: vars})
}
