package shell

import "path"

// lookers are programs that only show something.
var lookers = setOf(`ls cat head tail less more grep rg egrep fgrep find fd which whereis type stat file wc du df pwd echo tree diff sed awk jq cut sort uniq test [ printenv env ps pgrep lsof man sleep true false column xargs basename dirname realpath readlink date history`)

// lookerSubcommands are the subcommands that only show something.
var lookerSubcommands = map[string]map[string]bool{
	"git":     setOf(`status diff log show branch blame grep rev-parse ls-files remote describe`),
	"docker":  setOf(`ps images logs inspect`),
	"kubectl": setOf(`get describe logs`),
	"gh":      setOf(`pr issue run api repo search`),
	"npm":     setOf(`ls view list outdated`),
	"go":      setOf(`env list doc version`),
}

// LooksAround says whether a command only shows something and changes nothing.
func LooksAround(command string) bool {
	words := Parse(command).Words
	if len(words) == 0 {
		return true
	}
	for i, word := range words {
		if i > 0 && !isOperator(words[i-1]) || isOperator(word) {
			continue
		}
		program := path.Base(word)
		if lookers[program] {
			continue
		}
		if i+1 < len(words) && lookerSubcommands[program][words[i+1]] {
			continue
		}
		return false
	}
	return true
}
