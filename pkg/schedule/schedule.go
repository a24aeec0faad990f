// Package schedule lists the maintenance jobs with the times when they are due, and reads those:
// cron expressions, of which each time comes once a day whichever way the clocks are changed. It
// has no code of the jobs, so that hooks, which read the settings, do not link it.
package schedule

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Schedule is the times of a cron expression.
type Schedule struct {
	minutes, hours, days, months, weekdays uint64 // a bit for each value

	// anyHour is set if the expression goes by the minute of every hour: then it follows the clock's real course,
	// through an hour that comes twice and past one that is left out.
	anyHour bool
	// bothDays is set if a day must be in days and in weekdays; else, in one of them.
	bothDays bool
	zone     *time.Location // nil: that of the time which is asked about
	every    time.Duration  // of @every; 0: the fields count
}

// horizon is how many days ahead a time is looked for: 29 February is there within eight years.
const horizon = 8*366 + 1

// Next is the first time after one; the zero time if there is none within eight years.
// A time of the day that a change of the clocks leaves out is the first moment after the
// gap; of one that comes twice, the first counts.
func (s Schedule) Next(after time.Time) time.Time {
	if s.every > 0 {
		return after.Add(s.every - time.Duration(after.Nanosecond())*time.Nanosecond)
	}
	origin := after.Location()
	if s.zone != nil {
		after = after.In(s.zone)
	}
	day := dateOf(after)
	for range horizon {
		if s.has(day) {
			if at, found := s.onDay(day, after); found {
				return at.In(origin)
			}
		}
		day = day.AddDate(0, 0, 1)
	}
	return time.Time{}
}

// Last is the latest time until now, now included; the zero time if there was none for a
// year.
func (s Schedule) Last(now time.Time) time.Time {
	const year = 366 * 24 * time.Hour
	for back := time.Hour; back < 2*year; back *= 2 {
		at := s.Next(now.Add(-back))
		if at.IsZero() || at.After(now) {
			continue
		}
		for next := s.Next(at); !next.After(now) && !next.IsZero(); next = s.Next(next) {
			at = next
		}
		return at.UTC()
	}
	return time.Time{}
}

// dateOf is the day of a time on the clock there, as noon by UTC, which no change of the
// clocks moves to another day.
func dateOf(t time.Time) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day, 12, 0, 0, 0, time.UTC)
}

func has(set uint64, value int) bool { return set&(1<<uint(value)) != 0 }

func (s Schedule) has(day time.Time) bool {
	if !has(s.months, int(day.Month())) {
		return false
	}
	ofMonth, ofWeek := has(s.days, day.Day()), has(s.weekdays, int(day.Weekday()))
	if s.bothDays {
		return ofMonth && ofWeek
	}
	return ofMonth || ofWeek
}

// onDay is the first time of a day that is after another.
func (s Schedule) onDay(day, after time.Time) (time.Time, bool) {
	if s.anyHour {
		return s.byTheMinute(day, after)
	}
	for hour := range 24 {
		if !has(s.hours, hour) {
			continue
		}
		for minute := range 60 {
			if !has(s.minutes, minute) {
				continue
			}
			if at := moment(day, hour, minute, after.Location()); at.After(after) {
				return at, true
			}
		}
	}
	return time.Time{}, false
}

// byTheMinute goes through a day as its clock does.
func (s Schedule) byTheMinute(day, after time.Time) (time.Time, bool) {
	at := moment(day, 0, 0, after.Location())
	if !at.After(after) {
		at = after.Add(time.Minute - time.Duration(after.Second())*time.Second - time.Duration(after.Nanosecond()))
	}
	for ; dateOf(at).Equal(day); at = at.Add(time.Minute) {
		if has(s.minutes, at.Minute()) {
			return at, true
		}
	}
	return time.Time{}, false
}

// moment is when the clock of a zone first shows an hour and a minute of a day, or is past
// them.
func moment(day time.Time, hour, minute int, zone *time.Location) time.Time {
	at := time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, zone)
	begins, ends := at.ZoneBounds()
	shown := time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), 0, 0, time.UTC)
	wanted := time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, time.UTC)
	switch {
	case shown.After(wanted): // in a gap, counted from its end
		return begins
	case shown.Before(wanted):
		return ends
	case begins.IsZero():
		return at
	}
	_, now := at.Zone()
	_, before := begins.Add(-time.Second).Zone()
	if first := at.Add(-time.Duration(before-now) * time.Second); before > now && first.Before(begins) {
		return first
	}
	return at
}

// Parse reads a cron expression: five fields (minute, hour, day of the month, month, day of
// the week), or a word such as @daily or @every 2h, after CRON_TZ=ZONE and a space, if it
// is for the clock of another zone. Errors: it is none, or names no time.
func Parse(expression string) (Schedule, error) {
	fields := strings.Fields(expression)
	var s Schedule
	if len(fields) > 0 && (strings.HasPrefix(fields[0], "CRON_TZ=") || strings.HasPrefix(fields[0], "TZ=")) {
		_, name, _ := strings.Cut(fields[0], "=")
		zone, err := time.LoadLocation(name)
		if err != nil || name == "" {
			return Schedule{}, fmt.Errorf("%q names no time zone", fields[0])
		}
		s.zone, fields = zone, fields[1:]
	}
	if len(fields) > 0 && strings.HasPrefix(fields[0], "@") {
		return s.named(fields)
	}
	if len(fields) != len(parts) {
		return Schedule{}, fmt.Errorf("%q has %d fields, a cron expression has 5: minute, hour, day of the month, month, day of the week, such as \"37 3 * * *\"", expression, len(fields))
	}
	if err := s.read(fields); err != nil {
		return Schedule{}, err
	}
	if s.Next(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return Schedule{}, fmt.Errorf("%q names a day that never comes", expression)
	}
	return s, nil
}

// named reads an expression that begins with a word.
func (s Schedule) named(fields []string) (Schedule, error) {
	text := strings.Join(fields, " ")
	if fields[0] == "@every" && len(fields) == 2 && s.zone == nil {
		every, err := time.ParseDuration(fields[1])
		if err != nil || every < time.Second {
			return Schedule{}, fmt.Errorf("%q is not @every and a duration of at least 1s (such as 20m, 2h)", text)
		}
		return Schedule{every: every.Truncate(time.Second)}, nil
	}
	meaning, isKnown := words[text]
	if !isKnown {
		return Schedule{}, fmt.Errorf("%q is none of @hourly, @daily, @weekly, @monthly, @yearly and @every DURATION", text)
	}
	return s, s.read(strings.Fields(meaning))
}

var words = map[string]string{
	"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
	"@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}

// read sets the five fields.
func (s *Schedule) read(fields []string) error {
	for i, into := range []*uint64{&s.minutes, &s.hours, &s.days, &s.months, &s.weekdays} {
		set, err := parts[i].read(fields[i])
		if err != nil {
			return err
		}
		*into = set
	}
	s.anyHour = isAny(fields[1])
	s.bothDays = isAny(fields[2]) || isAny(fields[4])
	return nil
}

// isAny reports whether a field leaves its value open; one with a step does not.
func isAny(field string) bool {
	return slices.ContainsFunc(strings.Split(field, ","), func(one string) bool {
		span, step, _ := strings.Cut(one, "/")
		n, err := strconv.Atoi(cmp.Or(step, "1"))
		return (span == "*" || span == "?") && err == nil && n == 1
	})
}
