package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// part is one field of an expression: its name, and the values from low to high, some of
// which have names.
type part struct {
	name      string
	low, high int
	names     []string // of the values from low on
}

var parts = []part{
	{"minute", 0, 59, nil},
	{"hour", 0, 23, nil},
	{"day of the month", 1, 31, nil},
	{"month", 1, 12, []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
	{"day of the week", 0, 7, []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}}, // 7 is Sunday, too
}

// read reads a list of values, ranges and steps, such as 5,10-20/2,*/15.
func (p part) read(field string) (uint64, error) {
	set := uint64(0)
	for one := range strings.SplitSeq(field, ",") {
		low, high, step, ok := p.values(one)
		if !ok {
			return 0, fmt.Errorf("%q is no %s of a cron expression: a number from %d to %d, a range or a list of them, or *", field, p.name, p.low, p.high)
		}
		for value := low; value <= high; value += step {
			if value == 7 && p.high == 7 {
				set |= 1
				continue
			}
			set |= 1 << uint(value)
		}
	}
	return set, nil
}

// values are the lowest and the highest value of one member of a list, and the step.
func (p part) values(one string) (low, high, step int, ok bool) {
	span, by, stepped := strings.Cut(one, "/")
	if step = 1; stepped {
		n, err := strconv.ParseUint(by, 10, 16)
		if err != nil || n == 0 {
			return 0, 0, 0, false
		}
		step = int(n)
	}
	if span == "*" || span == "?" {
		return p.low, min(p.high, p.low+p.count()-1), step, true
	}
	from, to, ranged := strings.Cut(span, "-")
	low, ok = p.value(from)
	switch high = low; {
	case ranged && ok:
		high, ok = p.value(to)
	case stepped:
		high = p.high
	}
	return low, high, step, ok && low <= high
}

// count is how many values there are.
func (p part) count() int {
	if p.high == 7 {
		return 7
	}
	return p.high - p.low + 1
}

func (p part) value(text string) (int, bool) {
	if at := slices.Index(p.names, strings.ToLower(text)); at >= 0 {
		return p.low + at, true
	}
	n, err := strconv.ParseUint(text, 10, 16)
	return int(n), err == nil && int(n) >= p.low && int(n) <= p.high
}
