package statement_test

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/statement"
)

func TestSameFindsTheSameTextsAsAPerson(t *testing.T) {
	same := [][2]string{
		{"The time-out of the gateway is 30 seconds.", "The timeout of the gateway is 30 seconds."},
		{"The file name is checked before upload.", "The filename is checked before upload."},
		{"Please just run the linter before each commit.", "Run the linter before each commit."},
		{"Note that uploads are scanned for viruses first.", "Uploads are scanned for viruses first."},
		{"The data base is backed up every night.", "The database is backed up every night."},
		{"Make sure to close the socket in the work flow.", "Close the socket in the workflow."},
		{"Error messages of the back-end are translated.", "Error messages of the backend are translated."},
		{"Cold storage is actually billed by the region.", "Cold storage is billed by the region."},
	}
	for _, pair := range same {
		if !statement.Read(pair[0]).Same(statement.Read(pair[1])) || !statement.Read(pair[1]).Same(statement.Read(pair[0])) {
			t.Errorf("not the same: %q and %q", pair[0], pair[1])
		}
	}
	other := [][2]string{
		{"The time-out of the gateway is 30 seconds.", "The timeout of the gateway is 60 seconds."},
		{"Please run the linter before each commit.", "Please don't run the linter before each commit."},
		{"The file name is checked before upload.", "The file size is checked before upload."},
		{"Uploads are only scanned for viruses at night.", "Uploads are scanned for viruses at night."},
	}
	for _, pair := range other {
		if statement.Read(pair[0]).Same(statement.Read(pair[1])) {
			t.Errorf("the same: %q and %q", pair[0], pair[1])
		}
	}
}

// TestSameOnTheLabelledPairs: whatever it finds beyond Compare has to be right.
func TestSameOnTheLabelledPairs(t *testing.T) {
	hits, compared, duplicates := 0, 0, 0
	for _, p := range loadPairs(t) {
		strict := statement.Parse(p.A).Compare(statement.Parse(p.B)).Relation == statement.Duplicate
		same := statement.Read(p.A).Same(statement.Read(p.B))
		if same != statement.Read(p.B).Same(statement.Read(p.A)) {
			t.Errorf("not symmetric: %q and %q", p.A, p.B)
		}
		if p.Label == statement.Duplicate {
			duplicates++
			if same {
				hits++
			}
			if strict {
				compared++
			}
		} else if same && !strict {
			t.Errorf("%s, called the same: %q and %q", p.Label, p.A, p.B)
		}
	}
	t.Logf("of %d duplicates Compare meets %d, Same %d", duplicates, compared, hits)
	if hits < compared {
		t.Errorf("Same meets %d of the duplicates, Compare %d", hits, compared)
	}
}

func TestSupersedes(t *testing.T) {
	tests := []struct {
		later, earlier string
		want           bool
	}{
		{"we don't have `Report-Id` anymore", "each commit gets a `Report-Id` trailer", true},
		{"we don't have `Report-Id` trailers anymore", "each commit must have a `Report-Id` trailer", true},
		{"use pnpm instead of npm", "we use npm for all installs", true},
		{"no longer use redis, the queue is in postgres", "jobs are queued in redis", true},
		{"the totals are not rounded but truncated", "the totals are rounded", false},
		{"store uploads not in `/var/files` but in the bucket", "uploads go to `/var/files`", true},
		{"retries are 5 now", "the gateway listens on 8080", false},
		{"the gateway listens on port 9090", "the gateway listens on port 8080", true},
		{"never log request bodies in the proxy", "log request bodies in the proxy", true},
		{"use pnpm instead of npm", "we use pnpm, npm is for the docs only", false},
		{"we don't need the `sync` job anymore", "the `sync` job was removed, we no longer need it", false},
		{"use pnpm instead of npm", "the npm registry was down on monday", false},
		{"we don't use feature flags anymore", "feature branches are squashed", false},
		{"we don't have an admin role anymore", "there is no role for guests", false},
	}
	for _, test := range tests {
		if got, why := statement.Read(test.later).Supersedes(statement.Read(test.earlier)); got != test.want {
			t.Errorf("%q after %q: %v (%s)", test.later, test.earlier, got, why)
		}
	}
	for _, p := range loadPairs(t) {
		if strict := statement.Parse(p.A).Compare(statement.Parse(p.B)).Relation == statement.Update; strict || p.Label == statement.Update {
			continue
		}
		if got, why := statement.Read(p.B).Supersedes(statement.Read(p.A)); got {
			t.Errorf("%s, called superseded (%s): %q after %q", p.Label, why, p.B, p.A)
		}
	}
}
