package knowledge

// Decides tells whether the answer to a question that the assistant asked by a tool
// decides something about the project, rather than how to go on.
func Decides(question, answer string) bool {
	asked := lastQuestion(question)
	if asked == "" {
		asked = question
	}
	words, said := tokens(asked), names(answer)
	start := opening(words)
	if proceeding.In(words, start) {
		return start < len(words) && words[start] == "should" && said > 0
	}
	return names(asked)+said >= 2
}

// names counts the words of a text that may name something.
func names(text string) int {
	n := 0
	for _, word := range tokens(text) {
		if len(word) > 1 && !offering[word] && !askers[word] && !opensOnly[word] && !bare[word] {
			n++
		}
	}
	return n
}

var proceeding = phrases("proceeding")

// Corrects tells whether the words with which the user refused a call name something, and
// are not only a no.
func Corrects(words string) bool {
	all := tokens(words)
	return len(all) > 0 && !isBare(all) && !GoOn(words)
}
