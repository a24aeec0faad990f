// Package doctor finds defects of an installation: of its settings, files, processes, engine, schema, spool and plugin.
// Every finding names the defect and its remedy, and doctor can repair some. It owns the checks and their order. It loses
// nothing: repairs can be repeated, and decisions are left to the user, with the command that carries them out.
package doctor

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// group is the checks about one thing.
type group struct {
	what  string
	check func(*Doctor, context.Context)
}

var groups = []group{
	{"settings", (*Doctor).settings},
	{"files", (*Doctor).files},
	{"daemon", (*Doctor).daemon},
	{"engine", (*Doctor).engine},
	{"store", (*Doctor).store},
	{"spool", (*Doctor).spool},
	{"plugin", (*Doctor).plugin},
	{"links", (*Doctor).links},
	{"codex", (*Doctor).codex},
}

// Examine runs all checks and returns the findings, the worst first. One finding sums up everything that is in order.
func (d *Doctor) Examine(ctx context.Context) []Finding {
	d.status, d.daemonErr = d.askStatus(ctx)
	d.found = nil
	var good []string
	for _, group := range groups {
		before := len(d.found)
		if group.check(d, ctx); len(d.found) == before {
			good = append(good, group.what)
		}
	}
	if len(good) > 0 {
		d.found = append(d.found, Finding{Check: "rest", Severity: Info, Message: "as it should be: " + strings.Join(good, ", ")})
	}
	for i := range d.found {
		d.found[i].Fixable = d.found[i].fix != nil
	}
	slices.SortStableFunc(d.found, func(a, b Finding) int { return cmp.Compare(rank(a.Severity), rank(b.Severity)) })
	return d.found
}

func rank(s Severity) int { return slices.Index([]Severity{Error, Warning, Info}, s) }

// Fix makes the possible repairs in the order of their dependencies: files before the daemon, and the daemon before the
// checks that ask it. It returns the findings with the results.
func (d *Doctor) Fix(ctx context.Context, findings []Finding) []Finding {
	order := make([]int, 0, len(findings))
	for i, f := range findings {
		if f.fix != nil {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(slices.Index(fixOrder, findings[a].Check), slices.Index(fixOrder, findings[b].Check))
	})
	for _, i := range order {
		f := &findings[i]
		if err := f.fix(ctx); err != nil {
			f.FixError = err.Error()
			continue
		}
		f.Fixed = true
	}
	return findings
}

// fixOrder lists the checks that can be repaired, in the order of their repairs.
var fixOrder = []string{
	checkRevivable, checkDamaged, checkVanished, checkPending, checkDrift, checkBacklog, checkLauncher, checkLink,
}
