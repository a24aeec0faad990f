package paths

import (
	"strings"
	"unicode/utf8"
)

// longest is how many characters of a path are shown in a message.
const longest = 30

// Shorten abbreviates the absolute paths in a message for people: ~ stands for the user's home directory, and of a path that is
// still long its end is left. It is not for a command: the result may be no path any more.
func Shorten(message, home string) string {
	return replacePaths(message, func(path string) string { return shortened(path, home) })
}

// Tildes writes the absolute paths in a message for people whole, with ~ for the user's home directory.
func Tildes(message, home string) string {
	return replacePaths(message, func(path string) string { return Tilde(path, home) })
}

// replacePaths replaces each absolute path in a message.
func replacePaths(message string, replace func(path string) string) string {
	var out strings.Builder
	for i := 0; i < len(message); {
		if message[i] != '/' || i > 0 && !strings.ContainsRune(" \t\n'\"(=", rune(message[i-1])) {
			out.WriteByte(message[i])
			i++
			continue
		}
		end := i + len(message[i:])
		if stop := strings.IndexAny(message[i:], " \t\n'\":;,)"); stop >= 0 {
			end = i + stop
		}
		out.WriteString(replace(message[i:end]))
		i = end
	}
	return out.String()
}

func shortened(path, home string) string {
	path = Tilde(path, home)
	if utf8.RuneCountInString(path) <= longest {
		return path
	}
	for rest := path; ; {
		_, after, more := strings.Cut(rest[1:], "/")
		if !more {
			runes := []rune(path)
			return "…" + string(runes[len(runes)-longest+1:])
		}
		if rest = "/" + after; utf8.RuneCountInString(rest) < longest {
			return "…" + rest
		}
	}
}

// Tilde writes a path below the user's home directory with ~, which a shell understands outside of quotes.
func Tilde(path, home string) string {
	if rest, is := strings.CutPrefix(path, home); is && home != "" && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return path
}
