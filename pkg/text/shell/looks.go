package shell

import (
	"path"
	"slices"
	"strings"
)

// readOnlyPrograms lists programs that only show something.
var readOnlyPrograms = SetOf(`ls cat head tail less more grep rg egrep fgrep find fd which whereis command cmp nc pidof getent pg_isready mountpoint ss fuser type stat file wc du df pwd echo tree diff sed awk jq cut sort uniq test [ printenv env ps pgrep lsof man sleep true false column xargs basename dirname realpath readlink date history`)

// readOnlySubcommands lists, by program, the subcommands that only show something.
var readOnlySubcommands = map[string]map[string]bool{
	"git":            SetOf(`status diff log show blame grep rev-parse ls-files ls-remote describe check-ignore merge-base show-ref cat-file`),
	"systemctl":      SetOf(`is-active is-enabled is-failed status`),
	"git remote":     SetOf(`show get-url`),
	"git branch":     nil,
	"docker":         SetOf(`ps images logs inspect`),
	"docker compose": SetOf(`ps logs config`),
	"kubectl":        SetOf(`get describe logs`),
	"gh":             SetOf(`api search status`),
	"gh pr":          SetOf(`list view status checks diff`),
	"gh issue":       SetOf(`list view status`),
	"gh run":         SetOf(`list view watch`),
	"gh repo":        SetOf(`list view`),
	"npm":            SetOf(`ls view list outdated`),
	"go":             SetOf(`env list doc version`),
}

// IsReadOnly reports whether a command only shows something and changes nothing.
func IsReadOnly(command string) bool {
	words := Parse(command).Words
	if len(words) > 0 && len(Writes(command)) > 0 {
		return false
	}
	for i, word := range words {
		if i > 0 && !isOperator(words[i-1]) || isOperator(word) {
			continue
		}
		if !readOnlyPrograms[path.Base(word)] && !showsOnly(words[i:]) {
			return false
		}
	}
	return true
}

// showsOnly reports whether words begin with a program and a subcommand of one or two words that only shows something.
func showsOnly(words []string) bool {
	program := path.Base(words[0])
	for _, word := range slices.Concat(words[1:min(3, len(words))], []string{""}) {
		subcommands, known := readOnlySubcommands[program]
		switch {
		case !known:
			return false
		case subcommands[word]:
			return true
		case word == "" || isOperator(word): // a bare "git remote" or "git branch"
			return strings.Contains(program, " ")
		}
		program += " " + word
	}
	return false
}

// Writes returns the files that a command writes by redirection or edits in place, except files below /dev and /tmp.
func Writes(command string) []string {
	var files []string
	for _, s := range split(command) {
		files = append(files, s.Writes...)
		switch program := path.Base(s.Words[0]); {
		case program == "tee":
			files = append(files, s.Words[1:]...)
		case (program == "sed" || program == "perl") && slices.ContainsFunc(s.Words, editsInPlace):
			files = append(files, s.Words[len(s.Words)-1])
		}
	}
	return slices.DeleteFunc(files, func(file string) bool {
		return file == "" || strings.HasPrefix(file, "/dev/") || strings.HasPrefix(file, "/tmp/") ||
			strings.Trim(file, "0123456789-") == ""
	})
}

func editsInPlace(word string) bool {
	return strings.HasPrefix(word, "-i") || strings.HasPrefix(word, "-pi") || word == "--in-place"
}
