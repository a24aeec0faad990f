package language_test

import (
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
)

func TestTimes(t *testing.T) {
	now := time.Date(2026, 4, 15, 14, 30, 0, 0, time.UTC) // a Wednesday
	for text, want := range map[string]string{
		"what did I do today":           "2026-04-15 2026-04-16",
		"Yesterday's crash":             "2026-04-14 2026-04-15",
		"the day before yesterday":      "2026-04-13 2026-04-14",
		"last night":                    "2026-04-14 2026-04-15",
		"last week":                     "2026-04-06 2026-04-13",
		"this week":                     "2026-04-13 2026-04-20",
		"next week":                     "2026-04-20 2026-04-27",
		"last month":                    "2026-03-01 2026-04-01",
		"last year":                     "2025-01-01 2026-01-01",
		"last weekend":                  "2026-04-11 2026-04-13",
		"two days ago":                  "2026-04-13 2026-04-14",
		"2 days ago":                    "2026-04-13 2026-04-14",
		"a week ago":                    "2026-04-05 2026-04-12",
		"a couple of weeks ago":         "2026-03-29 2026-04-05",
		"three months ago":              "2025-12-31 2026-01-31",
		"last Friday":                   "2026-04-10 2026-04-11",
		"on Monday":                     "2026-04-13 2026-04-14",
		"on Wednesday":                  "2026-04-15 2026-04-16",
		"last Wednesday":                "2026-04-08 2026-04-09",
		"next Wednesday":                "2026-04-22 2026-04-23",
		"in March":                      "2026-03-01 2026-04-01",
		"in June":                       "2025-06-01 2025-07-01",
		"last April":                    "2025-04-01 2025-05-01",
		"next March":                    "2027-03-01 2027-04-01",
		"February 2024":                 "2024-02-01 2024-03-01",
		"on 7 May":                      "2025-05-07 2025-05-08",
		"on 7 April":                    "2026-04-07 2026-04-08",
		"on the 7th of May, 2023":       "2023-05-07 2023-05-08",
		"May 7th":                       "2025-05-07 2025-05-08",
		"May 7, 2023":                   "2023-05-07 2023-05-08",
		"since 2026-04-01":              "2026-04-01 2026-04-02",
		"in 2025-12":                    "2025-12-01 2026-01-01",
		"in 2024":                       "2024-01-01 2025-01-01",
		"29 February 2024":              "2024-02-29 2024-03-01",
		"you may march on":              "",
		"30 February":                   "",
		"port 2024 and 12 workers":      "",
		"by 7. May I?":                  "",
		"ago last next in on of":        "",
		"99999999999999999999 days ago": "",
	} {
		got := ""
		if found := language.Times(text, now); len(found) > 0 {
			got = found[0].Span.From.Format(time.DateOnly) + " " + found[0].Span.To.Format(time.DateOnly)
		}
		if got != want {
			t.Errorf("%q means %q, want %q", text, got, want)
		}
	}
	if found := language.Times("yesterday or on 3 March", now); len(found) != 2 {
		t.Errorf("%d expressions found, want 2", len(found))
	}
}

// A span lies in the location of now and is never empty.
func FuzzTimes(f *testing.F) {
	for _, seed := range []string{"last week", "7 May 2023", "2026-02-30", "two days ago", "the past 3 months", "May", "\xff ago", "1 of of may"} {
		f.Add(seed, int64(1_776_263_400))
	}
	f.Fuzz(func(t *testing.T, text string, seconds int64) {
		if seconds < 0 || seconds > 7_000_000_000 {
			t.Skip("not a time at which somebody works")
		}
		now := time.Unix(seconds, 0).In(time.FixedZone("somewhere", 5*3600))
		for _, found := range language.Times(text, now) {
			s := found.Span
			if !s.From.Before(s.To) {
				t.Errorf("%q at %v: from %v to %v", text, now, s.From, s.To)
			}
			if s.From.Location() != now.Location() {
				t.Errorf("%q: in %v", text, s.From.Location())
			}
		}
	})
}
