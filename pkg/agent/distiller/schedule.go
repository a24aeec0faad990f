package distiller

import (
	"context"

	"github.com/robfig/cron/v3"
)

// Start has the queue looked through on its schedule, until ctx ends. A start asks
// nothing by itself: queued sessions wait for the schedule or the next session. The
// function it returns waits for the end of the schedule.
func (d *Distiller) Start(ctx context.Context) (stop func()) {
	if d.Model == nil || d.Settings.Cron == "" {
		return func() {}
	}
	schedule, err := cron.ParseStandard(d.Settings.Cron)
	if err != nil {
		d.Log.Error("the queue of distillation is looked through after sessions only: distill.cron cannot be used", "error", err)
		return func() {}
	}
	c := cron.New()
	c.Schedule(schedule, cron.FuncJob(func() { d.Work(ctx) }))
	c.Start()
	return func() { <-c.Stop().Done() }
}
