package structure

import (
	"maps"
	"slices"
	"testing"
)

// circleOf is a way through the arrows that ends where it began; nil if there is none.
func circleOf(arrows map[string]map[string]bool) []string {
	done := map[string]bool{}
	var way []string
	var walk func(at string) []string
	walk = func(at string) []string {
		if i := slices.Index(way, at); i >= 0 {
			return append(slices.Clone(way[i:]), at)
		}
		if done[at] {
			return nil
		}
		way = append(way, at)
		for _, to := range slices.Sorted(maps.Keys(arrows[at])) {
			if circle := walk(to); circle != nil {
				return circle
			}
		}
		way = way[:len(way)-1]
		done[at] = true
		return nil
	}
	for _, from := range slices.Sorted(maps.Keys(arrows)) {
		if circle := walk(from); circle != nil {
			return circle
		}
	}
	return nil
}

func TestACircleIsFound(t *testing.T) {
	arrows := map[string]map[string]bool{"a": {"b": true, "c": true}, "b": {"c": true}}
	if circle := circleOf(arrows); circle != nil {
		t.Errorf("found %v", circle)
	}
	arrows["c"] = map[string]bool{"d": true}
	arrows["d"] = map[string]bool{"b": true}
	if circle := circleOf(arrows); !slices.Equal(circle, []string{"b", "c", "d", "b"}) {
		t.Errorf("found %v", circle)
	}
}
