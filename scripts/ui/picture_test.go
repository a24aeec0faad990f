//go:build ui

package ui

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// pictures is where the pictures of docs/dashboard.md are written.
var pictures = flag.String("pictures", "", "the folder to write pictures of each page to")

// The sizes of the browser's window, in pixels.
const (
	wideWidth, narrowWidth = 1280, 420
	pictureHeight          = 800
)

// Plots are drawn again for a new width, a moment after the window has it.
const (
	plotsFit = `[...document.querySelectorAll(".canvas")].every(canvas =>
		[...canvas.querySelectorAll(".u-wrap")].every(plot => plot.offsetWidth <= Math.max(canvas.clientWidth, 200)))`
	drawn = `new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))`
)

// picture writes the page on a wide and a narrow screen, in light and in dark, if pictures are wanted. With a
// selector it shows that element, else the top of the page.
func (b *browser) picture(name string, selector ...string) {
	b.t.Helper()
	if *pictures == "" {
		return
	}
	for _, width := range []int64{wideWidth, narrowWidth} {
		b.do(emulation.SetDeviceMetricsOverride(width, pictureHeight, 1, width == narrowWidth))
		for _, scheme := range []string{"light", "dark"} {
			wanted := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
			b.do(emulation.SetEmulatedMedia().WithFeatures(wanted), chromedp.Poll(plotsFit, nil))
			scroll := "scrollTo(0, 0)"
			if len(selector) > 0 {
				scroll = fmt.Sprintf("document.querySelector(%q).scrollIntoView({block: \"center\"})", selector[0])
			}
			var data []byte
			b.do(
				chromedp.Evaluate(scroll, nil),
				chromedp.Evaluate(drawn, nil, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }),
				chromedp.ActionFunc(func(ctx context.Context) (err error) { return chromedp.CaptureScreenshot(&data).Do(ctx) }),
			)
			file := name + "-" + scheme + ".png"
			if width == narrowWidth {
				file = name + "-narrow-" + scheme + ".png"
			}
			small, err := fewColors(data)
			if err == nil {
				err = os.WriteFile(filepath.Join(*pictures, file), small, 0o600)
			}
			if err != nil {
				b.t.Fatal(err)
			}
		}
	}
	b.do(emulation.ClearDeviceMetricsOverride(), emulation.SetEmulatedMedia())
}

// fewColors has a picture in its 256 most frequent colours that differ visibly, which takes a third of the space: pages
// have few colours, and many between them at the edges of letters.
func fewColors(data []byte) ([]byte, error) {
	full, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	counts := map[color.RGBA]int{}
	bounds := full.Bounds()
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(full.At(x, y)).(color.RGBA) }
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[at(x, y)]++
		}
	}
	frequent := make([]color.RGBA, 0, len(counts))
	for c := range counts {
		frequent = append(frequent, c)
	}
	slices.SortFunc(frequent, func(x, y color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[y], counts[x]), cmp.Compare(fmt.Sprint(x), fmt.Sprint(y)))
	})
	var palette color.Palette
	for _, c := range frequent {
		if len(palette) < 256 && (len(palette) == 0 || distance(palette[palette.Index(c)].(color.RGBA), c) > 12) {
			palette = append(palette, c)
		}
	}
	nearest := map[color.RGBA]uint8{}
	for c := range counts {
		nearest[c] = uint8(palette.Index(c))
	}
	small := image.NewPaletted(bounds, palette)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			small.SetColorIndex(x, y, nearest[at(x, y)])
		}
	}
	var out bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, small)
	return out.Bytes(), err
}

func distance(x, y color.RGBA) int {
	between := func(a, b uint8) int { return max(int(a), int(b)) - min(int(a), int(b)) }
	return between(x.R, y.R) + between(x.G, y.G) + between(x.B, y.B)
}
