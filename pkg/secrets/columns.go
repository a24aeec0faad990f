package secrets

import "strings"

const (
	// maxHeader is how long the line may be that names the columns of a table.
	maxHeader = 512
	// maxRows is how many of its rows are looked at in one pass.
	maxRows = 64
)

// column takes the cells of the column that the name s[start:end] heads: in the
// lines below it for CSV and Markdown, in the tuples behind VALUES for SQL.
func column(s string, start, end int, kind string) []span {
	from := start
	for from > 0 && s[from-1] != '\n' && start-from < maxHeader {
		from--
	}
	to := end + len(restOfLine(s[end:]))
	if to-from > maxHeader {
		return nil
	}
	if open := strings.LastIndexByte(s[from:start], '('); open >= 0 {
		return tuples(s, from+open+1, start, end, kind)
	}
	sign := delimiter(s[from:to])
	if sign == 0 || !isHeader(s[from:to], sign) {
		return nil
	}
	before, cells := strings.Count(s[from:start], string(sign)), strings.Count(s[from:to], string(sign))
	var found []span
	for row := 0; row < maxRows && to < len(s); row++ {
		line := to + 1
		text := restOfLine(s[line:])
		to = line + len(text)
		if strings.Trim(text, "-+|: =\r") == "" && text != "" {
			continue // the line between the head and the rows
		}
		if strings.Count(text, string(sign)) < cells {
			break
		}
		at := line
		for range before {
			at += strings.IndexByte(s[at:to], sign) + 1
		}
		next := at + strings.IndexByte(s[at:to]+string(sign), sign)
		found = cell(found, s, at, min(next, to), kind)
	}
	return found
}

// delimiter is the byte that separates the cells of a line, or 0.
func delimiter(line string) byte {
	for _, sign := range []byte("|\t,;") {
		if strings.IndexByte(line, sign) >= 0 {
			return sign
		}
	}
	return 0
}

// isHeader reports that a line names columns: short cells of letters.
func isHeader(line string, sign byte) bool {
	for cell := range strings.SplitSeq(strings.Trim(line, "| \r"), string(sign)) {
		cell = strings.Trim(cell, " \t\"'`*")
		if cell == "" || len(cell) > 40 || strings.Trim(cell, alphabet+"0123456789_- ") != "" || strings.Count(cell, " ") > 2 {
			return false
		}
	}
	return true
}

// cell adds the text of a cell, without the blanks and marks around it.
func cell(found []span, s string, from, to int, kind string) []span {
	const around = " \t\"'`*\r"
	for from < to && strings.IndexByte(around, s[from]) >= 0 {
		from++
	}
	for to > from && strings.IndexByte(around, s[to-1]) >= 0 {
		to--
	}
	text := window(s[from:to], decisionWindow)
	if kind == Password && isOdd(text) && !isUnit(text) || kind != Password && isMachineMade(text) {
		found = append(found, span{from, to, kind})
	}
	return found
}

// tuples takes the value of a column in "INSERT INTO t (a, b) VALUES (1, 'x'), ...".
// The names begin at from.
func tuples(s string, from, start, end int, kind string) []span {
	closing := strings.IndexByte(window(s[from:], maxHeader), ')')
	if closing < 0 || from+closing < end {
		return nil
	}
	at := from + closing + 1
	at += blanks(s, at)
	if at < len(s) && s[at] == '\n' {
		at++
	}
	at += blanks(s, at)
	if !hasFold(s, at, "values") {
		return nil
	}
	before := strings.Count(s[from:start], ",")
	at += len("values")
	var found []span
	for range maxRows {
		for at < len(s) && (isBlank(s[at]) || s[at] == ',') {
			at++
		}
		if at >= len(s) || s[at] != '(' {
			break
		}
		found, at = tuple(found, s, at+1, before, kind)
	}
	return found
}

// tuple adds one value of a tuple that begins at i, and returns the tuple's end.
func tuple(found []span, s string, i, index int, kind string) ([]span, int) {
	stop := min(len(s), i+maxCommand)
	for n := 0; i < stop; n++ {
		for i < stop && isBlank(s[i]) {
			i++
		}
		if quote := quoteAt(s, i); quote != "" && i+len(quote) <= stop {
			from := i + len(quote)
			to := from + len(quotedText(s[from:stop], quote))
			i = min(stop, to+len(quote))
			if n == index && to-from >= 4 {
				found = cell(found, s, from, to, kind)
			}
		}
		for i < stop && s[i] != ',' && s[i] != ')' {
			i++
		}
		if i >= stop || s[i] == ')' {
			return found, min(len(s), i+1)
		}
		i++
	}
	return found, stop
}
