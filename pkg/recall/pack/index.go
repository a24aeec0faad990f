package pack

import (
	"fmt"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/render"
)

// between separates two names in a line. Names do not contain it.
const between = " | "

// takeIndexed drops the section's lines, and chooses new ones for the room that they used and the given room, because
// more items may now fit in full. It returns the room that is left.
func (f *filling) takeIndexed(room size) size {
	room = room.plus(f.used)
	f.choose(room)
	f.used = size{}
	for i, item := range f.Items {
		if f.taken[i] {
			f.used = f.used.plus(size{item.Tokens, utf16Len(item.Line)})
		}
	}
	if f.lines > 0 {
		f.used = f.used.plus(f.headingSize)
	}
	left := room.minus(f.used)
	named := f.nameable(left)
	unused := left.minus(sizeOf(f.indexOf(named).text, f.counter))
	for named = f.nameable(left.plus(unused)); ; named = named[:len(named)-1] { // a line may cost a little more than the sum of its parts: drop names until it fits
		f.index = f.indexOf(named)
		if cost := sizeOf(f.index.text, f.counter); cost.fits(left) {
			f.used = f.used.plus(cost)
			return room.minus(f.used)
		}
		if len(named) == 0 {
			f.index = filled{}
			return room.minus(f.used)
		}
	}
}

// choose selects the items to show in full, the best first: beyond Index.Full tokens only if all others can be named.
func (f *filling) choose(room size) {
	names := f.indexCost
	for _, cost := range f.nameCosts {
		names = names.plus(cost)
	}
	full := size{}
	clear(f.taken)
	f.lines = 0
	for i, item := range f.Items {
		if item.Line == "" {
			continue
		}
		with := full.plus(size{item.Tokens, utf16Len(item.Line)})
		if f.lines == 0 {
			with = with.plus(f.headingSize)
		}
		rest := names.minus(f.nameCosts[i])
		if !with.fits(room) || with.tokens > f.Index.Full && !with.plus(rest).fits(room) {
			continue
		}
		f.taken[i], full, names = true, with, rest
		f.lines++
	}
}

// nameable returns the best items that are not shown in full and whose names fit into room.
func (f *filling) nameable(room size) []int {
	rest, cost := []int{}, f.indexCost
	for i, item := range f.Items {
		if !f.taken[i] && item.Name != "" {
			rest, cost = append(rest, i), cost.plus(f.nameCosts[i])
		}
	}
	if cost.fits(room) {
		return rest
	}
	left := room.minus(f.indexCost).minus(f.restCost)
	return slices.DeleteFunc(rest, func(i int) bool {
		if !f.nameCosts[i].fits(left) {
			return true
		}
		left = left.minus(f.nameCosts[i])
		return false
	})
}

// measure sets nameCosts, indexCost and restCost.
func (f *filling) measure() {
	f.nameCosts = memory.Each(f.Items, func(item Item) size { return sizeOf(between+item.Name, f.counter) })
	f.indexCost, f.restCost = sizeOf(headed(f.Index.Title), f.counter), sizeOf(f.leftOut(nil), f.counter)
	for _, area := range f.Index.Areas {
		f.indexCost = f.indexCost.plus(sizeOf(areaLine(area.Name, nil), f.counter))
	}
	if slices.ContainsFunc(f.Index.Areas, func(area memory.Area) bool { return area.LeftOut > 0 }) {
		f.indexCost, f.restCost = f.indexCost.plus(f.restCost), size{}
	}
}

// indexOf returns the index with the names of the given items, and its ids.
func (f *filling) indexOf(named []int) filled {
	names, ids := map[string][]string{}, make([]string, 0, len(named))
	byPlace := slices.SortedStableFunc(slices.Values(named), func(a, b int) int { return f.Items[a].Place - f.Items[b].Place })
	for _, i := range byPlace {
		item := f.Items[i]
		names[item.Area] = append(names[item.Area], item.Name)
		ids = append(ids, item.ID)
	}
	var lines strings.Builder
	for _, area := range f.Index.Areas {
		for of := range slices.Chunk(names[area.Name], mostNames) {
			lines.WriteString(areaLine(area.Name, of))
		}
	}
	lines.WriteString(f.leftOut(names))
	if lines.Len() == 0 {
		return filled{}
	}
	return filled{headed(f.Index.Title) + lines.String(), ids}
}

// inOrder returns the taken items in the order of their lines. With an index or ByPlace each area keeps its lines,
// and its items are sorted by Place on these lines, like the names in the index.
func (f *filling) inOrder() []int {
	var order []int
	of := map[string][]int{}
	for i, item := range f.Items {
		if f.taken[i] {
			order = append(order, i)
			of[item.Area] = append(of[item.Area], i)
		}
	}
	if f.Index == nil && !f.ByPlace {
		return order
	}
	for _, all := range of {
		slices.SortStableFunc(all, func(a, b int) int { return f.Items[a].Place - f.Items[b].Place })
	}
	for at, i := range order {
		area := f.Items[i].Area
		order[at], of[area] = of[area][0], of[area][1:]
	}
	return order
}

// mostAreas limits the areas that leftOut names.
const mostAreas = 6

// leftOut returns the line that counts, for each area, the items that are neither in full nor named, or "".
func (f *filling) leftOut(names map[string][]string) string {
	count := map[string]int{}
	for i, item := range f.Items {
		if !f.taken[i] {
			count[item.Area]++
		}
	}
	total, in := 0, []string{}
	for _, area := range f.Index.Areas {
		n := area.LeftOut + count[area.Name] - len(names[area.Name])
		if n <= 0 {
			continue
		}
		total += n
		if len(in) < mostAreas {
			in = append(in, fmt.Sprintf("%s (%d)", area.Name, n))
		}
	}
	if total == 0 {
		return ""
	}
	return fmt.Sprintf("- %d more are found by search_memories, in %s\n", total, render.Harmless(strings.Join(in, ", ")))
}

// mostNames is the maximum number of names in a line; the other names get another line.
const mostNames = 20

// areaLine returns a line with names of items of an area, made safe: models and other people wrote the names.
func areaLine(area string, names []string) string {
	return render.Item(render.Harmless(area)+": ", strings.Join(names, between))
}
