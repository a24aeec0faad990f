package paths

import (
	"strings"
	"unicode/utf8"
)

// longest is the maximum number of characters of a path in a message.
const longest = 30

// Shorten abbreviates the absolute paths in a message for people: ~ replaces the user's home directory, and a path
// that is still too long loses its beginning. Do not use it for commands, because the result may not be a path.
func Shorten(message, home string) string {
	return replacePaths(message, func(path string) string { return shortened(path, home) })
}

// Tildes replaces the user's home directory by ~ in the absolute paths of a message for people.
func Tildes(message, home string) string {
	return replacePaths(message, func(path string) string { return Tilde(path, home) })
}

// replacePaths replaces each absolute path in a message by the result of replace.
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

// Tilde replaces the user's home directory at the beginning of a path by ~, which a shell understands outside of
// quotes.
func Tilde(path, home string) string {
	if rest, is := strings.CutPrefix(path, home); is && home != "" && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return path
}
