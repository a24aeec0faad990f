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
	readers      = shell.SetOf(`-and -or -not -eq -ne gc type gci dir gi select where ? if elseif else sort measure compare sls group ft fl rvpa write-output write-host out-string out-host out-null`)
	loops        = shell.SetOf(`foreach foreach-object %`)
)

// acting returns the commands of a text in PowerShell, also of its substitutions, that may do more than read.
func acting(text string) []shell.Simple {
	var found []shell.Simple
	for _, one := range shell.Simples(text) {
		writes := slices.ContainsFunc(one.Writes, func(file string) bool { return !strings.EqualFold(file, "$null") })
		if len(one.Words) > 0 && !isReading(one.Words) || writes {
			found = append(found, one)
		}
		for _, run := range one.Runs {
			found = append(found, acting(run)...)
		}
	}
	return found
}

// isReading reports whether a command of PowerShell, or each command in its blocks, only reads or shows, or is a value.
// The body of a loop is a block: as a name, it is a method that runs.
func isReading(words []string) bool {
	if len(words) > 1 && (words[1] == "=" || words[1] == "in") && strings.HasPrefix(words[0], "$") {
		words = words[2:] // $x = COMMAND, foreach ($x in COMMAND)
	}
	for i, word := range words {
		word = strings.ToLower(word)
		if i > 0 && words[i-1] != "{" {
			continue
		}
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		verb, _, isCmdlet := strings.Cut(word, "-")
		isAlone := next == "" || strings.Trim(next, nameLetters) != "" // & $x WORD runs a command
		isValue := isAlone && strings.Trim(word, nameLetters+"$.[]{}") == "" && strings.IndexAny(word, "$.[{}") == 0 || word == "{"
		isLoop := loops[word] && (next == "" || next == "{")
		if !isLoop && !isValue && !(isCmdlet && path.Base(word) == word && readingVerbs[verb] && word != "get-command") && !readers[word] && !showing[word] && !changesFolder[word] {
			return false
		}
	}
	return true
}

// changesMember reports whether a text in PowerShell calls a method, sets a member, or runs what a value names.
func changesMember(text string) bool {
	squeezed := strings.ReplaceAll(text, " ", "")
	if slices.ContainsFunc([]string{">(", "&$", "&(", ".$"}, func(mark string) bool { return strings.Contains(squeezed, mark) }) {
		return true // > (Join-Path …), & $command, & (…), .$method
	}
	for at, c := range text {
		before := text[:at]
		if c == '=' {
			before = strings.TrimRight(before, " +-*/%")
		}
		if word := before[strings.LastIndexAny(before, " \t\n()[;|=")+1:]; (c == '(' || c == '=') && strings.ContainsAny(word, ".:") {
			return true
		}
	}
	return false
}
