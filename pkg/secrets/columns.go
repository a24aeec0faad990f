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
	from := max(0, start-maxHeader)
	from += strings.LastIndexByte(s[from:start], '\n') + 1
	to := end + len(restOfLine(s[end:]))
	if open := strings.LastIndexByte(s[from:start], '('); open >= 0 {
		return tuples(s, strings.Count(s[from+open:start], ","), end, kind)
	}
	sign := delimiter(s[from:to])
	if sign == 0 || !isHeader(s[from:to], sign) {
		return nil
	}
	before, cells := strings.Count(s[from:start], string(sign)), strings.Count(s[from:to], string(sign))
	var found []span
	for row := 0; row < maxRows && to < len(s); row++ {
		from = to + 1
		text := restOfLine(s[from:])
		to = from + len(text)
		if strings.Trim(text, "-+|: =\r") == "" && text != "" {
			continue // the line between the head and the rows
		}
		if strings.Count(text, string(sign)) < cells {
			break
		}
		found = cell(found, s, from, to, sign, before, kind)
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
		cell = strings.Trim(cell, around)
		if cell == "" || len(cell) > 40 || strings.Trim(cell, alphabet+"0123456789_- ") != "" || strings.Count(cell, " ") > 2 {
			return false
		}
	}
	return true
}

// cell adds the text of a row's cell, without the blanks and marks around it, if it may
// be a secret. before counts the cells before it.
func cell(found []span, s string, from, to int, sign byte, before int, kind string) []span {
	for range before {
		from += strings.IndexByte(s[from:to]+string(sign), sign) + 1
		if from >= to {
			return found
		}
	}
	text, _, _ := strings.Cut(s[from:to], string(sign))
	from += len(text) - len(strings.TrimLeft(text, around))
	text = strings.Trim(text, around)
	if fitsKind(kind, window(text, decisionWindow)) {
		found = append(found, span{from, from + len(text), kind})
	}
	return found
}

// around are the blanks and marks around the text of a cell.
const around = " \t\"'`*\r"

// tuples takes the value of a column in "INSERT INTO t (a, b) VALUES (1, 'x'), ...". The
// column's name ends at end.
func tuples(s string, before, end int, kind string) []span {
	at := end + strings.IndexByte(window(s[end:], maxHeader), ')') + 1
	at += len("\n") + blanks(s, at)
	if !hasFold(s, at-1, "values") && !hasFold(s, at, "values") {
		return nil
	}
	var found []span
	for range maxRows {
		open := strings.IndexByte(window(s[at:], 16), '(')
		if open < 0 {
			break
		}
		from := at + open + 1
		at = from + strings.IndexByte(window(s[from:], maxCommand)+")", ')')
		found = cell(found, s, from, min(at, len(s)), ',', before, kind)
		at = min(at+1, len(s))
	}
	return found
}
