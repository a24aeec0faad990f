package capture

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
)

func TestEventsAreSyncedUnlessTheSettingSaysOtherwise(t *testing.T) {
	call := &hook.Call{Config: config.Default()}
	if to(call, "x").Unsynced {
		t.Error("by default an event survives the loss of power")
	}
	call.Config.Hooks.Durability = config.DurabilityProcess
	if !to(call, "x").Unsynced {
		t.Error("process: the hook waits for the disk all the same")
	}
}
