package secrets

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Row is one rule, as the folder rules of package secrets has it.
type Row struct {
	Table   string // the file's name without its ending
	Line    int    // in the file, from 1
	Columns []string
	Yes     []Sample // with secrets that have to go
	No      []Sample // with none
}

func (r Row) String() string {
	return fmt.Sprintf("rules/%s.txt:%d: %s", r.Table, r.Line, r.Columns[0])
}

// Column is a column of the row, or "" if it has less.
func (r Row) Column(i int) string {
	if i >= len(r.Columns) {
		return ""
	}
	return r.Columns[i]
}

// Rules reads the rows of one table.
func Rules(table string) ([]Row, error) {
	path := filepath.Join("rules", table+".txt")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for i, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		example, isYes := strings.CutPrefix(line, "+ ")
		if !isYes {
			var isNo bool
			if example, isNo = strings.CutPrefix(line, "- "); !isNo {
				rows = append(rows, Row{Table: table, Line: i + 1, Columns: strings.Split(line, " | ")})
				continue
			}
		}
		if len(rows) == 0 {
			return nil, fmt.Errorf("%s:%d: an example without a row", path, i+1)
		}
		row := &rows[len(rows)-1]
		for seed := range uint64(Samples) {
			one, err := generator{rand.New(rand.NewPCG(uint64(i), seed))}.sample(line, example)
			if err != nil || isYes != (len(one.Secrets) > 0) {
				return nil, fmt.Errorf("%s:%d: an example of + has a part in «», one of - has none: %q, %w", path, i+1, line, err)
			}
			if isYes {
				row.Yes = append(row.Yes, one)
			} else {
				row.No = append(row.No, one)
			}
		}
	}
	return rows, nil
}
