package rules

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Sentence is a policy as one sentence with the numbers that are in force.
type Sentence struct {
	Policy string `json:"policy"`
	Text   string `json:"text"`
}

// Sentences are all policies, in the order in which they apply to a memory.
func (r Rules) Sentences() []Sentence {
	return []Sentence{
		{"strength", fmt.Sprintf("An unused memory loses half of its strength in %s if it is working, %s if it is episodic, %s if it is semantic and %s if it is procedural, "+
			"counted in days on which its project was active, and each use makes that %s longer, up to %s times.",
			days(WorkingHalfLife), days(r.EpisodicHalfLife), days(r.SemanticHalfLife), days(r.ProceduralHalfLife),
			percent(Lengthening), number(LongestFactor))},
		{"dedup", fmt.Sprintf("Two of a model's facts with at least %s each that share %s of them, in the same order, are one if all numbers, names and negations agree; "+
			"of your own statements only those of the same words are one.",
			counted(LeastWords, "word"), percent(Similarity))},
		{"promote", fmt.Sprintf("A session's memory becomes its project's when it was seen in %s, or has importance %s and %s; a project's semantic or procedural memory becomes the user's "+
			"when it has importance %s, %s and was seen in %s; below importance %s it goes back to its session, below %s to its project.",
			counted(ProjectSessions, "session"), number(ProjectImportance), counted(ProjectUses, "use"),
			number(UserImportance), counted(UserUses, "use"), counted(UserProjects, "project"),
			number(ProjectImportance-Margin), number(UserImportance-Margin))},
		{"stale", fmt.Sprintf("A memory whose files have changed much since it was stated keeps %s of its importance until they are back; "+
			"memories that you asked for or pinned keep all of it.", percent(StaleFactor))},
		{"prune", fmt.Sprintf("A memory weaker than %s with fewer than %s is archived, and so are the weakest of a project with more than %s or of the user's with more than %s; "+
			"%s later a memory weaker than %s loses its text; protected memories stay, and no more than %s of a budget scope's memories go within %s.",
			number(ArchiveBelow), counted(BarelyUsed, "use"), counted(r.ProjectBudget, "token"), counted(r.UserBudget, "token"),
			Span(r.Grace), number(ForgetBelow), percent(r.LargestShare), Span(Window))},
	}
}

// days is a number of days in the unit that fits.
func days(n float64) string {
	if n < 1 {
		return measured(n*24, "hour")
	}
	return measured(n, "day")
}

// Span is a duration in the unit that fits.
func Span(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= day && d%day == 0 {
		return counted(int(d/day), "day")
	}
	return measured(d.Hours(), "hour")
}

func percent(share float64) string { return number(share*100) + " %" }

// number has at most two decimals, or as many as a small number needs not to be 0.
func number(n float64) string {
	rounded := math.Round(n*100) / 100
	if rounded == 0 && n != 0 {
		rounded = n
	}
	return strconv.FormatFloat(rounded, 'g', 10, 64)
}

func measured(n float64, unit string) string {
	text := number(n) + " " + unit
	if number(n) == "1" {
		return text
	}
	return text + "s"
}

// counted is a whole number, in groups of three digits, with its noun.
func counted(n int, one string) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	if n == 1 {
		return text + " " + one
	}
	return text + " " + one + "s"
}
