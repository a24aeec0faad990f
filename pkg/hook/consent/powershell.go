package consent

import (
	"path"
	"slices"
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
		name := rest[:len(rest)-len(strings.TrimLeft(rest, nameLetters))]
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
		if at > 0 && text[at-1:at+1] == "${" && isClosed && name != "" && strings.Trim(name, nameLetters) == "" {
			all.WriteString(text[:at+1] + name + "}")
			text = rest
			continue
		}
		all.WriteString(text[:at] + " " + text[at:at+1] + " ")
		text = text[at+1:]
	}
	return all.String() + text
}

const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// readingVerbs are the verbs of cmdlets that change nothing, readers other names for them.
var (
	readingVerbs = shell.SetOf(`get select test measure format where sort compare resolve split join convertfrom convertto group`)
	readers      = shell.SetOf(`gc type gci dir gi select where ? if elseif else sort measure compare sls group ft fl rvpa write-output write-host out-string out-host out-null`)
)

// onlyReads reports whether all commands of a text in PowerShell read, or are among showing. A word after { may be a
// command, too.
func onlyReads(text string, showing map[string]bool) bool {
	if strings.Contains(strings.ReplaceAll(text, " ", ""), ">(") { // > (Join-Path …)
		return false
	}
	for _, one := range shell.Simples(text) {
		words := one.Words
		if slices.ContainsFunc(one.Writes, func(file string) bool { return !strings.EqualFold(file, "$null") }) {
			return false
		}
		if len(words) > 1 && words[1] == "=" {
			words = words[2:] // $x = COMMAND
		}
		for i, word := range words {
			if (i == 0 || words[i-1] == "{") && !isReading(word) && !showing[strings.ToLower(word)] {
				return false
			}
		}
	}
	return true
}

// isReading reports whether a word is a command of PowerShell that only reads, or an expression without a method.
func isReading(word string) bool {
	word = strings.ToLower(word)
	verb, _, isCmdlet := strings.Cut(word, "-")
	isValue := strings.HasPrefix(word, "$") && !strings.ContainsAny(word, ".:")
	return isCmdlet && path.Base(word) == word && readingVerbs[verb] || readers[word] || isValue || word == "{" || word == "}"
}
