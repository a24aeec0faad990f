package agentclient

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
)

// ErrOutdated says that the agent is one of before builds were compared: it would stay for
// hours after an upgrade.
var ErrOutdated = errors.New("the agent is of an earlier version")

// Meet tells the agent which program is connected; the error is ErrOutdated if it does not
// know the question. distill is the user's answer in the client's dialog, see
// agentapi.Caller; empty: there is none.
func (a Agent) Meet(ctx context.Context, client *Client, distill string) error {
	caller := a.Caller()
	caller.Distill = distill
	err := client.Call(ctx, agentapi.MethodMeet.Call(caller, nil))
	var refused *agentapi.Error
	if errors.As(err, &refused) && refused.Code == agentapi.CodeMethod {
		return fmt.Errorf("%w: %w", ErrOutdated, err)
	}
	return err
}

// Replace ends the agent and starts this plugin's. The old one's claimed events are taken
// in again.
func (a Agent) Replace(ctx context.Context) error {
	if err := End(ctx, a.Paths, PID(a.Paths)); err != nil {
		return fmt.Errorf("replace the agent: %w", err)
	}
	_ = os.Remove(a.Paths.ReadyMark())
	_ = os.Remove(a.Paths.Beat())
	_ = os.Remove(a.Paths.StartMark())
	return a.Start()
}
