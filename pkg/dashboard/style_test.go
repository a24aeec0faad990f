package dashboard_test

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestTextHasEnoughContrast holds both schemes to level AA of the Web Content Accessibility Guidelines: 4.5 for text
// on each background that it stands on.
func TestTextHasEnoughContrast(t *testing.T) {
	css := musttest.Get(os.ReadFile("style.css"))(t)
	light, dark, found := strings.Cut(string(css), "@media (prefers-color-scheme: dark)")
	dark, _, _ = strings.Cut(dark, "* { box-sizing")
	if !found {
		t.Fatal("there is no dark scheme")
	}
	variable := regexp.MustCompile(`--([\w-]+): (#[0-9a-f]{3,6});`)
	for scheme, text := range map[string]string{"light": light, "dark": dark} {
		colors := map[string]string{}
		for _, one := range variable.FindAllStringSubmatch(text, -1) {
			colors[one[1]] = one[2]
		}
		pairs := [][2]string{{"on-accent", "accent"}, {"violet", "card"}, {"amber", "card"}, {"green", "card"}, {"red", "card"}}
		for _, back := range []string{"back", "card", "hover"} {
			pairs = append(pairs, [2]string{"text", back}, [2]string{"soft", back}, [2]string{"accent", back})
		}
		for name := range colors {
			if tinted, is := strings.CutSuffix(name, "-tint"); is {
				pairs = append(pairs, [2]string{tinted, name})
			}
		}
		if len(pairs) < 20 {
			t.Errorf("%s has only the colours %v", scheme, colors)
		}
		for _, pair := range pairs {
			if got := contrast(t, colors[pair[0]], colors[pair[1]]); got < 4.5 {
				t.Errorf("%s: %s (%s) on %s (%s) has a contrast of %.2f", scheme, pair[0], colors[pair[0]], pair[1], colors[pair[1]], got)
			}
		}
	}
}

func contrast(t *testing.T, one, two string) float64 {
	t.Helper()
	x, y := luminance(t, one), luminance(t, two)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// luminance is the relative luminance of #rgb or #rrggbb, as the guidelines define it.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	if len(hex) == 4 {
		hex = fmt.Sprintf("#%[1]c%[1]c%[2]c%[2]c%[3]c%[3]c", hex[1], hex[2], hex[3])
	}
	var channels [3]uint8
	if _, err := fmt.Sscanf(hex, "#%02x%02x%02x", &channels[0], &channels[1], &channels[2]); err != nil {
		t.Fatalf("the colour %q: %v", hex, err)
	}
	var linear [3]float64
	for i, channel := range channels {
		c := float64(channel) / 255
		if linear[i] = c / 12.92; c > 0.04045 {
			linear[i] = math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	return 0.2126*linear[0] + 0.7152*linear[1] + 0.0722*linear[2]
}
