package sketch_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/sketch"
)

func TestASampleTellsWhichLinesAreGone(t *testing.T) {
	const was = "package a\n\nfunc One() {\n\treturn 1\n}\n\nfunc Two() {\n\treturn 2\n}\n"
	for name, c := range map[string]struct {
		now  string
		want float64
	}{
		"the same":          {was, 0},
		"other white space": {strings.ReplaceAll(was, "\t", "    ") + "\n\n", 0},
		"more lines":        {"// Package a has more.\n" + was + "func Three() {}\n", 0},
		"one of five":       {strings.Replace(was, "return 2", "return two()", 1), 0.2},
		"another order":     {"func Two() {\n\treturn 2\n}\nfunc One() {\n\treturn 1\n}\npackage a\n", 0},
		"empty":             {"", 1},
		"another file":      {"all:\n\tgo build ./...\n", 1},
	} {
		if got, known := sketch.SampleLines([]byte(was)).Gone([]byte(c.now)); !known || math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %g of the lines are gone (%v), want %g", name, got, known, c.want)
		}
	}
	if got, known := sketch.SampleLines(nil).Gone([]byte(was)); got != 0 || !known {
		t.Errorf("of an empty file %g is gone, %v", got, known)
	}
	for _, broken := range []sketch.LineSample{"!", "AAA", sketch.LineSample(strings.Repeat("A", 400))} {
		if _, known := broken.Gone([]byte(was)); known {
			t.Errorf("%.10q is taken for a sample", broken)
		}
	}
}

// The estimate is near the true share for files of any length, and the sample is short.
func TestASampleIsNearTheTruth(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		lines := rapid.IntRange(30, 3000).Draw(rt, "lines")
		gone := rapid.IntRange(0, lines).Draw(rt, "gone")
		salt := rapid.IntRange(0, 1<<30).Draw(rt, "salt")
		var was, now strings.Builder
		for i := range lines {
			line := fmt.Sprintf("line %d of file %d\n", i, salt)
			was.WriteString(line)
			if i >= gone {
				now.WriteString(line)
			}
		}
		sample := sketch.SampleLines([]byte(was.String()))
		got, _ := sample.Gone([]byte(now.String()))
		// Five standard errors: once in two million.
		if want := float64(gone) / float64(lines); math.Abs(got-want) > 5*0.102 || len(sample) > 96 {
			rt.Fatalf("%g of the lines are gone, the sample of %d bytes says %g", want, len(sample), got)
		}
	})
}

func BenchmarkGone(b *testing.B) {
	var text strings.Builder
	for i := range 2000 {
		_, _ = fmt.Fprintf(&text, "\tline %d of a file of usual length\n", i)
	}
	sample := sketch.SampleLines([]byte("something\nelse\n"))
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		sample.Gone([]byte(text.String()))
	}
}
