package secrets

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

var update = flag.Bool("update", false, "write tables.go anew")

func rows(t testing.TB, table string) []Row {
	t.Helper()
	return musttest.Get(Rules(table))(t)
}

// TestTables holds the program's tables to the rows that they are made of.
func TestTables(t *testing.T) {
	var w tableWriter
	w.WriteString("// Code generated from the folder rules by go test ./pkg/text/secrets -update; DO NOT EDIT.\n\npackage secrets\n\n")
	w.prefixes(rows(t, "prefixes"))
	w.programs(rows(t, "programs"))
	w.table("readers", "reader", rows(t, "readers"), func(r Row) string { return fmt.Sprintf("{%q, %q}", r.Columns[0], r.Column(1)) })
	w.names(rows(t, "names"))
	w.keywords(rows(t, "keywords"))
	w.foreign(rows(t, "foreign"))
	w.lists(rows(t, "lists"))
	made := musttest.Get(format.Source(w.Bytes()))(t)
	if *update {
		musttest.Do(t, os.WriteFile("tables.go", made, 0o644))
		return
	}
	if have, err := os.ReadFile("tables.go"); err != nil || !bytes.Equal(have, made) {
		t.Errorf("tables.go is not made of the rows as they are: go test ./pkg/text/secrets -update (%v)", err)
	}
}

type tableWriter struct{ bytes.Buffer }

// table writes rows as an array in one line, which gofumpt leaves as it is.
func (w *tableWriter) table(name, of string, all []Row, row func(Row) string) {
	made := make([]string, len(all))
	for i, r := range all {
		made[i] = row(r)
	}
	_, _ = fmt.Fprintf(w, "var %s = [...]%s{%s}\n\n", name, of, strings.Join(made, ", "))
}

// index writes the index of a table.
func (w *tableWriter) index(name string, keys []byte) {
	var x index
	x.next = make([]uint16, len(keys)+1)
	for i := len(keys); i > 0; i-- {
		x.next[i] = x.first[keys[i-1]]
		x.first[keys[i-1]] = uint16(i)
	}
	_, _ = fmt.Fprintf(w, "var %sBy = index{first: [256]uint16{", name)
	for b, at := range x.first {
		if at > 0 {
			_, _ = fmt.Fprintf(w, "%d: %d, ", b, at)
		}
	}
	_, _ = fmt.Fprintf(w, "}, next: []uint16{")
	for _, at := range x.next {
		_, _ = fmt.Fprintf(w, "%d, ", at)
	}
	_, _ = fmt.Fprintf(w, "}}\n\n")
}

// bits writes a table of bits.
func (w *tableWriter) bits(name, of string, table []uint64) {
	_, _ = fmt.Fprintf(w, "var %s = %s{", name, of)
	for i, bits := range table {
		if bits != 0 {
			_, _ = fmt.Fprintf(w, "%d: %#x, ", i, bits)
		}
	}
	_, _ = fmt.Fprintf(w, "}\n\n")
}

func keysOf(all []Row, key func(string) byte) []byte {
	var keys []byte
	for _, r := range all {
		keys = append(keys, key(r.Columns[0]))
	}
	return keys
}

func (w *tableWriter) prefixes(all []Row) {
	// The longest of those that begin alike is asked first.
	slices.SortStableFunc(all, func(a, b Row) int { return len(b.Columns[0]) - len(a.Columns[0]) })
	w.table("prefixes", "prefix", all, func(r Row) string {
		form := r.Column(4)
		if form == "" {
			form = "drawn"
		}
		return fmt.Sprintf("{%q, %q, %s, %s, %s}", r.Columns[0], r.Columns[1], strings.ReplaceAll(r.Columns[2], "+", "|"), r.Columns[3], form)
	})
	w.index("prefixes", keysOf(all, pairOf))
}

func (w *tableWriter) programs(all []Row) {
	w.table("programs", "program", all, func(r Row) string { return fmt.Sprintf("{%q, %q}", r.Columns[0], r.Columns[1]) })
	w.index("programs", keysOf(all, hashOf))
}

func (w *tableWriter) names(all []Row) {
	for _, one := range [...][2]string{{"sure", "sureNames"}, {"likely", "likelyNames"}, {"part", "nameParts"}, {"not", "descriptors"}} {
		some := slices.DeleteFunc(slices.Clone(all), func(r Row) bool { return r.Column(2) != one[0] })
		w.table(one[1], "ending", some, func(r Row) string { return fmt.Sprintf("{%q, %q}", r.Columns[0], r.Columns[1]) })
		if one[0] != "part" {
			w.index(one[1], keysOf(some, func(s string) byte { return s[len(s)-1] }))
		}
	}
}

var roles = map[string]string{"password": "ofPassword", "key": "ofKey", "pair": "ofPair", "number": "ofNumber", "phrase": "ofPhrase", "not": "against"}

func (w *tableWriter) keywords(all []Row) {
	w.table("keywords", "keyword", all, func(r Row) string { return fmt.Sprintf("{%q, %q, %s}", r.Columns[0], r.Columns[1], roles[r.Column(2)]) })
	w.index("keywords", keysOf(all, hashOf))
}

func splitASCII(word string) (before, rest string) {
	at := strings.IndexFunc(word, func(r rune) bool { return r >= 0x80 })
	return word[:at], word[at:]
}

func (w *tableWriter) foreign(all []Row) {
	w.table("foreignWords", "foreignWord", all, func(r Row) string {
		before, rest := splitASCII(r.Columns[0])
		word := map[string]string{"password": "password", "key": "key", "number": "code"}[r.Column(2)]
		return fmt.Sprintf("{%q, %s, keyword{%q, %q, %s}, %v}", before, strconv.Quote(rest), word, r.Columns[1], roles[r.Column(2)], r.Column(3) == "joined")
	})
	w.index("foreignWords", keysOf(all, func(s string) byte { _, rest := splitASCII(s); return rest[0] }))
}

func (w *tableWriter) lists(all []Row) {
	constants := "const (\n"
	for _, r := range all {
		switch name, words := r.Columns[0], strings.Join(r.Columns[1:], " | "); name {
		case "commonPairs":
			table := make([]uint64, 26)
			for pair := range strings.SplitSeq(words, " ") {
				table[pair[0]-'a'] |= 1 << (pair[1] - 'a')
			}
			_, _ = fmt.Fprintf(w, "// letterPairs maps a letter to the set of letters that often follow it in words, both counted from 'a'.\n")
			w.bits("letterPairs", "[26]uint32", table)
		case "placeholders":
			list := strings.Fields(words)
			_, _ = fmt.Fprintf(w, "var %s = %#v\n\n", name, list)
			var keys []byte
			for _, one := range list {
				keys = append(keys, one[0])
			}
			w.index(name, keys)
		default:
			constants += fmt.Sprintf("%s = %q\n", name, words)
		}
	}
	w.WriteString(constants + ")\n")
}
