package main

import (
	"errors"
	"fmt"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// burstPoint is the cost of a burst in a store of some size.
type burstPoint struct {
	memories                int // in the store after it
	perSecond               float64
	agent, engine, together float64 // ms of CPU time for an event
}

func (c *burstCost) point(memories int) burstPoint {
	agent, engine := c.perEvent(c.agent.CPU), c.perEvent(c.engine.CPU)
	return burstPoint{memories, float64(c.events) / c.took.Seconds(), agent, engine, agent + engine}
}

// plotIngest draws the rate and the cost of an event over the size of the store, one
// above the other, as an SVG.
func plotIngest(file string, points []burstPoint) error {
	rate, errRate := newCurves("events/s", points, curve{"events/s", func(p burstPoint) float64 { return p.perSecond }})
	cost, errCost := newCurves("ms of CPU for an event", points,
		curve{"engine", func(p burstPoint) float64 { return p.engine }},
		curve{"agent", func(p burstPoint) float64 { return p.agent }},
		curve{"together", func(p burstPoint) float64 { return p.together }})
	if err := errors.Join(errRate, errCost); err != nil {
		return err
	}
	rate.Title.Text = "Ingest, by what the store has"
	cost.X.Label.Text = "memories in the store"
	canvas := vgsvg.New(8*vg.Inch, 6*vg.Inch)
	panels := [][]*plot.Plot{{rate}, {cost}}
	tiles := draw.Tiles{Rows: len(panels), Cols: 1, PadY: vg.Points(8), PadX: vg.Points(4), PadTop: vg.Points(4), PadRight: vg.Points(12)}
	for i, row := range plot.Align(panels, tiles, draw.New(canvas)) {
		panels[i][0].Draw(row[0])
	}
	f, err := os.Create(file)
	if err == nil {
		_, err = canvas.WriteTo(f)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("write the plot: %w", err)
	}
	return nil
}

// curve is a quantity of a burst.
type curve struct {
	name string
	of   func(burstPoint) float64
}

func newCurves(label string, points []burstPoint, curves ...curve) (*plot.Plot, error) {
	p := plot.New()
	p.Y.Label.Text, p.Y.Min = label, 0
	p.Legend.Top, p.Legend.Padding = true, vg.Points(2)
	p.Add(plotter.NewGrid())
	for i, c := range curves {
		values := make(plotter.XYs, len(points))
		for j, point := range points {
			values[j].X, values[j].Y = float64(point.memories), c.of(point)
		}
		line, err := plotter.NewLine(values)
		if err != nil {
			return nil, fmt.Errorf("plot %s: %w", c.name, err)
		}
		line.Width, line.Color = vg.Points(2), plotutil.Color(i)
		p.Add(line)
		if len(curves) > 1 {
			p.Legend.Add(c.name, line)
		}
	}
	p.X.Min, p.Y.Max = 0, p.Y.Max*1.3 // room for the legend
	return p, nil
}
