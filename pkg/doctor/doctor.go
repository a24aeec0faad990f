// Package doctor finds defects of an installation: of its settings, files, processes,
// engine, schema, spool, index and plugin. Every finding names the defect and its remedy;
// it can repair some. It owns the checks and their order. It loses nothing: repairs can
// be repeated, and decisions are left to the user, with the command that carries them
// out.
package doctor

import (
	"cmp"
	"context"
	"slices"
)

// Checks is the number of groups of checks, for a progress bar.
const Checks = 10

// Examine runs all checks. Deep ones compare the index with the rows and empty
// the spool, which can take a while.
func (d *Doctor) Examine(ctx context.Context, deep bool) []Finding {
	status, agentErr := d.status(ctx)
	var findings []Finding
	for _, group := range []struct {
		what  string
		check func(context.Context) []Finding
	}{
		{"settings", d.settings},
		{"files", d.files},
		{"processes", d.processes},
		{"agent", func(context.Context) []Finding { return d.agent(status, agentErr) }},
		{"engine", d.engine},
		{"store", func(ctx context.Context) []Finding { return d.store(ctx, status) }},
		{"spool", func(context.Context) []Finding { return d.spool(status, agentErr) }},
		{"plugin", d.plugin},
		{"hooks", d.hooks},
		{"clients", d.clients},
	} {
		d.Progress(group.what)
		findings = append(findings, group.check(ctx)...)
	}
	if deep {
		d.Progress("index")
		findings = append(findings, d.deep(ctx, status, agentErr)...)
	}
	for i := range findings {
		findings[i].Fixable = findings[i].fix != nil
	}
	slices.SortStableFunc(findings, func(a, b Finding) int { return cmp.Compare(rank(a.Severity), rank(b.Severity)) })
	return findings
}

func rank(s Severity) int { return slices.Index([]Severity{Error, Warning, Info}, s) }

// Fix makes the possible repairs, in the order of dependencies: files before the agent,
// the agent before the checks that ask it.
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
		d.Progress("mending " + f.Check)
		if err := f.fix(ctx); err != nil {
			f.FixError = err.Error()
			continue
		}
		f.Fixed = true
	}
	return findings
}

// fixOrder has every check that can be mended.
var fixOrder = []string{
	checkSettingsMode, checkHomeMode, checkDataMode, checkSocket, checkReady, checkPID, checkClaimed, checkRevivable,
	checkDamaged, checkVanished, checkPending, checkDrift, checkAgent, checkBacklog, checkIndex,
}
