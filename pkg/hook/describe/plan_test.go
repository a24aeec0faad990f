package describe_test

import (
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
)

// The drafts of plans that the client keeps in its own folder are no files of the project.
// A folder of that name in the project is.
func TestADraftOfAPlanIsNoWorkOnTheProject(t *testing.T) {
	for file, isWork := range map[string]bool{
		"/home/ada/.claude/plans/brave-otter.md": false,
		"/home/ada/.config/cc/plans/otter.md":    false,
		"/home/ada/.claude/CLAUDE.md":            true,
		"/home/ada/web/.claude/plans/export.md":  true,
		"/home/ada/web/docs/plans/export.md":     true,
	} {
		for _, tool := range []string{"Write", "Edit", "Read"} {
			input, err := hookio.Decode(strings.NewReader(`{"session_id":"s1","hook_event_name":"PostToolUse","tool_name":"` + tool + `","tool_input":{"file_path":"` + file + `","content":"a","new_string":"a"}}`))
			if err != nil {
				t.Fatal(err)
			}
			event := describe.ToolUse(describe.Occurrence{Input: input, Project: project.Project{Key: "p", Root: "/home/ada/web", Dir: "/home/ada/web"}, At: time.Now()}, func(string) bool { return false })
			if err != nil || (event.File != "") != isWork {
				t.Errorf("%s of %s is %+v, %v", tool, file, event, err)
			}
		}
	}
}
