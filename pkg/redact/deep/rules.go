package deep

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/viper"
	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/report"
)

// rules are those of gitleaks. A rule is compiled when a text first has one of its
// keywords: all of them take 15 MB, and most are never needed.
type rules struct {
	source config.ViperConfig // as gitleaks publishes them

	mu       sync.RWMutex
	waiting  map[start][]keyword // of rules that are not compiled
	compiled config.Config
	detector *detect.Detector // of what is compiled
}

// keyword is what a text must have, in lower case, before a rule looks at it.
type keyword struct {
	text string
	rule int // in source
}

// start is how a keyword begins. The shortest have two bytes.
type start [2]byte

func readRules() (*rules, error) {
	reader := viper.New()
	reader.SetConfigType("toml")
	err := reader.ReadConfig(strings.NewReader(config.DefaultConfig))
	r := &rules{waiting: map[start][]keyword{}}
	if err == nil {
		err = reader.Unmarshal(&r.source)
	}
	if err != nil {
		return nil, fmt.Errorf("read the rules of gitleaks: %w", err)
	}
	// What is allowed everywhere is compiled at once, and so are rules for all texts.
	first := r.source
	first.Rules = nil
	for i, rule := range r.source.Rules {
		if isForAll(rule.Keywords) {
			first.Rules = append(first.Rules, rule)
			continue
		}
		for _, text := range rule.Keywords {
			text = strings.ToLower(text)
			r.waiting[start{text[0], text[1]}] = append(r.waiting[start{text[0], text[1]}], keyword{text, i})
		}
	}
	if r.compiled, err = translate(first); err != nil {
		return nil, err
	}
	r.detector = newDetector(r.compiled)
	return r, nil
}

// isForAll tells whether a rule is to look at all texts: it has no keywords, or one that
// is too short to look for.
func isForAll(keywords []string) bool {
	return len(keywords) == 0 || slices.ContainsFunc(keywords, func(k string) bool { return len(k) < len(start{}) })
}

// translate compiles rules. Words that make a finding harmless are left in a list that
// gitleaks goes through: it would make a table of 8 MB of those of one rule.
func translate(source config.ViperConfig) (config.Config, error) {
	words := make(map[string][][]string, len(source.Rules)) // of each list of a rule
	for _, rule := range source.Rules {
		for _, list := range rule.Allowlists {
			own := []string(nil)
			if len(list.Regexes) > 0 { // a list must not be empty
				own = append(own, list.StopWords...)
				list.StopWords = nil
				defer func() { list.StopWords = own }()
			}
			words[rule.ID] = append(words[rule.ID], own)
		}
	}
	compiled, err := source.Translate()
	if err != nil {
		return compiled, fmt.Errorf("compile the rules of gitleaks: %w", err)
	}
	for id, lists := range words {
		for i, own := range lists {
			if len(own) > 0 {
				compiled.Rules[id].Allowlists[i] = withWords(*compiled.Rules[id].Allowlists[i], own)
			}
		}
	}
	return compiled, nil
}

// withWords is a list with words for which it has no table.
func withWords(list config.Allowlist, words []string) *config.Allowlist {
	for _, word := range words {
		list.StopWords = append(list.StopWords, strings.ToLower(word))
	}
	return &list
}

func newDetector(c config.Config) *detect.Detector {
	d := detect.NewDetector(c)
	d.IgnoreGitleaksAllow = true // a text cannot vouch for itself
	return d
}

// find is what all rules find in a text.
func (r *rules) find(text string) ([]report.Finding, error) {
	r.mu.RLock()
	detector, wanted := r.detector, r.wanted(text)
	r.mu.RUnlock()
	if len(wanted) > 0 {
		var err error
		if detector, err = r.compile(text); err != nil {
			return nil, err
		}
	}
	return detector.DetectString(text), nil
}

// wanted are the rules that look at a text and are not compiled. The caller holds mu.
func (r *rules) wanted(text string) map[int]bool {
	text = strings.ToLower(text)
	var wanted map[int]bool
	for i := range max(0, len(text)-1) {
		for _, k := range r.waiting[start{text[i], text[i+1]}] {
			if strings.HasPrefix(text[i:], k.text) {
				if wanted == nil {
					wanted = map[int]bool{}
				}
				wanted[k.rule] = true
			}
		}
	}
	return wanted
}

// compile compiles what a text wants, and returns a detector that has it.
func (r *rules) compile(text string) (*detect.Detector, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	wanted := r.wanted(text)
	if len(wanted) == 0 { // another call has compiled it
		return r.detector, nil
	}
	var more config.ViperConfig
	for i := range wanted {
		more.Rules = append(more.Rules, r.source.Rules[i])
	}
	compiled, err := translate(more)
	if err != nil {
		return nil, err
	}
	// Detectors in use read the old maps.
	compiled.Allowlists = r.compiled.Allowlists
	maps.Copy(compiled.Rules, r.compiled.Rules)
	maps.Copy(compiled.Keywords, r.compiled.Keywords)
	r.compiled, r.detector = compiled, newDetector(compiled)
	for start, keywords := range r.waiting {
		r.waiting[start] = slices.DeleteFunc(keywords, func(k keyword) bool { return wanted[k.rule] })
	}
	return r.detector, nil
}
