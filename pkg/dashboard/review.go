package dashboard

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
)

// reviewed is how many memories of the queue are shown at once.
const reviewed = 20

// review is the data of the queue of memories that rules have kept.
type review struct{ agentapi.ReviewResult }

func (p *pages) review(ctx context.Context, v visit) (page, error) {
	result, err := ask(ctx, p.agent, agentapi.MethodReview, agentapi.ReviewParams{Project: v.project, Limit: reviewed})
	return page{"review", "Review", review{result}}, err
}
