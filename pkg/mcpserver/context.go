package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
)

// ContextURI is the URI of the text with which a session of this project starts.
const ContextURI = "memory://project/context"

// reviewPrompt is the name of the server's prompt.
const reviewPrompt = "review_memories"

// mostReviewed is the maximum number of memories in a review.
const mostReviewed = 100

func (t *tools) addContext(server *mcp.Server) {
	server.AddResource(&mcp.Resource{
		URI: ContextURI, Name: "project-context", Title: "What this project remembers", MIMEType: "text/markdown",
		Description: "The text that the next session of this project starts with: open todos, conventions, recent sessions, preferences.",
	}, t.readContext)
	server.AddPrompt(&mcp.Prompt{
		Name: reviewPrompt, Title: "Review the memories",
		Description: "Go through the memories of this project and correct them.",
	}, t.review)
}

func (t *tools) readContext(ctx context.Context, _ *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	given, err := daemonapi.MethodSessionContext.Ask(ctx, t.call, daemonapi.SessionContextParams{
		Project: t.Project.Key, Root: t.Project.Root, Dir: t.Project.Dir, TokenBudget: t.ContextBudget,
		WaitMS: int(callTime.Milliseconds()),
	})
	if err != nil {
		return nil, err
	}
	if given.Text == "" {
		given.Text = "Nothing is remembered of this project yet.\n"
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
		{URI: ContextURI, MIMEType: "text/markdown", Text: given.Text},
	}}, nil
}

const reviewTask = `Review with me what is remembered of this project, listed below with ids.
Check each against the code and its history. Then tell me, in one list and before changing anything:
- what is wrong or outdated (forget_memory with a reason, or update_memory),
- what says the same twice (keep the better one, forget the other),
- what is done (todos), and what is missing and should be stored.
Change what I agree to.

`

func (t *tools) review(ctx context.Context, _ *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	kinds := append([]memory.Kind{memory.KindFix}, kindsToKeep...)
	filter := memory.Filter{
		Project: t.Project.Key, Kinds: kinds, Statuses: []memory.Status{memory.StatusActive},
		Limit: mostReviewed,
	}
	found, err := daemonapi.MethodMemories.Ask(ctx, t.call, filter)
	if err != nil {
		return nil, err
	}
	return &mcp.GetPromptResult{
		Description: "Review the memories of " + t.Project.Name,
		Messages:    []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: reviewTask + listed(briefs(found))}}},
	}, nil
}

// listed returns memories as lines between our tags, which mark them as a record and keep them from being captured again.
func listed(all []Brief) string {
	var lines strings.Builder
	for _, b := range all {
		_, _ = fmt.Fprintf(&lines, "- [%s] %s %s by %s (%d tokens): %s\n", b.ID, b.Date, b.Kind, b.Source, b.Tokens, b.Title)
	}
	return "<" + redact.Tag + ">\n" + memory.Preamble + "\n" + lines.String() + "</" + redact.Tag + ">"
}
