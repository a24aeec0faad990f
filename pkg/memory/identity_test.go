package memory_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestOneSentenceHasOneID, however it is written: what the user forgot or edited does not come back in another writing.
func TestOneSentenceHasOneID(t *testing.T) {
	const said = "the class Foo uses gRPC on 7711"
	id := func(text string) string { return memory.NewID(memory.ScopeProject, "p", text) }
	for _, text := range []string{
		"The class Foo uses gRPC on 7711.", " the  class\nFoo uses gRPC\u00a0on 7711 !", said + ";", said + "…", said + "...", "**" + said + "**", "*" + said + ".*", "__" + said + "__!",
		`"The class Foo uses gRPC on 7711."`, "'" + said + "'", "`" + said + "`", "“" + said + "”.", "„" + said + "“", "«" + said + "»", "**“" + said + "”**",
	} {
		musttest.Same(t, id(said), id(text), "the id of %q", text)
	}
	for _, text := range []string{
		"the class foo uses gRPC on 7711", "the class Foo uses grpc on 7711", said + "?", "the class **Foo** uses gRPC on 7711", "never " + said, "*the class* Foo uses gRPC on *7711*",
	} {
		if id(text) == id(said) {
			t.Errorf("%q has the id of %q", text, said)
		}
	}
	musttest.Same(t, false, id("__init__") == id("init"), "a name and another have one id")
}

func TestWholeIDsInATextAreShortened(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "nothing here": "nothing here", "0123456789ab": "0123456789ab",
		"14491321c5147f89aca2c5a64690c9c2":                         "14491321c514",
		"corrected by 14491321c5147f89aca2c5a64690c9c2: 21 and 24": "corrected by 14491321c514: 21 and 24",
		"14491321c5147f89aca2c5a64690c9c2f":                        "14491321c5147f89aca2c5a64690c9c2f", // no id: one digit more
	} {
		musttest.Same(t, want, memory.ShortenIDs(text), "%q became", text)
	}
}

func TestIDsAsShown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"3604d8": "3604d8", "[3604d8 note, 28 Nov]": "3604d8", "[3604D8]": "3604d8", " 3604D8 ": "3604d8", "3604d8…": "3604d8",
		"3604d8...": "3604d8", "`3604d8`": "3604d8", "#3604d8": "3604d8", "[3604d8… note] The port is 5433": "3604d8",
		"3604d8 note": "3604d8", "3604D8 convention, 28 Nov": "3604d8", "**3604d8**": "3604d8", "^3604d8": "3604d8", "«3604d8»": "3604d8", "‘3604d8’": "3604d8", "(3604d8):": "3604d8",
		"- [3604d8 note, 28 Nov] the port is 5433": "3604d8", "* 4b57 Group changes into several commits": "4b57", "id: `3604d8`": "3604d8", "Memory 3604d8": "3604d8",
		"ccee": "ccee", "- [ccee fix] ask git": "ccee", "ccee note": "ccee", "18fc6ffb73b3  2026-11-29  the port is 6543": "18fc6ffb73b3",
		"3604d8, 77ab02": "3604d8 77ab02", "3604d8,77ab02 and ccee": "3604d8 77ab02 ccee", "[3604d8 note], [77ab02 fix, 3 Nov]": "3604d8 77ab02",
		"- [3604d8 note] see [77ab02]\n\n- 4b57 Group changes": "3604d8 4b57",
		"[]": "", "": "", "face the facts": "", "[note, 28 Nov]": "", "3604d8 note\nnothing else": "", "abc": "", "cli-2026-11-29-531dc50c": "",
	} {
		musttest.Same(t, want, strings.Join(memory.IDsAsShown(text), " "), "IDsAsShown(%q)", text)
	}
}

func TestWhateverStandsAroundAnID(t *testing.T) {
	t.Parallel()
	around := []string{"", " ", "\t", "\n", "[", "]", "(", ")", "\"", "'", "`", "“", "”", "‹", "・", "- ", "* ", "• ", ",", ";", ":", "…", "...", "#", "|", "id ", "ID: ", "\u200f", "\u00a0"}
	rapid.Check(t, func(t *rapid.T) {
		mark := func(name string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(around), 0, 3).Draw(t, name), "")
		}
		id := rapid.StringMatching(`[0-9a-f]{4,32}`).Draw(t, "id")
		before, after := mark("before"), strings.ReplaceAll(strings.ToLower(mark("after")), "id", "")
		for _, text := range []string{before + id + after, before + strings.ToUpper(id) + after, before + "[" + id + " convention, 3 Nov] as it is", "[" + id + "]" + after} {
			musttest.Same(t, id, memory.IDAsShown(text), "IDAsShown(%q)", text)
		}
	})
}

func TestCountsFit(t *testing.T) {
	for got, want := range map[string]string{
		memory.Counted(1, "session"): "1 session", memory.Counted(0, "session"): "0 sessions", memory.Counted(2, "memory"): "2 memories",
		memory.Counted(1, "memory"): "1 memory", memory.Counted(3, "day"): "3 days",
	} {
		musttest.Same(t, want, got, "the words")
	}
}
