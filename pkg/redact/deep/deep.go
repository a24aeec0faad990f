// Package deep is the second pass for secrets, which is too slow for hook programs:
// the rules of gitleaks, after those of package redact. The agent runs it
// over everything before it is stored, journaled, indexed, exported or logged.
// It logs nothing and keeps nothing of what it removed.
package deep

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/rs/zerolog"
	"github.com/zricethezav/gitleaks/v8/logging"
	"github.com/zricethezav/gitleaks/v8/report"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact"
)

// Scanner finds secrets. Its methods are safe for concurrent use. The zero value
// is ready: its rules are read when they are first needed, which takes some
// milliseconds, so Warm it where nobody waits.
type Scanner struct {
	once  sync.Once
	rules *rules
	err   error
}

// Warm reads the rules, if they are not read yet. The error is one of gitleaks'
// own rules, and says that only the rules of package redact are left.
func (s *Scanner) Warm() error {
	s.once.Do(func() {
		logging.Logger = zerolog.Nop() // it would log what it finds
		s.rules, s.err = readRules()
	})
	return s.err
}

// maxPasses bounds how often Text looks again at what it changed.
const maxPasses = 4

// Text is redact.Text with the rules of gitleaks as well. Their findings are
// reported under the names gitleaks gives its rules.
func (s *Scanner) Text(text string) (string, redact.Report) {
	text, found := redact.Text(text)
	if len(text) < shortest || s.Warm() != nil {
		return text, found
	}
	for range maxPasses {
		findings, err := s.rules.find(text)
		if err != nil { // TestEveryRuleCompiles says that there is none
			break
		}
		slices.SortFunc(findings, specificFirst)
		changed := text
		for i := range findings {
			if !isOpen(findings[i]) {
				changed = redact.Replace(changed, findings[i].Secret, findings[i].RuleID, &found)
			}
		}
		if changed == text {
			break
		}
		var more redact.Report
		text, more = redact.Text(changed)
		found.Add(more)
	}
	return text, found
}

// Clean is Text without the report.
func (s *Scanner) Clean(text string) string {
	text, _ = s.Text(text)
	return text
}

// generic is the rule for whatever has a key's name and looks random.
const generic = "generic-api-key"

// specificFirst orders findings, so that a secret that two rules found gets the more
// specific name, and a finding inside another one is removed with it.
func specificFirst(a, b report.Finding) int {
	isGeneric := func(f report.Finding) int {
		if f.RuleID == generic {
			return 1
		}
		return 0
	}
	return cmp.Or(isGeneric(a)-isGeneric(b), len(b.Secret)-len(a.Secret), cmp.Compare(a.RuleID, b.RuleID), cmp.Compare(a.Secret, b.Secret))
}

// isOpen reports that the generic rule found a public value.
func isOpen(f report.Finding) bool {
	if f.RuleID != generic {
		return false
	}
	if at := len(f.Secret) - 36; at > 4 && f.Secret[at-1] == '-' && strings.Count(f.Secret[at:], "-") == 4 && strings.Trim(f.Secret[:at], "abcdefghijklmnopqrstuvwxyz-") == "" {
		return true // words and a UUID: the key of a row
	}
	before, _, _ := strings.Cut(strings.ToLower(f.Line), strings.ToLower(f.Secret))
	if len(f.Secret) == 64 && strings.Contains(before, "https://") && strings.Trim(f.Secret, "0123456789abcdef") == "" {
		return true // the checksum of what is there
	}
	for _, word := range [...]string{"public", "cache", "checksum", "sha256", "digest", "hash", "commit", "fingerprint", "integrity", "encrypted", "enc["} {
		if strings.Contains(before, word) {
			return true
		}
	}
	return len(f.Secret) >= 100 && strings.HasPrefix(f.Secret, "Ag") // a sealed secret
}

// shortest is the length in bytes below which nothing is a secret to gitleaks.
const shortest = 16
