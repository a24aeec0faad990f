package project

import "strings"

// originURL returns the first non-empty url of [remote "origin"] in the text of a git config, as git itself writes it:
// one variable a line, in quotes and with escapes where they are needed. Includes are not followed.
func originURL(config string) string {
	isOrigin := false
	for line := range strings.Lines(strings.TrimPrefix(config, "\ufeff")) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "[") {
			header, _, _ := strings.Cut(line[1:], "]")
			section, name, _ := strings.Cut(header, " ")
			isOrigin = strings.EqualFold(section, "remote") && strings.Trim(name, ` "`) == "origin"
			continue
		}
		name, value, _ := strings.Cut(line, "=")
		if url := plain(value); isOrigin && url != "" && strings.EqualFold(strings.TrimSpace(name), "url") {
			return url
		}
	}
	return ""
}

// plain returns a value without its quotes, escapes and comment.
func plain(value string) string {
	var out strings.Builder
	isQuoted := false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '"':
			isQuoted = !isQuoted
		case !isQuoted && (c == '#' || c == ';'):
			return strings.TrimSpace(out.String())
		case c == '\\' && i+1 < len(value):
			i++
			out.WriteByte(value[i])
		default:
			out.WriteByte(c)
		}
	}
	return strings.TrimSpace(out.String())
}
