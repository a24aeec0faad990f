package answers

import (
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const (
	// mostFound bounds the memories of one answer.
	mostFound = 100
	// mostListedThrough bounds the memories that one call of List or Find reads from the
	// store.
	mostListedThrough = 2000
)

func isListed(p agentapi.ListParams, m memory.Memory) bool {
	isOf := func(file string) bool {
		return file == p.File || strings.HasPrefix(file, strings.TrimSuffix(p.File, "/")+"/")
	}
	switch {
	case len(p.Kinds) > 0 && !slices.Contains(p.Kinds, m.Kind),
		p.Tag != "" && !m.HasTag(p.Tag),
		p.Scope != "" && m.Scope != p.Scope,
		p.Type != "" && m.Type != p.Type,
		p.File != "" && !slices.ContainsFunc(m.Files, isOf),
		!p.Since.IsZero() && m.LastSeenAt.Before(p.Since),
		!p.Until.IsZero() && !m.LastSeenAt.Before(p.Until):
		return false
	}
	return true
}
