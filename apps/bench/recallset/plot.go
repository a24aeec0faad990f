package recallset

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Bars is one measured quantity of several variants.
type Bars struct {
	Name   string
	Values []float64
}

// Plot draws the quantities of the variants side by side into a PNG, in per cent.
func Plot(file, title string, variants []string, groups []Bars) error {
	p := plot.New()
	p.Title.Text = title
	p.X.Label.Text = "per cent"
	p.Legend.Top = true
	colors := []color.Color{
		color.RGBA{R: 0x27, G: 0x6f, B: 0xbf, A: 0xff},
		color.RGBA{R: 0xe0, G: 0x8e, B: 0x2b, A: 0xff},
		color.RGBA{R: 0x4c, G: 0x9f, B: 0x70, A: 0xff},
	}
	const width = 9
	names := make([]string, len(variants))
	for i, name := range variants {
		names[len(names)-1-i] = name // the axis counts upward
	}
	for g, group := range groups {
		values := make(plotter.Values, len(group.Values))
		for i, v := range group.Values {
			values[len(values)-1-i] = 100 * v
		}
		bars, err := plotter.NewBarChart(values, vg.Points(width))
		if err != nil {
			return fmt.Errorf("plot %s: %w", group.Name, err)
		}
		bars.Horizontal = true
		bars.Color = colors[g%len(colors)]
		bars.LineStyle.Width = 0
		bars.Offset = vg.Points(width * (float64(len(groups)-1)/2 - float64(g)))
		p.Add(bars)
		p.Legend.Add(group.Name, bars)
	}
	p.Add(plotter.NewGrid())
	p.NominalY(names...)
	p.X.Min, p.X.Max = 50, 100
	p.Y.Max++ // room for the legend
	height := vg.Length(len(variants)*(len(groups)+1)*width+90) * vg.Points(1)
	if err := p.Save(8*vg.Inch, height, file); err != nil {
		return fmt.Errorf("write the plot: %w", err)
	}
	return nil
}
