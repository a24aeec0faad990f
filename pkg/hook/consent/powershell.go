package consent

import (
	"bytes"
	"encoding/base64"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// PowerShell is Line for a line of PowerShell, or of cmd.
func (g Guard) PowerShell(line string) (verb string, asks bool) {
	r := g.reader()
	r.power(line, 0, 0)
	return r.verb, r.verb != ""
}

// power reads a text of PowerShell as a shell text. Because its cmdlets hand on what they find, and methods of objects
// write, too, a text that names the home may only have commands that read.
func (r *reader) power(text string, depth, files int) {
	was := r.isPower
	r.isPower = true
	defer func() { r.isPower = was }()
	for _, mark := range marks {
		r.drops = r.drops || strings.Contains(strings.ToUpper(text), "ENV:"+mark)
	}
	text = r.expand(fromPowerShell(text))
	r.line(text, depth+1, files)
	if r.verb == "" && !onlyReads(text) {
		words := strings.FieldsFunc(text, func(c rune) bool { return !strings.ContainsRune(plain+":*", c) })
		r.found(changesIt, r.namesHome(text, namesIn(text)) || slices.ContainsFunc(words, func(word string) bool {
			_, value, _ := strings.Cut(word, ":") // -Path:FILE
			return r.isKept(r.Dir, word) || r.isKept(r.Dir, value)
		}))
	}
}

// encoded reads a word as the argument of -EncodedCommand.
func (r *reader) encoded(word string, depth, files int) {
	if data, err := base64.StdEncoding.DecodeString(word); err == nil && len(data) > 0 {
		text, _ := io.ReadAll(hookio.UTF8(bytes.NewReader(data))) // reading from memory cannot fail
		r.power(string(text), depth, files)
	}
}

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

const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// readingVerbs are the verbs of cmdlets that change nothing, readers other names for them.
var (
	readingVerbs = shell.SetOf(`get select test measure format where sort compare resolve split join convertfrom convertto group`)
	readers      = shell.SetOf(`gc type gci dir gi select where ? sort measure compare sls group ft fl rvpa write-output write-host out-string out-host out-null`)
)

// onlyReads reports whether all commands of a text in PowerShell read. A word after { may be a command, too.
func onlyReads(text string) bool {
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
			if (i == 0 || words[i-1] == "{") && !isReading(word) {
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
	return isCmdlet && path.Base(word) == word && readingVerbs[verb] || readers[word] || showing[word] || isValue || word == "{" || word == "}"
}
