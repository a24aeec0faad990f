package memory

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// CommandKey normalises a shell command for comparisons: one line, without a leading cd.
func CommandKey(command string) string {
	key := OneLine(command)
	for strings.HasPrefix(key, "cd ") {
		_, rest, found := strings.Cut(key, "&& ")
		if !found {
			break
		}
		key = rest
	}
	return key
}

// maxSignature limits an error signature, in bytes.
const maxSignature = 200

// ErrorSignature normalises an error for comparisons: the line with the reason, in lower case, with # for numbers and hexadecimal
// ids, and paths reduced to their last element. So the same error has the same signature on another line, run or machine. An
// error without text has none.
func ErrorSignature(text string) string {
	words := Each(strings.Fields(strings.ToLower(ErrorReason(text))), signatureWord)
	return Cut(strings.Join(words, " "), maxSignature)
}

func signatureWord(word string) string {
	if strings.Contains(word, "/") && !strings.Contains(word, "://") {
		word = path.Base(word)
	}
	if isHexID(strings.Trim(word, `"'()[]{},;:.`)) {
		return "#"
	}
	var out strings.Builder
	inNumber := false
	for _, r := range word {
		if unicode.IsDigit(r) {
			if !inNumber {
				out.WriteByte('#')
			}
			inNumber = true
			continue
		}
		inNumber = false
		out.WriteRune(r)
	}
	return out.String()
}

// isHexID reports whether a word is a UUID or the id of a commit or container, rather than a word such as "decade".
func isHexID(word string) bool {
	return len(word) >= 7 && strings.ContainsAny(word, "0123456789") && strings.Trim(word, "0123456789abcdef-") == ""
}

// ErrorReason returns the line of a command's output with the reason of its failure: the first that names an error, else the last
// with any text. It skips the client's first line (the exit code) and the lines that a build runner adds.
func ErrorReason(output string) string {
	last := ""
	for line := range strings.Lines(output) {
		line = OneLine(line)
		lower := strings.ToLower(line)
		switch {
		case line == "" || slices.ContainsFunc(runnerNoise, func(begin string) bool { return strings.HasPrefix(lower, begin) }):
		case slices.ContainsFunc(reasons, func(word string) bool { return strings.Contains(lower, word) }):
			return line
		default:
			last = line
		}
	}
	return last
}

// runnerNoise begins the lines that a build runner or the client adds.
var runnerNoise = []string{
	"exit code ", "make: ***", "make[", "npm err!", "npm error", "error command failed", "exit status ", "fail\t",
}

// reasons are words of the lines that name an error.
var reasons = []string{"error", "fatal", "panic", "fail", "cannot", "not found", "denied", "undefined"}
