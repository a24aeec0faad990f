package memory

import (
	"path"
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

// ErrorSignature normalises an error for comparisons: the line with the reason, in lower
// case, with # for numbers and hexadecimal ids, and paths reduced to their last element.
// So the same error has the same signature on another line, run or machine. An error
// without text has none.
func ErrorSignature(text string) string {
	words := strings.Fields(strings.ToLower(ErrorReason(text)))
	for i, word := range words {
		words[i] = signatureWord(word)
	}
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

// isHexID reports whether a word is a UUID or the id of a commit or container, rather than
// a word such as "decade".
func isHexID(word string) bool {
	digits := 0
	for _, r := range word {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case (r >= 'a' && r <= 'f') || r == '-':
		default:
			return false
		}
	}
	return len(word) >= 7 && digits > 0
}

// ErrorReason returns the line of a command's output with the reason of its failure: the
// first that names an error, else the last with any text. It skips the client's first line
// (the exit code) and the lines that a build runner adds.
func ErrorReason(output string) string {
	last := ""
	for line := range strings.Lines(output) {
		line = OneLine(line)
		lower := strings.ToLower(line)
		if line == "" || isRunnerNoise(lower) {
			continue
		}
		for _, word := range []string{"error", "fatal", "panic", "fail", "cannot", "not found", "denied", "undefined"} {
			if strings.Contains(lower, word) {
				return line
			}
		}
		last = line
	}
	return last
}

func isRunnerNoise(line string) bool {
	for _, prefix := range []string{
		"exit code ", "make: ***", "make[", "npm err!", "npm error", "error command failed", "exit status ", "fail\t",
	} {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}
