package wire

import "context"

// exec runs a query once. It is sent again only when the server cannot have seen it, or answered that it rolled
// everything back and that it can be retried.
//
// Errors: *StatementError for the statement that failed, ErrUnavailable, ErrStorage, ErrDamaged, ErrAuth, ErrClosed, or
// the end of ctx.
func (c *Conn) exec(ctx context.Context, sql string, vars map[string]any) (Results, error) {
	return c.Run(ctx, Request{SQL: sql, Vars: vars})
}

// OwesAnswer tells whether the server has a request to answer.
func (c *Conn) OwesAnswer() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.live.socket.mu.Lock()
	defer c.live.socket.mu.Unlock()
	return !c.live.socket.silent.IsZero()
}
