package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/schedule"
)

type consolidateInput struct {
	DryRun *bool  `json:"dry_run,omitempty" jsonschema:"Only tell the planned changes; true unless given."`
	Job    string `json:"job,omitempty" jsonschema:"Only this job; all if left out."`
}

type consolidateOutput struct {
	DryRun bool     `json:"dry_run"`
	Queued bool     `json:"queued,omitempty" jsonschema:"it runs, or waits for its turn, and goes on by itself"`
	Jobs   []jobRun `json:"jobs"`
}

type jobRun struct {
	Job      string   `json:"job"`
	Run      string   `json:"run,omitempty" jsonschema:"its id: the user can take it back with ! memory undo"`
	Freed    int      `json:"tokens_freed,omitempty"`
	Examined int      `json:"examined"`
	Changed  int      `json:"changed"`
	Reasons  []string `json:"reasons,omitempty" jsonschema:"of the first changes"`
	Error    string   `json:"error,omitempty"`
}

type statusInput struct{}

type statusOutput struct {
	Agent   string         `json:"agent" jsonschema:"ready, starting, or waiting for its database"`
	Reason  string         `json:"reason,omitempty"`
	Engine  string         `json:"engine"`
	Project string         `json:"project"`
	Session string         `json:"session"`
	Off     bool           `json:"off" jsonschema:"the user has switched the memory off for this project"`
	Waiting int            `json:"waiting" jsonschema:"events that are not in the database yet"`
	Dead    int            `json:"dead" jsonschema:"events that could not be stored"`
	Counts  map[string]int `json:"counts,omitempty" jsonschema:"rows of the whole store"`
}

func (t *tools) addMaintaining(server *mcp.Server) {
	addTool(t, server, effects(false, true, false, "reflect_and_consolidate", "Consolidate the memory",
		"Run the maintenance that otherwise runs by itself: "+summaries()+
			". Nothing is lost: archived memories can be restored, and each run can be undone. Unless dry_run is false it only tells the planned changes."),
		// Without a default, which the SDK (v1.8.0) panics at where arguments are null.
		limits{"job": oneOf(schedule.JobNames()...), "dry_run": optional("boolean")}, t.consolidate)
	addTool(t, server, reads("memory_status", "Memory status",
		"How the memory is: whether its agent and database answer, how much is stored, and whether anything waits or failed."), nil, t.status)
}

// summaries lists the jobs with their work.
func summaries() string {
	var all []string
	for _, job := range schedule.Jobs() {
		all = append(all, job.Summary+" ("+job.Name+")")
	}
	return strings.Join(all, ", ")
}

// mostReasons limits the reasons in the result of a run.
const mostReasons = 20

func (t *tools) consolidate(
	ctx context.Context, _ *mcp.CallToolRequest, in consolidateInput,
) (*mcp.CallToolResult, consolidateOutput, error) {
	out := consolidateOutput{DryRun: in.DryRun == nil || *in.DryRun, Jobs: []jobRun{}}
	var runs []memory.Run
	params := agentapi.ConsolidateParams{Trigger: "mcp", DryRun: out.DryRun, Job: in.Job}
	err := t.agent.callWithin(ctx, consolidateTime, agentapi.MethodConsolidate.Call(params, &runs))
	if !out.DryRun && errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		out.Queued = true
		return answer("Maintenance runs or waits for its turn, and goes on by itself."), out, nil
	}
	if err != nil {
		return nil, out, explain(err)
	}
	var text strings.Builder
	for _, run := range runs {
		job := jobRun{Job: run.Job, Examined: run.Examined, Changed: run.Changed, Freed: run.TokensFreed, Error: harmless(run.Error)}
		if !out.DryRun && run.Changed > 0 {
			job.Run = run.ID
		}
		for _, action := range run.Actions[:min(mostReasons, len(run.Actions))] {
			job.Reasons = append(job.Reasons, memory.ShortID(action.Memory)+": "+harmless(memory.ShortenIDs(action.Reason)))
		}
		out.Jobs = append(out.Jobs, job)
		verb := "changed"
		if out.DryRun {
			verb = "would change"
		}
		_, _ = fmt.Fprintf(&text, "%s: looked at %d, %s %d\n", job.Job, job.Examined, verb, job.Changed)
	}
	return answer("%s", text.String()), out, nil
}

func (t *tools) status(ctx context.Context, _ *mcp.CallToolRequest, _ statusInput) (*mcp.CallToolResult, statusOutput, error) {
	out := statusOutput{Project: t.Project.Name, Session: t.Session, Off: t.Project.IsOff(t.Paths.OffMark(t.Project.Key))}
	status, err := agentapi.MethodStatus.Ask(ctx, t.call, agentapi.None{})
	if err != nil {
		return nil, out, err
	}
	out.Agent, out.Reason = status.State, harmless(status.Reason)
	out.Engine = status.Engine.Name
	out.Waiting, out.Dead = status.Spool.New+status.Spool.Claimed, status.Spool.Dead
	stored := "The database cannot be reached: " + out.Reason
	if s := status.Store; s != nil {
		out.Counts = map[string]int{
			"memories": s.Memories, "sessions": s.Sessions, "prompts": s.Prompts,
			"projects": s.Projects, "runs": s.Runs,
		}
		stored = fmt.Sprintf("%d memories of %d projects and %d sessions", s.Memories, s.Projects, s.Sessions)
	}
	return answer("Agent %s, engine %s. %s. %d events wait, %d could not be stored. This is the project %s, session %s.",
		out.Agent, out.Engine, stored, out.Waiting, out.Dead, out.Project, out.Session), out, nil
}
