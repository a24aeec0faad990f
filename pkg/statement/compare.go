package statement

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/policy/rules"
)

// Relation is how two texts relate.
type Relation string

// The relations.
const (
	// Duplicate: both have the same content; one is enough.
	Duplicate Relation = "duplicate"
	// Update: the same words, but another number, version, place, or yes and no: the
	// newer text corrects the older.
	Update Relation = "update"
	// Distinct: two facts, or texts too different to compare.
	Distinct Relation = "distinct"
)

// Comparison is a relation with its reason.
type Comparison struct {
	Relation   Relation
	Similarity float64 // exact Jaccard of the word sets, 0 to 1
	Reason     string
}

// plainWords is the number of different words that are not names.
func (s Statement) plainWords() int { return len(s.set) - len(s.names) }

// Compare finds the relation of two texts. It is symmetric. The exact Jaccard
// similarity of their word sets makes them comparable; then the guards decide: a name
// or path that only one text has, or words exchanged for others, make them distinct; a
// different number, version, place, negation or opposite makes one the update of the
// other.
func (s Statement) Compare(other Statement) Comparison {
	a, b := s, other
	c := Comparison{Relation: Distinct, Similarity: a.Similarity(b)}
	switch {
	case c.Similarity < rules.Similarity:
		c.Reason = fmt.Sprintf("similarity %.2f is below %g", c.Similarity, rules.Similarity)
	case !slices.Equal(a.names, b.names):
		c.Reason = "they are about " + difference(a.names, b.names)
	case min(a.plainWords(), b.plainWords()) < rules.LeastWords:
		c.Reason = "too few words"
	case exchanged(a.words, b.words) != "":
		c.Reason = "other words: " + exchanged(a.words, b.words)
	case !sameOrder(a, b):
		c.Reason = "the words are in another order"
	case turned(a, b) != "":
		c.Reason = turned(a, b)
	case !slices.Equal(sorted(a.values), sorted(b.values)):
		c.Relation, c.Reason = Update, difference(a.values, b.values)
	case !sameSequence(a.values, b.values):
		c.Relation, c.Reason = Update, "the numbers changed places"
	case !slices.Equal(a.negated, b.negated):
		c.Relation, c.Reason = Update, "the negations differ: "+difference(a.negated, b.negated)
	default:
		c.Relation, c.Reason = Duplicate, fmt.Sprintf("similarity %.2f, and all names, numbers and negations agree", c.Similarity)
	}
	return c
}

// difference lists the words that only one of two texts has. It is symmetric.
func difference(a, b []string) string {
	sides := []string{strings.Join(without(a, b), ", "), strings.Join(without(b, a), ", ")}
	slices.Sort(sides)
	for i := range sides {
		if sides[i] == "" {
			sides[i] = "nothing"
		}
	}
	return sides[0] + " here and " + sides[1] + " there"
}

// without keeps the multiplicity: two in a and one in b leave one.
func without(a, b []string) []string {
	count := map[string]int{}
	for _, text := range b {
		count[text]++
	}
	var left []string
	for _, text := range a {
		if count[text] > 0 {
			count[text]--
			continue
		}
		left = append(left, text)
	}
	return left
}

// exchanged lists the words that each text has more often than the other. If both have
// some, one word may replace another, and the texts may be two facts.
func exchanged(a, b []string) string {
	left, right := without(a, b), without(b, a)
	if len(left) == 0 || len(right) == 0 {
		return ""
	}
	return difference(left, right)
}

// sameOrder is false if two words changed places, or if too many neighbours are no
// longer adjacent. It allows moved clauses, and a change between active and passive, which
// must then reverse the order.
func sameOrder(a, b Statement) bool {
	left, right := common(a.words, b.words), common(b.words, a.words)
	if inOrderOf(a, b, left, right) {
		return true
	}
	return inOrderOf(a, b, common(a.listed, b.listed), common(b.listed, a.listed))
}

func inOrderOf(a, b Statement, left, right []string) bool {
	short := max(len(left), len(right)) <= shortSentence
	switch {
	case short && a.agent != b.agent:
		return !slices.Equal(left, right)
	case slices.Equal(left, right):
		return true
	case short && a.passive != b.passive:
		return true
	}
	pairs, kept := max(len(left), len(right))-1, neighbours(left, right)
	return places(left, right) != 2 && pairs-kept <= rules.MostBreaks
}

// shortSentence is the number of words up to which one passive reverses the whole text.
const shortSentence = 8

// places counts the positions at which two texts of the same length differ.
func places(a, b []string) int {
	if len(a) != len(b) {
		return -1
	}
	differ := 0
	for i := range a {
		if a[i] != b[i] {
			differ++
		}
	}
	return differ
}

// neighbours counts the adjacent pairs of one text that the other has.
func neighbours(a, b []string) int {
	kept := 0
	for i := 1; i < len(a); i++ {
		for j := 1; j < len(b); j++ {
			if a[i-1] == b[j-1] && a[i] == b[j] {
				kept++
				break
			}
		}
	}
	return kept
}

func common(a, b []string) []string {
	var kept []string
	for _, word := range a {
		if slices.Contains(b, word) {
			kept = append(kept, word)
		}
	}
	return kept
}

// turned finds a preposition that leads to different words, each of which both texts
// have: "from main to release" is not "from release to main".
func turned(a, b Statement) string {
	left, right := a.targets(), b.targets()
	for _, preposition := range slices.Sorted(maps.Keys(left)) {
		here, there := left[preposition], right[preposition]
		if len(common(here, there)) > 0 {
			continue
		}
		here, there = common(here, b.words), common(there, a.words)
		if len(here) > 0 && len(there) > 0 {
			return fmt.Sprintf("%s %s and %s %s", preposition, min(here[0], there[0]), preposition, max(here[0], there[0]))
		}
	}
	return ""
}

// targets lists the words that each preposition leads to.
func (s Statement) targets() map[string][]string {
	made := map[string][]string{}
	for _, led := range s.led {
		made[led.preposition] = append(made[led.preposition], led.word)
	}
	return made
}

// sameSequence compares the order of the values of each unit: "3 retries of 5 seconds"
// has two units, so either order is the same; "from 10 to 20" differs from "from 20 to
// 10".
func sameSequence(a, b []string) bool {
	byUnit := func(values []string) map[string][]string {
		made := map[string][]string{}
		for _, value := range values {
			unit := strings.TrimLeft(value, "0123456789.")
			made[unit] = append(made[unit], value)
		}
		return made
	}
	left, right := byUnit(a), byUnit(b)
	for unit, values := range left {
		if !slices.Equal(values, right[unit]) {
			return false
		}
	}
	return true
}
