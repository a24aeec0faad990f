package paths

import "strings"

// Tildes replaces the user's home directory by ~ in the absolute paths of a message for people.
func Tildes(message, home string) string {
	message = " " + message
	for _, before := range " \t\n'\"(=" {
		message = strings.ReplaceAll(message, string(before)+home+"/", string(before)+Tilde(home, home)+"/")
	}
	return message[1:]
}

// Tilde replaces the user's home directory at the beginning of a path by ~, which a shell understands outside of
// quotes.
func Tilde(path, home string) string {
	if rest, is := strings.CutPrefix(path, home); is && home != "" && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return path
}
