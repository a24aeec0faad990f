package dashboard

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
)

// reviewPage is how many memories of the queue are shown at once.
const reviewPage = 20

// review is the data of the queue of memories that rules have kept.
type review struct{ agentapi.ReviewResult }

func (p *pages) review(ctx context.Context, v visit) (page, error) {
	result, err := ask(ctx, p.agent, agentapi.MethodReview, agentapi.OfProject{Project: v.project, Limit: reviewPage})
	return page{"review", "Review", review{result}}, err
}
