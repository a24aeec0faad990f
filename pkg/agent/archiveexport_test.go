package agent

import (
	"context"

	"github.com/robfig/cron/v3"
)

// Archive does now what the service's cron does.
func (s *Service) Archive(ctx context.Context, when cron.Schedule) { s.archive(ctx, when) }
