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

// pictures is where the pictures of docs/getting-started.md are written.
var pictures = flag.String("pictures", "", "the folder to write pictures of each page to")

// The sizes of the browser's window, in pixels.
const (
	wideWidth, narrowWidth = 1280, 420
	pictureHeight          = 800
)

// drawn waits until the browser has drawn what a change of the window needs.
const drawn = `new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))`

// picture writes the top of the page on a wide screen in light, if pictures are wanted.
func (b *browser) picture(name string) {
	b.t.Helper()
	if *pictures == "" {
		return
	}
	wanted := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "light"}}
	var data []byte
	b.do(
		emulation.SetDeviceMetricsOverride(wideWidth, pictureHeight, 1, false),
		emulation.SetEmulatedMedia().WithFeatures(wanted),
		chromedp.Evaluate("scrollTo(0, 0)", nil),
		chromedp.Evaluate(drawn, nil, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }),
		chromedp.ActionFunc(func(ctx context.Context) (err error) { return chromedp.CaptureScreenshot(&data).Do(ctx) }),
	)
	small, err := fewColors(data)
	if err == nil {
		err = os.WriteFile(filepath.Join(*pictures, name+"-light.png"), small, 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
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
