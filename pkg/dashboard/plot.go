package dashboard

import "encoding/json"

// plot is a picture of numbers that the browser draws; the page has a table of the same
// numbers for those who read it without a script.
type plot struct {
	Title  string
	Across string      // the unit of the first of Values
	Kind   string      // line if empty, or bars
	Dates  bool        // the first of Values are seconds since 1970
	Names  []string    // of the values of the first column, instead of numbers
	Lines  []string    // the names of the other Values
	Values [][]float64 // columns of the same length
}

// JSON is the plot for the script.
func (p plot) JSON() (string, error) {
	data, err := json.Marshal(p)
	return string(data), err
}

// Rows are the numbers as rows of a table, at most about a dozen of them.
func (p plot) Rows() [][]float64 {
	const most = 12
	if len(p.Values) == 0 {
		return nil
	}
	count := len(p.Values[0])
	var rows [][]float64
	for i := 0; i < count; i += max(1, (count+most-1)/most) {
		row := make([]float64, 0, len(p.Values))
		for _, column := range p.Values {
			row = append(row, column[i])
		}
		rows = append(rows, row)
	}
	return rows
}
