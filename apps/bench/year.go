package main

import (
	"bufio"
	"fmt"
	"image/color"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

func yearCommand() *cli.Command {
	return &cli.Command{
		Name:  "year",
		Usage: "draw the simulated year of the consolidator",
		Description: "The report is what go test ./pkg/consolidate -run TestAYear -update-year writes. Nothing is measured\n" +
			"here: the year is simulated, on the fake clock of testing/synctest.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "report", Usage: "read the year from `FILE`", Value: "../../pkg/consolidate/testdata/year.golden"},
			&cli.StringFlag{Name: "out", Usage: "draw into consolidation-rows.png and consolidation-tokens.png in `DIR`", Value: "../../docs/img"},
		},
		Action: func(c *cli.Context) error { return drawYear(c.String("report"), c.String("out")) },
	}
}

func drawYear(report, dir string) error {
	file, err := os.Open(report)
	if err != nil {
		return fmt.Errorf("read the year: %w", err)
	}
	defer func() { _ = file.Close() }()
	tables, err := readTables(file)
	if err != nil {
		return fmt.Errorf("read the year in %s: %w", report, err)
	}
	rows, tokens := tables["Rows by status"], tables["Tokens in sight"]
	if len(rows.months) == 0 || len(tokens.months) == 0 {
		return fmt.Errorf("read the year in %s: it has no rows by status, or no tokens in sight", report)
	}
	if err := rows.draw(filepath.Join(dir, "consolidation-rows.png"), "Rows by status, at the end of each month", "rows"); err != nil {
		return err
	}
	return tokens.ofBudgets().draw(filepath.Join(dir, "consolidation-tokens.png"),
		"Tokens in sight, at the end of each month", "per cent of the budget")
}

// monthTable is a table of the report: a number for each month and column.
type monthTable struct {
	months  []string
	columns []string
	values  [][]float64 // by column
}

// readTables reads the tables of a report by the beginnings of their titles: a line of
// columns that begins with month, and one for each month until an empty line.
func readTables(report io.Reader) (map[string]monthTable, error) {
	tables := map[string]monthTable{}
	title, within := "", false
	for scanner := bufio.NewScanner(report); scanner.Scan(); {
		fields := strings.Fields(scanner.Text())
		switch {
		case len(fields) == 0:
			within = false
		case fields[0] == "month":
			within = true
			tables[title] = monthTable{columns: fields[1:], values: make([][]float64, len(fields)-1)}
		case within:
			table, err := tables[title].with(fields)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", title, err)
			}
			tables[title] = table
		default:
			title, _, _ = strings.Cut(scanner.Text(), ",")
		}
	}
	return tables, nil
}

func (t monthTable) with(fields []string) (monthTable, error) {
	if len(fields) != len(t.columns)+1 {
		return t, fmt.Errorf("%s has %d numbers, the table has %d columns", fields[0], len(fields)-1, len(t.columns))
	}
	t.months = append(t.months, fields[0])
	for i, field := range fields[1:] {
		value, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return t, fmt.Errorf("%s of %s: %w", t.columns[i], fields[0], err)
		}
		t.values[i] = append(t.values[i], value)
	}
	return t, nil
}

// ofBudgets gives each column in per cent of the next one to its right that is a
// budget, and one budget for all: 100.
func (t monthTable) ofBudgets() monthTable {
	shares := monthTable{months: t.months}
	from := 0
	for b, column := range t.columns {
		if !isBudget(column) {
			continue
		}
		for i := from; i < b; i++ {
			values := make([]float64, len(t.months))
			for j := range values {
				values[j] = 100 * t.values[i][j] / t.values[b][j]
			}
			shares.columns, shares.values = append(shares.columns, t.columns[i]), append(shares.values, values)
		}
		from = b + 1
	}
	whole := make([]float64, len(t.months))
	for i := range whole {
		whole[i] = 100
	}
	shares.columns, shares.values = append(shares.columns, "budget"), append(shares.values, whole)
	return shares
}

func isBudget(column string) bool { return strings.HasSuffix(column, "budget") }

// draw draws a line for each column; a budget's is dashed and black.
func (t monthTable) draw(file, title, label string) error {
	p := plot.New()
	p.Title.Text = title
	p.Y.Label.Text = label
	p.Y.Min = 0
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.YOffs = vg.Points(4)
	p.Add(plotter.NewGrid())
	for i, column := range t.columns {
		points := make(plotter.XYs, len(t.months))
		for j, value := range t.values[i] {
			points[j].X, points[j].Y = float64(j), value
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return fmt.Errorf("draw %s: %w", column, err)
		}
		line.Width, line.Color = vg.Points(2), plotutil.Color(i)
		if isBudget(column) {
			line.Color, line.Dashes = color.Black, []vg.Length{vg.Points(4), vg.Points(3)}
		}
		p.Add(line)
		p.Legend.Add(column, line)
	}
	p.NominalX(t.months...)
	p.X.Tick.Label.Rotation = 0.6
	p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = -0.9, -0.5
	p.Y.Max *= 1.6 // room for the legend
	if err := p.Save(8*vg.Inch, 4*vg.Inch, file); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	return nil
}
