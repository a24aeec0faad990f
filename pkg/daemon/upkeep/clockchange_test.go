package upkeep_test

import (
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/robfig/cron/v3"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/upkeep"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestWhatIsDueOnceADayIsDueOnEachDay, also where clocks change: the zones change theirs at each hour at which one does.
func TestWhatIsDueOnceADayIsDueOnEachDay(t *testing.T) {
	daily := map[string]string{"maintenance": schedule.Daily, "backup": upkeep.BackupAt}
	for _, zone := range []string{
		"UTC", "America/Santiago", "America/Havana", "Africa/Cairo", "Asia/Beirut", "Atlantic/Azores", "America/Nuuk", "America/Scoresbysund", "Europe/London",
		"America/New_York", "Asia/Jerusalem", "Australia/Sydney", "Australia/Lord_Howe", "Antarctica/Troll", "Europe/Berlin", "Europe/Chisinau", "Europe/Helsinki",
		"Africa/Casablanca", "Pacific/Auckland", "Pacific/Chatham", "Pacific/Norfolk", "Asia/Gaza",
	} {
		where := musttest.Get(time.LoadLocation(zone))(t)
		for job, expression := range daily {
			when := musttest.Get(cron.ParseStandard(expression))(t)
			due := map[string]int{}
			for at := when.Next(time.Date(2026, 1, 1, 0, 0, 0, 0, where)); at.Year() < 2029; at = when.Next(at) {
				due[at.Format(time.DateOnly)]++
			}
			for noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC); noon.Year() < 2029; noon = noon.Add(24 * time.Hour) {
				if day := noon.Format(time.DateOnly); due[day] != 1 {
					t.Errorf("%s is due %d times on %s in %s", job, due[day], day, zone)
				}
			}
		}
	}
}
