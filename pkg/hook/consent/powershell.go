package consent

import (
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// fromPowerShell returns a text of PowerShell or cmd with its paths and variables written as a shell writes them:
// $env:NAME, ${env:NAME} and %NAME% as ${NAME}.
func fromPowerShell(text string) string {
	text = strings.NewReplacer("`\r\n", " ", "`\n", " ", "`", "", `\`, "/", ",", " ", "${env}:", "$env:").Replace(text)
	var all strings.Builder
	for text != "" {
		at := strings.IndexAny(text, "$%")
		if at < 0 {
			break
		}
		all.WriteString(text[:at])
		sign, rest := text[at:at+1], strings.TrimPrefix(text[at+1:], "{")
		isEnv := len(rest) > 4 && strings.EqualFold(rest[:4], "env:")
		if isEnv {
			rest = rest[4:]
		}
		name := rest[:len(rest)-len(strings.TrimLeft(rest, shell.NameLetters))]
		after := rest[len(name):]
		switch isHome := strings.EqualFold(name, "home"); {
		case sign == "%" && name != "" && strings.HasPrefix(after, "%"):
			after = after[1:]
		case sign == "$" && (isEnv || isHome):
			if strings.HasPrefix(text[at+1:], "{") {
				after = strings.TrimPrefix(after, "}")
			}
		default:
			all.WriteString(sign)
			text = text[at+1:]
			continue
		}
		all.WriteString("${" + strings.ToUpper(name) + "}")
		text = after
	}
	return all.String() + text
}

// spaced returns a text with blanks around its braces, except those of ${NAME}.
func spaced(text string) string {
	var all strings.Builder
	for text != "" {
		at := strings.IndexAny(text, "{}")
		if at < 0 {
			break
		}
		name, rest, isClosed := strings.Cut(text[at+1:], "}")
		if at > 0 && text[at-1:at+1] == "${" && isClosed && name != "" && strings.Trim(name, shell.NameLetters) == "" {
			all.WriteString(text[:at+1] + name + "}")
			text = rest
			continue
		}
		all.WriteString(text[:at] + " " + text[at:at+1] + " ")
		text = text[at+1:]
	}
	return all.String() + text
}
