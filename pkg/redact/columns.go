package redact

import "strings"

const (
	// maxHeader is how long the line may be that names the columns of a table.
	maxHeader = 512
	// maxRows is how many of its rows are looked at in one pass.
	maxRows = 64
)

// column takes what stands in the column that the name s[start:end] heads: in the
// lines below it for CSV and Markdown, in the tuples behind VALUES for SQL.
func (c *scan) column(start, end int, kind string) {
	from := start
	for from > 0 && c.s[from-1] != '\n' && start-from < maxHeader {
		from--
	}
	to := end + len(restOfLine(c.s[end:]))
	if to-from > maxHeader {
		return
	}
	if open := strings.LastIndexByte(c.s[from:start], '('); open >= 0 {
		c.tuples(from+open+1, start, end, kind)
		return
	}
	sign := delimiter(c.s[from:to])
	if sign == 0 || !isHeader(c.s[from:to], sign) {
		return
	}
	index := strings.Count(c.s[from:start], string(sign))
	cells := strings.Count(c.s[from:to], string(sign))
	for row := 0; row < maxRows && to < len(c.s); row++ {
		line := to + 1
		text := restOfLine(c.s[line:])
		to = line + len(text)
		if strings.Trim(text, "-+|: =\r") == "" && text != "" {
			continue // what parts the head from the rows
		}
		if strings.Count(text, string(sign)) < cells {
			return
		}
		at := line
		for range index {
			at += strings.IndexByte(c.s[at:to], sign) + 1
		}
		next := at + strings.IndexByte(c.s[at:to]+string(sign), sign)
		c.cell(at, min(next, to), kind)
	}
}

// restOfLine is s up to the end of its line, at most maxCommand bytes.
func restOfLine(s string) string {
	s = window(s, maxCommand)
	if at := strings.IndexByte(s, '\n'); at >= 0 {
		return s[:at]
	}
	return s
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

// cell takes what stands in a cell, without the blanks and marks around it.
func (c *scan) cell(from, to int, kind string) {
	for from < to && strings.IndexByte(" \t\"'`*\r", c.s[from]) >= 0 {
		from++
	}
	for to > from && strings.IndexByte(" \t\"'`*\r", c.s[to-1]) >= 0 {
		to--
	}
	value := window(c.s[from:to], decisionWindow)
	if kind == Password && isOdd(value) && !isUnit(value) || kind != Password && isMachineMade(value) {
		c.ahead(span{from, to, kind})
	}
}

// tuples takes the value of a column in "INSERT INTO t (a, b) VALUES (1, 'x'), ...".
// The names begin at from.
func (c *scan) tuples(from, start, end int, kind string) {
	names := window(c.s[from:], maxHeader)
	closing := strings.IndexByte(names, ')')
	if closing < 0 || from+closing < end {
		return
	}
	at := from + closing + 1
	at += blanks(c.s, at)
	if at < len(c.s) && c.s[at] == '\n' {
		at++
	}
	at += blanks(c.s, at)
	if !hasFold(c.s, at, "values") {
		return
	}
	index := strings.Count(c.s[from:start], ",")
	at += len("values")
	for range maxRows {
		for at < len(c.s) && (isBlank(c.s[at]) || c.s[at] == ',') {
			at++
		}
		if at >= len(c.s) || c.s[at] != '(' {
			return
		}
		at = c.tuple(at+1, index, kind)
	}
}

// tuple takes the value of one tuple that begins at i, and returns its end.
func (c *scan) tuple(i, index int, kind string) int {
	stop := min(len(c.s), i+maxCommand)
	for n := 0; i < stop; n++ {
		for i < stop && isBlank(c.s[i]) {
			i++
		}
		if quote := quoteAt(c.s, i); quote != "" {
			from := i + len(quote)
			to := from + len(quotedText(c.s[from:stop], quote))
			i = min(stop, to+len(quote))
			if n == index && !isPlaceholder(c.s[from:to]) && to-from >= 4 {
				c.cell(from, to, kind)
			}
		}
		for i < stop && c.s[i] != ',' && c.s[i] != ')' {
			i++
		}
		if i >= stop || c.s[i] == ')' {
			return min(len(c.s), i+1)
		}
		i++
	}
	return stop
}
