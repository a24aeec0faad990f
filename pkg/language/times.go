package language

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// TimeSpan is a span of time, From included and To excluded.
type TimeSpan struct {
	From, To time.Time
}

// TimeExpression is an expression at text[Start:End], in bytes. A relative expression changes
// its meaning with the time of speaking, so its words must not be matched in older
// text.
type TimeExpression struct {
	Start, End int
	Span       TimeSpan
	Relative   bool
}

// mostTimeWords bounds the work on one text.
const mostTimeWords = 4000

// Times finds the expressions of time in a text and resolves them relative to now, in
// now's location: yesterday, last week, two days ago, in March, on 7 May 2023,
// 2023-05-07. A week starts on Monday; a month or day without a year is the latest that
// has begun at now. Words that are only sometimes a month (may, march) count only with
// a preposition or a number.
func Times(text string, now time.Time) []TimeExpression {
	p := timeParser{words: timeWords(text), text: text, now: now}
	p.today = startOfDay(now)
	var found []TimeExpression
	for p.at < len(p.words) {
		span, n, relative := p.expression()
		if n == 0 {
			p.at++
			continue
		}
		found = append(found, TimeExpression{p.words[p.at].Start, p.words[p.at+n-1].End, span, relative})
		p.at += n
	}
	return found
}

func timeWords(said string) []Word {
	var words []Word
	for word := range numbers.All(said) {
		if words = append(words, word); len(words) == mostTimeWords {
			break
		}
	}
	return words
}

type timeParser struct {
	text  string
	words []Word
	at    int
	now   time.Time
	today time.Time
}

