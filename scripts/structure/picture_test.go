package structure

import (
	"bytes"
	"flag"
	"fmt"
	"html"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

var update = flag.Bool("update", false, "draw docs/img/rooms.svg again")

// TestThePictureShowsTheRooms compares docs/img/rooms.svg with the packages of the
// programs: each package, or group of packages, above all that it imports, and the walks of
// docs/architecture.md through them.
func TestThePictureShowsTheRooms(t *testing.T) {
	want := drawn(t, rooms(t), walks(t))
	file := filepath.Join(repository, "docs", "img", "rooms.svg")
	if *update {
		musttest.Do(t, os.WriteFile(file, want, 0o600))
	}
	got, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/img/rooms.svg shows other packages, imports or walks than there are: draw it again by go test ./scripts/structure -update, and look at it (%v)", err)
	}
}

// groups are drawn as one room each.
var groups = []string{"apps/hooks", "pkg/cli"}

// rooms are the packages that the programs link, each with those it imports.
func rooms(t *testing.T) map[string][]string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./apps/...")
	cmd.Dir, cmd.Env = repository, append(os.Environ(), "GOOS=linux", "GOWORK=off")
	list := musttest.Get(cmd.Output())(t)
	all := map[string][]string{}
	for line := range strings.Lines(string(list)) {
		names := strings.Fields(line)
		room, isOurs := roomOf(names[0])
		if !isOurs {
			continue
		}
		if _, known := all[room]; !known {
			all[room] = nil
		}
		for _, name := range names[1:] {
			if imported, isOurs := roomOf(name); isOurs && imported != room && !slices.Contains(all[room], imported) {
				all[room] = append(all[room], imported)
			}
		}
	}
	return all
}

// roomOf is the room that shows a package, if it is one of the module.
func roomOf(importPath string) (room string, isOurs bool) {
	room, isOurs = strings.CutPrefix(importPath, module+"/")
	return groupOf(room), isOurs
}

// groupOf is the group of a package, or itself.
func groupOf(name string) string {
	for _, group := range groups {
		if strings.HasPrefix(name, group+"/") {
			return group
		}
	}
	return name
}

// floors puts each room one floor above the highest that it imports, and the programs
// on the top floor.
func floors(rooms map[string][]string) [][]string {
	heights := map[string]int{}
	var heightOf func(room string) int
	heightOf = func(room string) int {
		if height, known := heights[room]; known {
			return height
		}
		height := 0
		for _, imported := range rooms[room] {
			height = max(height, heightOf(imported)+1)
		}
		heights[room] = height
		return height
	}
	top := 0
	for room := range rooms {
		top = max(top, heightOf(room))
	}
	all := make([][]string, top+1)
	for _, room := range slices.Sorted(maps.Keys(rooms)) {
		floor := top - heights[room]
		if strings.HasPrefix(room, "apps/") {
			floor = 0
		}
		all[floor] = append(all[floor], room)
	}
	return all
}

// Sizes, in pixels.
const (
	roomWidth, roomHeight = 136, 52
	gap, rowGap, floorGap = 12, 10, 26
	inRow                 = 8
	margin                = 16
	legend                = 84
	width                 = 2*margin + inRow*roomWidth + (inRow-1)*gap
)

var colours = []string{"#1f6fb4", "#c2410c", "#15803d"}

type point struct{ x, y int }

// drawn is the picture.
func drawn(t *testing.T, rooms map[string][]string, walks []walk) []byte {
	t.Helper()
	places, height := placed(floors(rooms))
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	b.WriteString("<title>The packages, each above those that it imports, and three walks through them</title>\n")
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", width, height)
	for i, w := range walks {
		y := margin + 14 + i*22
		fmt.Fprintf(&b, `<circle cx="%d" cy="%d" r="8" fill="%s"/><text x="%d" y="%d" fill="#111827">%s</text>`+"\n",
			margin+8, y-4, colours[i], margin+24, y, html.EscapeString(legendOf(w)))
	}
	for _, room := range slices.Sorted(maps.Keys(places)) {
		at, fill := places[room], "#f3f4f6"
		if strings.HasPrefix(room, "apps/") {
			fill = "#e0e7ff"
		}
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" rx="5" fill="%s" stroke="#9ca3af"/>`+"\n", at.x, at.y, roomWidth, roomHeight, fill)
	}
	visits := map[string]int{}
	for i, w := range walks {
		drawWalk(t, &b, places, visits, w, colours[i])
	}
	for _, room := range slices.Sorted(maps.Keys(places)) {
		at := places[room]
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle" fill="#111827">%s</text>`+"\n", at.x+roomWidth/2, at.y+18, strings.TrimPrefix(room, "pkg/"))
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// legendOf names a walk and its rooms, so that the picture can be read aloud.
func legendOf(w walk) string {
	var names []string
	for _, s := range w.steps {
		if name := strings.TrimPrefix(s.room(), "pkg/"); len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	text := w.title + ": " + strings.Join(names, " → ")
	for i, room := range w.notified {
		text += []string{" ⇢ ", ", "}[min(i, 1)] + strings.TrimPrefix(room, "pkg/")
	}
	return text
}

// placed returns the place of each room, and the height of the picture.
func placed(floors [][]string) (places map[string]point, height int) {
	places, y := map[string]point{}, margin+legend
	for _, floor := range floors {
		for row := range slices.Chunk(floor, inRow) {
			left := (width - len(row)*roomWidth - (len(row)-1)*gap) / 2
			for i, room := range row {
				places[room] = point{left + i*(roomWidth+gap), y}
			}
			y += roomHeight + rowGap
		}
		y += floorGap - rowGap
	}
	return places, y - floorGap + margin
}

// drawWalk draws a numbered dot into each room that a walk comes to, and lines between them; broken ones to the
// notified rooms.
func drawWalk(t *testing.T, b *bytes.Buffer, places map[string]point, visits map[string]int, w walk, colour string) {
	t.Helper()
	var last point
	number, room := 0, ""
	visit := func(next string) point {
		corner, known := places[next]
		if !known {
			t.Errorf("%s goes through %s, which no program links", w.title, next)
		}
		visits[next]++
		return point{corner.x + 18*visits[next], corner.y + 36}
	}
	line := func(from, to point, more string) {
		bend := (to.x - from.x) / 6
		fmt.Fprintf(b, `<path d="M%d %d Q%d %d %d %d" fill="none" stroke="%s" stroke-width="1.6" stroke-opacity="0.55"%s/>`+"\n",
			from.x, from.y, (from.x+to.x)/2+(to.y-from.y)/8, (from.y+to.y)/2-bend, to.x, to.y, colour, more)
	}
	dot := func(at point, text string) {
		fmt.Fprintf(b, `<circle cx="%d" cy="%d" r="8" fill="%s"/><text x="%d" y="%d" text-anchor="middle" font-size="10" fill="#ffffff">%s</text>`+"\n",
			at.x, at.y, colour, at.x, at.y+4, text)
	}
	for _, s := range w.steps {
		if s.room() == room {
			continue
		}
		at := visit(s.room())
		if number++; number > 1 {
			line(last, at, "")
			dot(last, fmt.Sprint(number-1))
		}
		last, room = at, s.room()
	}
	for _, room := range w.notified {
		at := visit(room)
		line(last, at, ` stroke-dasharray="4 3"`)
		dot(at, fmt.Sprint(number+1))
	}
	dot(last, fmt.Sprint(number))
}
