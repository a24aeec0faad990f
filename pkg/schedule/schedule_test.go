package schedule_test

import (
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/google/go-cmp/cmp"
	"github.com/robfig/cron/v3"
	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/schedule"
)

func zoned(t interface{ Fatal(...any) }, name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func parsed(t interface{ Fatal(...any) }, expression string) schedule.Schedule {
	s, err := schedule.Parse(expression)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Whichever way the clocks are changed, a time of the day comes once: a time that is left
// out at the end of the gap, one that comes twice the first time. A schedule of every hour
// follows the clock.
func TestATimeOfTheDayComesOnceWhenTheClocksChange(t *testing.T) {
	for _, test := range []struct {
		zone, expression, day string
		want                  []string
	}{
		{"Europe/Helsinki", "37 3 * * *", "2027-03-28", []string{"04:00 EEST"}},
		{"Europe/Helsinki", "37 3 * * *", "2027-10-31", []string{"03:37 EEST"}},
		{"Europe/Helsinki", "*/20 3 * * *", "2027-03-28", []string{"04:00 EEST"}},
		{"Europe/Helsinki", "*/20 3,4 * * *", "2027-10-31", []string{"03:00 EEST", "03:20 EEST", "03:40 EEST", "04:00 EET", "04:20 EET", "04:40 EET"}},
		{"Europe/Helsinki", "0 4 * * *", "2027-03-28", []string{"04:00 EEST"}},
		{"America/New_York", "33 2 * * *", "2027-03-14", []string{"03:00 EDT"}},
		{"America/New_York", "33 1 * * *", "2027-11-07", []string{"01:33 EDT"}},
		{"America/Santiago", "0 0 * * *", "2027-09-05", []string{"01:00 -03"}},
		{"America/Santiago", "30 23 * * *", "2027-04-03", []string{"23:30 -03"}},
		{"Africa/Cairo", "5 0 * * *", "2027-04-30", []string{"01:00 EEST"}},
		{"Asia/Beirut", "0 0 * * *", "2027-03-28", []string{"01:00 EEST"}},
		{"Australia/Lord_Howe", "15 2 * * *", "2027-10-03", []string{"02:30 +11"}},
		{"Australia/Lord_Howe", "45 1 * * *", "2027-04-04", []string{"01:45 +11"}},
		{"UTC", "37 3 * * *", "2027-03-28", []string{"03:37 UTC"}},
	} {
		zone := zoned(t, test.zone)
		if got := shown(daySlots(t, test.expression, test.day, zone), zone); !cmp.Equal(got, test.want) {
			t.Errorf("%s in %s on %s: %v, want %v", test.expression, test.zone, test.day, got, test.want)
		}
	}
	zone := zoned(t, "America/New_York")
	for day, hours := range map[string]int{"2027-03-14": 23, "2027-11-07": 25, "2027-07-01": 24} {
		if got := daySlots(t, "22 * * * *", day, zone); len(got) != hours {
			t.Errorf("every hour on %s: %d times, want %d: %v", day, len(got), hours, shown(got, zone))
		}
	}
}

// daySlots are the times of a day, found by going forward and, minute by minute, by looking
// back: both must find the same.
func daySlots(t *testing.T, expression, date string, zone *time.Location) []time.Time {
	t.Helper()
	s := parsed(t, expression)
	noon, err := time.ParseInLocation("2006-01-02 15", date+" 12", zone)
	if err != nil {
		t.Fatal(err)
	}
	day := noon
	for day.Add(-time.Minute).Day() == noon.Day() { // midnight may not be there
		day = day.Add(-time.Minute)
	}
	end := noon.AddDate(0, 0, 1).Add(-12 * time.Hour)
	var ahead, back []time.Time
	for at := s.Next(day.Add(-time.Second)); at.Before(end); at = s.Next(at) {
		ahead = append(ahead, at.UTC())
	}
	for now := day; now.Before(end); now = now.Add(time.Minute) {
		if at := s.Last(now); !at.Before(day) && (len(back) == 0 || !back[len(back)-1].Equal(at)) {
			back = append(back, at)
		}
	}
	if diff := cmp.Diff(ahead, back); diff != "" {
		t.Errorf("%s on %s (-ahead +back):\n%s", expression, date, diff)
	}
	return ahead
}

func shown(all []time.Time, zone *time.Location) []string {
	var texts []string
	for _, at := range all {
		texts = append(texts, at.In(zone).Format("15:04 MST"))
	}
	return texts
}

// Where no clock is changed, the times are those that cron's own reader finds.
func TestWithoutAChangeOfTheClocksTheTimesAreCrons(t *testing.T) {
	field := func(t *rapid.T, low, high int, name string) string {
		a := rapid.IntRange(low, high).Draw(t, name)
		b := rapid.IntRange(a, high).Draw(t, name+"2")
		return rapid.SampledFrom([]string{"*", "?", "*/" + text(max(1, b-a)), text(a), text(a) + "-" + text(b), text(a) + "," + text(b), text(a) + "-" + text(b) + "/3", text(a) + "/7"}).Draw(t, name+"3")
	}
	rapid.Check(t, func(t *rapid.T) {
		expression := field(t, 0, 59, "minute") + " " + field(t, 0, 23, "hour") + " " + field(t, 1, 28, "day") + " " + field(t, 1, 12, "month") + " " + field(t, 0, 6, "weekday")
		want, err := cron.ParseStandard(expression)
		if err != nil {
			t.Fatal(expression, err)
		}
		at := time.Unix(rapid.Int64Range(0, 4_000_000_000).Draw(t, "at"), 0).UTC()
		s := parsed(t, expression)
		for range 5 {
			if got, want := s.Next(at), want.Next(at); !got.Equal(want) {
				t.Fatalf("%s after %s: %s, want %s", expression, at, got, want)
			}
			at = want.Next(at)
		}
		if last := s.Last(at.Add(time.Second)); !last.Equal(at) {
			t.Fatalf("%s: the last until %s is %s", expression, at, last)
		}
	})
}

func text(n int) string { return string([]rune{rune('0' + n/10), rune('0' + n%10)}) }

func TestExpressionsOfOtherForms(t *testing.T) {
	at := time.Date(2027, 1, 6, 10, 30, 0, 0, time.UTC) // a Wednesday
	for expression, want := range map[string]string{
		"CRON_TZ=Europe/Berlin 37 3 * * *": "2027-01-07T02:37:00Z",
		"TZ=Asia/Tokyo 0 0 * * *":          "2027-01-06T15:00:00Z",
		"@hourly":                          "2027-01-06T11:00:00Z",
		"@daily":                           "2027-01-07T00:00:00Z",
		"@weekly":                          "2027-01-10T00:00:00Z",
		"@every 90m":                       "2027-01-06T12:00:00Z",
		"CRON_TZ=Europe/Berlin @daily":     "2027-01-06T23:00:00Z",
		"0 9 * * MON-FRI":                  "2027-01-07T09:00:00Z",
		"0 9 * * 7":                        "2027-01-10T09:00:00Z",
		"0 9 * * 5-7":                      "2027-01-08T09:00:00Z",
		"0 0 29 Feb *":                     "2028-02-29T00:00:00Z",
		"  5   4 * *   sun ":               "2027-01-10T04:05:00Z",
	} {
		if got := parsed(t, expression).Next(at).UTC().Format(time.RFC3339); got != want {
			t.Errorf("%s: %s, want %s", expression, got, want)
		}
	}
}

var nonsense = []string{
	"", " ", "CRON_TZ=Europe/Berlin", "TZ=UTC", "CRON_TZ=", "CRON_TZ= 1 2 * * *", "CRON_TZ=Nowhere/Atall 1 2 * * *", "TZ=UTC ", "60 25 * * *",
	"* * * *", "* * * * * *", "@", "@dayly", "@every", "@every soon", "@every -1h", "@every 0s", "@every 1ms", "*/0 * * * *", "5-1 * * * *", "1,,2 * * * *",
	"0 0 30 2 *", "0 0 31 4,6 *", "a b c d e", "1- * * * *", "-1 * * * *", "* * 0 * *", "* * * 13 *", "* * * * 8", "99999999999999999999 * * * *", "1/ * * * *",
}

func TestNonsenseIsRefused(t *testing.T) {
	for _, expression := range nonsense {
		if s, err := schedule.Parse(expression); err == nil {
			t.Errorf("%q is read as %+v", expression, s)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, expression := range append(nonsense, "37 3 * * *", "*/20 * * * *", "CRON_TZ=Europe/Berlin 37 3 * * mon", "@every 2h") {
		f.Add(expression)
	}
	at := time.Date(2027, 3, 28, 0, 0, 0, 0, zoned(f, "Europe/Helsinki"))
	f.Fuzz(func(t *testing.T, expression string) {
		if s, err := schedule.Parse(expression); err == nil && !s.Next(at).After(at) {
			t.Errorf("%q: the next time after %s is %s", expression, at, s.Next(at))
		}
	})
}