func startOfDay(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// word is the i-th word from here, empty past the end.
func (p *timeParser) textAt(i int) string {
	if i += p.at; i < 0 || i >= len(p.words) {
		return ""
	}
	return p.words[i].Text
}

// number reads the i-th word as a count, spelled or in digits.
func (p *timeParser) number(i int) (int, bool) {
	w := p.textAt(i)
	if n, ok := numberWords[w]; ok {
		return n, true
	}
	if w == "" || w[0] < '0' || w[0] > '9' || len(w) > 4 {
		return 0, false
	}
	n, err := strconv.Atoi(w)
	return n, err == nil
}

// glued reports whether only the byte sep separates word i and the next.
func (p *timeParser) glued(i int, sep byte) bool {
	i += p.at
	if i < 0 || i+1 >= len(p.words) {
		return false
	}
	a, b := p.words[i].End, p.words[i+1].Start
	return b == a+1 && p.text[a] == sep
}

// expression parses one expression at the current word. n is its number of words, 0 if
// there is none.
func (p *timeParser) expression() (span TimeSpan, n int, relative bool) {
	if span, n = p.isoDate(); n > 0 {
		return span, n, false
	}
	if span, n = p.calendarDate(); n > 0 {
		return span, n, false
	}
	if span, n = p.year(); n > 0 {
		return span, n, false
	}
	span, n = p.relativeDay()
	if n == 0 {
		span, n = p.ago()
	}
	if n == 0 {
		span, n = p.lastOrNext()
	}
	if n == 0 {
		span, n = p.weekday()
	}
	return span, n, true
}

func (p *timeParser) day(offset int) TimeSpan {
	from := p.today.AddDate(0, 0, offset)
	return TimeSpan{from, from.AddDate(0, 0, 1)}
}

func (p *timeParser) relativeDay() (TimeSpan, int) {
	switch p.textAt(0) {
	case "today", "tonight":
		return p.day(0), 1
	case "yesterday":
		return p.day(-1), 1
	case "tomorrow":
		return p.day(1), 1
	case "this":
		if w := p.textAt(1); w == "morning" || w == "afternoon" || w == "evening" {
			return p.day(0), 2
		}
	case "last":
		if p.textAt(1) == "night" {
			return p.day(-1), 2
		}
	case "day":
		if p.textAt(2) == "yesterday" && p.textAt(1) == "before" {
			return p.day(-2), 3
		}
	}
	return TimeSpan{}, 0
}

// ago parses "two days ago", "a week ago", "a couple of months ago", "an hour ago".
func (p *timeParser) ago() (TimeSpan, int) {
	count, ok := p.number(0)
	if !ok {
		return TimeSpan{}, 0
	}
	i := 1
	if w := p.textAt(i); count == 1 && (w == "couple" || w == "few") {
		count, i = numberWords[w], i+1
	}
	if p.textAt(i) == "of" {
		i++
	}
	unit, ok := timeUnits[p.textAt(i)]
	if !ok || p.textAt(i+1) != "ago" && p.textAt(i+1) != "earlier" {
		return TimeSpan{}, 0
	}
	return p.around(unit, -count), i + 2
}

// around is the span of "n units from now": the finer the unit, the narrower.
func (p *timeParser) around(unit unit, n int) TimeSpan {
	switch unit {
	case unitHour:
		from := p.now.Add(time.Duration(n) * time.Hour)
		return TimeSpan{from.Add(-time.Hour), from.Add(time.Hour)}
	case unitDay:
		return p.day(n)
	case unitWeek:
		from := p.today.AddDate(0, 0, 7*n-3)
		return TimeSpan{from, from.AddDate(0, 0, 7)}
	case unitMonth:
		from := p.today.AddDate(0, n, -15)
		return TimeSpan{from, from.AddDate(0, 0, 31)}
	default:
		from := p.today.AddDate(n, 0, -183)
		return TimeSpan{from, from.AddDate(1, 0, 0)}
	}
}

// lastOrNext parses "last week", "this month", "next Friday", "last March", "the past
// three days", "last two weeks".
func (p *timeParser) lastOrNext() (TimeSpan, int) {
	step, ok := stepWords[p.textAt(0)]
	if !ok {
		return TimeSpan{}, 0
	}
	if count, ok := p.number(1); ok && step < 0 {
		if unit, ok := timeUnits[p.textAt(2)]; ok {
			return p.since(unit, count), 3
		}
		return TimeSpan{}, 0
	}
	w := p.textAt(1)
	if unit, ok := timeUnits[w]; ok {
		if p.textAt(0) == "past" {
			return p.since(unit, 1), 2
		}
		return p.whole(unit, step), 2
	}
	if w == "weekend" {
		from := p.monday().AddDate(0, 0, 5+7*step)
		return TimeSpan{from, from.AddDate(0, 0, 2)}, 2
	}
	if weekday, ok := weekdays[w]; ok {
		return p.nearWeekday(weekday, step), 2
	}
	if month, ok := months[w]; ok {
		return p.monthNear(month, step), 2
	}
	return TimeSpan{}, 0
}

func (p *timeParser) since(unit unit, count int) TimeSpan {
	to := p.now.Add(time.Nanosecond)
	switch unit {
	case unitHour:
		return TimeSpan{p.now.Add(-time.Duration(count) * time.Hour), to}
	case unitDay:
		return TimeSpan{p.today.AddDate(0, 0, -count), to}
	case unitWeek:
		return TimeSpan{p.today.AddDate(0, 0, -7*count), to}
	case unitMonth:
		return TimeSpan{p.today.AddDate(0, -count, 0), to}
	default:
		return TimeSpan{p.today.AddDate(-count, 0, 0), to}
	}
}

func (p *timeParser) monday() time.Time {
	return p.today.AddDate(0, 0, -(int(p.today.Weekday())+6)%7)
}

// whole is the calendar unit step units from the current one.
func (p *timeParser) whole(unit unit, step int) TimeSpan {
	switch unit {
	case unitHour:
		from := p.now.Add(time.Duration(step) * time.Hour)
		return TimeSpan{from, from.Add(time.Hour)}
	case unitDay:
		return p.day(step)
	case unitWeek:
		from := p.monday().AddDate(0, 0, 7*step)
		return TimeSpan{from, from.AddDate(0, 0, 7)}
	case unitMonth:
		from := time.Date(p.today.Year(), p.today.Month()+time.Month(step), 1, 0, 0, 0, 0, p.today.Location())
		return TimeSpan{from, from.AddDate(0, 1, 0)}
	default:
		from := time.Date(p.today.Year()+step, 1, 1, 0, 0, 0, 0, p.today.Location())
		return TimeSpan{from, from.AddDate(1, 0, 0)}
	}
}

// nearWeekday is the closest such weekday strictly before (step -1) or after today, or
// the one of the current week.
func (p *timeParser) nearWeekday(weekday time.Weekday, step int) TimeSpan {
	ahead := (int(weekday) - int(p.today.Weekday()) + 7) % 7 // 0 to 6
	switch {
	case step < 0:
		return p.day(ahead - 7)
	case step > 0 && ahead == 0:
		return p.day(7)
	case step > 0:
		return p.day(ahead)
	}
	return p.day((int(weekday)+6)%7 - (int(p.today.Weekday())+6)%7)
}

func (p *timeParser) weekday() (TimeSpan, int) {
	weekday, ok := weekdays[p.textAt(0)]
	if !ok || len(p.textAt(0)) < 6 { // "sun", "wed" and similar are ordinary words
		return TimeSpan{}, 0
	}
	ahead := (int(weekday) - int(p.today.Weekday()) + 7) % 7
	if ahead > 0 {
		ahead -= 7
	}
	return p.day(ahead), 1
}

func (p *timeParser) isoDate() (TimeSpan, int) {
	if len(p.textAt(0)) != 4 || !p.glued(0, '-') || len(p.textAt(1)) > 2 {
		return TimeSpan{}, 0
	}
	year, ok := p.number(0)
	if !ok || year < 1900 || year > 2199 {
		return TimeSpan{}, 0
	}
	month, ok := p.number(1)
	if !ok || month < 1 || month > 12 {
		return TimeSpan{}, 0
	}
	if day, ok := p.number(2); ok && p.glued(1, '-') && len(p.textAt(2)) <= 2 {
		if span, ok := p.date(year, time.Month(month), day); ok {
			return span, 3
		}
		return TimeSpan{}, 0
	}
	from := time.Date(year, time.Month(month), 1, 0, 0, 0, 0, p.now.Location())
	return TimeSpan{from, from.AddDate(0, 1, 0)}, 2
}

// date is one day, if it exists.
func (p *timeParser) date(year int, month time.Month, day int) (TimeSpan, bool) {
	from := time.Date(year, month, day, 0, 0, 0, 0, p.now.Location())
	if day < 1 || from.Day() != day || from.Month() != month {
		return TimeSpan{}, false
	}
	return TimeSpan{from, from.AddDate(0, 0, 1)}, true
}

// calendarDate parses "7 May", "7th of May, 2023", "May 7", "May 7th 2023", "March
// 2023", "in March".
func (p *timeParser) calendarDate() (TimeSpan, int) {
	if day, n := p.dayOfMonth(0); n > 0 {
		i := n
		if p.textAt(i) == "of" {
			i++
		}
		month, ok := months[p.textAt(i)]
		if !ok || p.boundary(0, i) {
			return TimeSpan{}, 0
		}
		return p.dayAndYear(month, day, i+1)
	}
	month, ok := months[p.textAt(0)]
	if !ok {
		return TimeSpan{}, 0
	}
	if year, ok := p.yearAt(1); ok && !p.boundary(0, 1) {
		from := time.Date(year, month, 1, 0, 0, 0, 0, p.now.Location())
		return TimeSpan{from, from.AddDate(0, 1, 0)}, 2
	}
	if day, n := p.dayOfMonth(1); n > 0 && !p.boundary(0, 1) {
		if span, words := p.dayAndYear(month, day, 1+n); words > 0 {
			return span, words
		}
	}
	if _, n := p.dayOfMonth(-1); n > 0 {
		return TimeSpan{}, 0 // "30 February"
	}
	if w := p.textAt(0); ambiguousMonths[w] && !monthPrepositions[p.textAt(-1)] {
		return TimeSpan{}, 0
	}
	return p.monthNear(month, 0), 1
}

// boundary reports whether a sentence ends between words i and j, so that "by 7. May I" is not a date.
func (p *timeParser) boundary(i, j int) bool {
	i, j = i+p.at, j+p.at
	if i < 0 || j >= len(p.words) {
		return true
	}
	between := p.text[p.words[i].End:p.words[j].Start]
	return strings.ContainsAny(between, "!?;\n") || strings.Contains(between, ". ")
}

// dayOfMonth parses "7", "7th", "1st". n is its number of words.
func (p *timeParser) dayOfMonth(i int) (day, n int) {
	w := p.textAt(i)
	if len(w) == 0 || len(w) > 2 || w[0] < '0' || w[0] > '9' {
		return 0, 0
	}
	day, _ = strconv.Atoi(w)
	if day < 1 || day > 31 {
		return 0, 0
	}
	switch p.textAt(i + 1) {
	case "st", "nd", "rd", "th":
		return day, 2
	}
	return day, 1
}

func (p *timeParser) dayAndYear(month time.Month, day, i int) (TimeSpan, int) {
	if year, ok := p.yearAt(i); ok {
		if span, ok := p.date(year, month, day); ok {
			return span, i + 1
		}
		return TimeSpan{}, 0
	}
	for _, year := range []int{p.today.Year(), p.today.Year() - 1} {
		if span, ok := p.date(year, month, day); ok && !span.From.After(p.now) {
			return span, i
		}
	}
	return TimeSpan{}, 0
}

func (p *timeParser) yearAt(i int) (int, bool) {
	if len(p.textAt(i)) != 4 {
		return 0, false
	}
	year, ok := p.number(i)
	return year, ok && year >= 1900 && year <= 2199
}

func (p *timeParser) year() (TimeSpan, int) {
	year, ok := p.yearAt(0)
	if !ok || !monthPrepositions[p.textAt(-1)] {
		return TimeSpan{}, 0
	}
	from := time.Date(year, 1, 1, 0, 0, 0, 0, p.now.Location())
	return TimeSpan{from, from.AddDate(1, 0, 0)}, 1
}

// monthNear is the last such month that has begun; with step -1 the last one
// before the current month, with +1 the next one to begin.
func (p *timeParser) monthNear(month time.Month, step int) TimeSpan {
	year := p.today.Year()
	switch {
	case step > 0 && month <= p.today.Month():
		year++
	case step == 0 && month > p.today.Month(), step < 0 && month >= p.today.Month():
		year--
	}
	from := time.Date(year, month, 1, 0, 0, 0, 0, p.now.Location())
	return TimeSpan{from, from.AddDate(0, 1, 0)}
}

type unit int

const (
	unitHour unit = iota
	unitDay
	unitWeek
	unitMonth
	unitYear
)

var (
	numberWords = map[string]int{
		"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
		"nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "couple": 2, "few": 3, "several": 4,
	}
	timeUnits = map[string]unit{
		"hour": unitHour, "hours": unitHour, "day": unitDay, "days": unitDay, "week": unitWeek, "weeks": unitWeek,
		"month": unitMonth, "months": unitMonth, "year": unitYear, "years": unitYear,
	}
	stepWords = map[string]int{"last": -1, "previous": -1, "past": -1, "this": 0, "next": 1}
	weekdays  = map[string]time.Weekday{
		"monday": time.Monday, "tuesday": time.Tuesday, "wednesday": time.Wednesday, "thursday": time.Thursday,
		"friday": time.Friday, "saturday": time.Saturday, "sunday": time.Sunday,
		"mon": time.Monday, "tue": time.Tuesday, "wed": time.Wednesday, "thu": time.Thursday, "fri": time.Friday,
	}
	months = map[string]time.Month{
		"january": time.January, "february": time.February, "march": time.March, "april": time.April, "may": time.May,
		"june": time.June, "july": time.July, "august": time.August, "september": time.September,
		"october": time.October, "november": time.November, "december": time.December,
		"jan": time.January, "feb": time.February, "apr": time.April, "aug": time.August, "sept": time.September,
		"oct": time.October, "nov": time.November, "dec": time.December,
	}
	ambiguousMonths   = map[string]bool{"may": true, "march": true, "dec": true, "august": true}
	monthPrepositions = map[string]bool{
		"in": true, "since": true, "of": true, "during": true, "until": true, "till": true, "by": true,
		"before": true, "after": true, "from": true, "early": true, "late": true, "mid": true,
	}
)

// WithoutRelativeTimes replaces the relative expressions of a text by blanks, byte for byte.
func WithoutRelativeTimes(text string, found []TimeExpression) string {
	for _, m := range found {
		if m.Relative && utf8.ValidString(text[m.Start:m.End]) {
			text = text[:m.Start] + strings.Repeat(" ", m.End-m.Start) + text[m.End:]
		}
	}
	return text
}
