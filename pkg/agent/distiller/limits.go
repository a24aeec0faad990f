package distiller

import (
	"context"
	"errors"
	"fmt"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// errOff says that distillation is switched off.
var errOff = fmt.Errorf("distillation is switched off: it costs tokens and sends the words of sessions to a model. "+
	"memory distill --estimate 100 says what it would cost, memory distill on switches it on: %w", memory.ErrInvalid)

// errDay: the limit of a day leaves no room for a call.
var errDay = errors.New("the limit of a day is reached (distill.day_tokens)")

// errSession: the limit of a session leaves no room for a call.
var errSession = errors.New("the limit of a session is reached (distill.session_tokens)")

// afford is errDay or errSession if a call of so many tokens would exceed a limit, and
// errOff if none may be made.
func (d *Distiller) afford(ctx context.Context, session string, need int) error {
	if !d.Enabled() {
		return errOff
	}
	today, err := d.spent(ctx, memory.SpendQuery{Since: d.Now()})
	if err != nil {
		return err
	}
	if today+need > d.Settings.DayTokens {
		return fmt.Errorf("%w: %d of %d tokens are spent today, and the next call may need %d; it goes on at 00:00 UTC", errDay, today, d.Settings.DayTokens, need)
	}
	all, err := d.spent(ctx, memory.SpendQuery{Session: session})
	if err != nil {
		return err
	}
	if all+need > d.Settings.SessionTokens {
		return fmt.Errorf("%w: %d of %d tokens are spent, and the next call may need %d", errSession, all, d.Settings.SessionTokens, need)
	}
	return nil
}

func (d *Distiller) spent(ctx context.Context, q memory.SpendQuery) (int, error) {
	totals, err := d.Store.Spent(ctx, q)
	sum := 0
	for _, t := range totals {
		sum += t.Tokens()
	}
	return sum, err
}
