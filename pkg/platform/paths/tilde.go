package paths

import "strings"

// Tildes replaces the user's home directory by ~ in the absolute paths of a message for people.
func Tildes(message, home string) string {
	var out strings.Builder
	for i := 0; i < len(message); {
		if message[i] != '/' || i > 0 && !strings.ContainsRune(" \t\n'\"(=", rune(message[i-1])) {
			out.WriteByte(message[i])
			i++
			continue
		}
		end := len(message)
		if stop := strings.IndexAny(message[i:], " \t\n'\":;,)"); stop >= 0 {
			end = i + stop
		}
		out.WriteString(Tilde(message[i:end], home))
		i = end
	}
	return out.String()
}

// Tilde replaces the user's home directory at the beginning of a path by ~, which a shell understands outside of
// quotes.
func Tilde(path, home string) string {
	if rest, is := strings.CutPrefix(path, home); is && home != "" && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return path
}
