package memory

import (
	"path"
	"strings"
	"unicode"
)

// CommandKey is a shell command in the form in which commands are compared: on one
// line, without a leading cd.
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

// maxSignature bounds an error signature, in bytes.
const maxSignature = 200

// ErrorSignature is an error in the form in which errors are compared: the line with
// the reason, in lower case, with numbers and hexadecimal ids replaced by # and paths
// by their last element, so that the same error from another line, run or directory has
// the same signature. An error without text has none.
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

// isHexID tells whether a word is the id of a commit or container or a UUID, and not a
// word such as "decade".
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

// ErrorReason is the line of a command's output that gives the reason of its failure: the
// first that names an error, else the last that says anything. The client's first line,
// the exit code, is no reason; neither are the lines that a build runner adds to its
// command's error.
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
