// Package doctor finds defects of an installation: its settings, files, processes, engine, schema, spool and plugin. Every finding names the defect
// and a remedy for the user to decide about. The package changes nothing, except that it starts a daemon, which opens the store.
package doctor

import (
	"context"
	"strings"
)

// group has the checks of one part.
type group struct {
	what  string
	check func(*Doctor, context.Context)
	// readsHome is set if the check is left out for a home that is not safe from other users.
	readsHome bool
}

// groups are in the order in which the user should look at them.
var groups = []group{
	{"settings", (*Doctor).settings, false},
	{"home", (*Doctor).home, false},
	{"daemon", (*Doctor).daemon, true},
	{"store", (*Doctor).store, true},
	{"spool", (*Doctor).spool, true},
	{"plugin", (*Doctor).plugin, false},
	{"codex", (*Doctor).codex, false},
}

// Examine runs all checks and returns the findings in the order of groups. One finding lists everything that is in order.
func (d *Doctor) Examine(ctx context.Context) []Finding {
	d.status, d.daemonErr = d.askStatus(ctx)
	d.found = nil
	var good []string
	for _, group := range groups {
		if group.readsHome && d.isUnsafe { // the finding about the home says why
			continue
		}
		before := len(d.found)
		if group.check(d, ctx); len(d.found) == before {
			good = append(good, group.what)
		}
	}
	if len(good) > 0 {
		d.found = append(d.found, Finding{Check: "all else", Severity: Info, Message: "is as it should be: " + strings.Join(good, ", ")})
	}
	return d.found
}
