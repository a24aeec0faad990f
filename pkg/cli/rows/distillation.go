package rows

import (
	"fmt"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
)

// Distillation says how distillation stands.
func Distillation(s agentapi.DistillStatus) string {
	if !s.Enabled {
		return "distillation is switched off"
	}
	line := fmt.Sprintf("%d of %d tokens today, %s waiting", s.Today, s.DayTokens, terminal.Counted(s.Waiting, "session"))
	if s.Dead > 0 {
		line += fmt.Sprintf(", %d given up", s.Dead)
	}
	if s.Stopped != "" {
		line += "; stopped: " + terminal.Printable(s.Stopped)
	}
	return line
}
