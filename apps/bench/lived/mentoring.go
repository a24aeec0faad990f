package lived

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	speaker   = regexp.MustCompile(`(?s)^(\p{L}[\p{L}\p{N}_'-]+):\s*(.*)`)
	paragraph = regexp.MustCompile(`\n\s*\n`)
)

// mentorings reads the files dialogue_*.json in a folder.
func mentorings(dir string) (all []mentoring, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "dialogue_*.json"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s has no dialogue_*.json: scripts/fetch-memorycode fetches them", dir)
	}
	for _, file := range files {
		var d struct {
			Context      struct{ Mentor string }
			Instructions []json.RawMessage
			Sessions     []struct {
				Text        string
				Type, Topic []string
			}
		}
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, &d)
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		m := mentoring{name: "d" + strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "dialogue_"), ".json"), changed: map[string][]string{}}
		past, keys := map[string][]string{}, []string{}
		for i, s := range d.Sessions {
			m.sessions = append(m.sessions, turnsOf(s.Text, d.Context.Mentor))
			rules := keysOf(d.Instructions[i])
			for at, kind := range s.Type {
				if (kind == "instruction-add" || kind == "instruction-update") && len(rules) > 0 {
					if past[rules[0]] == nil {
						keys = append(keys, rules[0])
					}
					past[rules[0]], rules = append(past[rules[0]], s.Topic[at]), rules[1:]
				}
			}
		}
		for _, key := range keys {
			m.valid = append(m.valid, past[key][len(past[key])-1])
		}
		for i, key := range keys {
			for _, older := range past[key][:len(past[key])-1] {
				if !slices.Contains(m.valid, older) {
					m.changed[m.valid[i]] = append(m.changed[m.valid[i]], older)
				}
			}
		}
		all = append(all, m)
	}
	return all, err
}

// keysOf returns the rules that a session states or changes: the first number of each pair.
func keysOf(instructions json.RawMessage) (keys []string) {
	var all []json.RawMessage
	_ = json.Unmarshal(instructions, &all) // -1 means none
	for _, one := range all {
		var pair []json.RawMessage
		if json.Unmarshal(one, &pair) == nil && len(pair) > 0 {
			keys = append(keys, string(pair[0]))
		}
	}
	return keys
}

func turnsOf(text, mentor string) (turns []turn) {
	for _, part := range paragraph.Split(text, -1) {
		if found := speaker.FindStringSubmatch(part); found != nil {
			turns = append(turns, turn{found[1] == mentor, strings.TrimSpace(found[2])})
		} else if len(turns) > 0 {
			turns[len(turns)-1].text += "\n\n" + part
		}
	}
	return turns
}

var (
	literal   = regexp.MustCompile(`'[^']+'`)
	ruleWord  = regexp.MustCompile(`[a-z0-9_]+`)
	ruleStops = setOf("a an the to of in on with and or for from all always never by your you is are be it as into do not any")
)

// hasRule reports whether a line contains 70 % of the words of a rule, by their stems, and all its literals.
func hasRule(line, rule string) bool {
	for _, one := range literal.FindAllString(rule, -1) {
		if !strings.Contains(strings.ToLower(line), strings.ToLower(strings.Trim(one, "'"))) {
			return false
		}
	}
	words, there, shared := stemsOf(literal.ReplaceAllString(rule, "")), stemsOf(line), 0
	for word := range words {
		shared += count(there[word])
	}
	return float64(shared) >= quoteShare*float64(len(words))
}

func stemsOf(text string) map[string]bool {
	stems := map[string]bool{}
	for _, word := range ruleWord.FindAllString(strings.ToLower(text), -1) {
		if ruleStops[word] {
			continue
		}
		for _, ending := range []string{"ing", "ies", "es", "s", "ed"} {
			if stem, has := strings.CutSuffix(word, ending); has && len(stem) >= 3 {
				word = stem
				break
			}
		}
		stems[word] = true
	}
	return stems
}
