package statement_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/statement"
)

// correction is a later statement that names an old value, after one that has that value.
type correction struct{ later, earlier string }

// The pairs were written before the rule. It was made on the first half of each; the second
// half was run once, afterwards, and is held since.
var (
	corrects = []correction{
		{"actually the api listens on 7001, not 6543", "the api listens on port 6543"},
		{"no, the api listens on 7001, not on 6543", "the api listens on port 6543"},
		{"The api no longer listens on 6543 but on 7001", "the api listens on port 6543"},
		{"the api used to listen on 6543, it is 7001 now", "the api listens on port 6543"},
		{"the api's port is 7001 (was 6543)", "the api's port is 6543"},
		{"redis is on 6380 in dev from now on, not 6379", "Redis listens on 6379 in dev"},
		{"staging moved: the host is stage-5.acme.test now instead of stage-2.acme.test", "our staging host is stage-2.acme.test"},
		{"the api port changed from 6543 to 7001", "the api port is 6543"},
		{"the docs moved from docs.old.test to docs.new.test", "the docs are at docs.old.test"},
		{"we moved from jenkins to buildkite", "we build with jenkins"},
		{"we switched from yarn to pnpm", "we use yarn"},
		{"we replaced moment with dayjs", "we use moment for dates"},

		{"the api listens on 7001 now, not 6543 anymore", "the api listens on port 6543"},
		{"listens on 7001 now, not 6543 anymore", "the api listens on port 6543"},
		{"it listens on 7001 now, not on 6543 anymore", "the server listens on 6543"},
		{"the redis timeout is 30 seconds now, not 10 anymore", "the timeout of redis is 10 seconds"},
		{"we are on postgres 17 now, no longer 15", "we are on postgres 15"},
		{"the build needs node 22 instead of 18", "the build needs node 18"},
		{"the cache keeps 500 entries now, not 200 anymore", "the cache keeps 200 entries"},
		{"staging is on 10.0.4.9 now, no longer 10.0.4.2", "staging runs on 10.0.4.2"},
		{"uploads are limited to 25 MB now, not 10 anymore", "uploads are limited to 10 MB"},
		{"the worker retries 5 times instead of 3", "the worker retries 3 times"},
		{"the admin panel is on port 9100 now, not 9000 any more", "the admin panel runs on port 9000"},
		{"the metrics are on 9191 and no longer on 9090", "metrics are exposed on 9090"},
		{"the release branch is release-2 now, no longer release-1", "the release branch is release-1"},

		{"the mail relay listens on 2526 now, not 2525 anymore", "the mail relay listens on port 2525 in every environment"},
		{"our minimum go version is 1.26 now, no longer 1.24", "the minimum go version is 1.24"},
		{"sessions expire after 60 minutes now, not 30 anymore", "sessions expire after 30 minutes"},
		{"the search index has 8 shards instead of 4", "the search index has 4 shards"},
		{"the proxy listens on 8443 now, no longer on 8080", "the proxy listens on 8080"},
		{"backups are kept 14 days now, not 7 anymore", "backups are kept 7 days"},
		{"port is 7001 now, not 6543 anymore", "the port is 6543"},
		{"the queue allows 64 jobs at once now, no longer 16", "the queue allows 16 jobs at once"},
		{"the frontend uses react 19 instead of 18", "the frontend uses react 18"},
		{"the rate limit of the gateway is 200 now, not 100 anymore", "the gateway has a rate limit of 100"},
		{"lines may have 140 characters now, no longer 100", "lines may have 100 characters"},
		{"the ci image is debian-13 now, no longer debian-12", "the ci image is debian-12"},
		{"the test database is on 5433 now, not on 5432 anymore", "the test database runs on port 5432"},

		// The new value alone, or the old one by another word than "not" (the first half was tuned on).
		{"the staging database has moved to port 7001, 6543 is gone", "the staging database listens on port 6543"},
		{"the staging database has moved to port 7001", "the staging database listens on port 6543"},
		{"btw the api listens on 7001 now", "the api listens on port 6543"},
		{"postgres was upgraded to 17", "postgres is on 15"},
		{"the upload limit is now 25 MB", "the upload limit is 10 MB"},
		{"the ci image moved to debian-13 because of glibc", "the ci image is debian-12"},
		{"the metrics port changed to 9191", "the metrics port is 9090"},
		{"redis moved to 6380, 6379 is dead", "redis listens on 6379"},
		{"`legacy-queue` is gone", "jobs go through `legacy-queue`"},
		{"the release branch moved to release-2, release-1 was retired", "the release branch is release-1"},

		{"the search index has 8 shards now", "the search index has 4 shards"},
		{"the mail relay has moved to 2526", "the mail relay listens on 2525"},
		{"sessions now expire after 60 minutes", "sessions expire after 30 minutes"},
		{"the admin panel has moved to port 9100, port 9000 is gone", "the admin panel runs on port 9000"},
		{"the gateway timeout was raised to 45 seconds", "the gateway timeout is 30 seconds"},
		{"staging moved to 10.0.4.9", "staging runs on 10.0.4.2"},
		{"the worker now retries 5 times", "the worker retries 3 times"},
		{"`old-auth` has been removed", "logins go through `old-auth`"},
		{"the test database is on 5433 now", "the test database runs on port 5432"},
		{"the frontend switched to react 19", "the frontend uses react 18"},
	}
	standing = []correction{
		{"the staging database has moved to port 7001", "the production database listens on port 6543"},
		{"the staging database has moved to port 7001", "the staging cache listens on port 6543"},
		{"the staging database has 9000 tables now", "the staging database listens on port 6543"},
		{"the api also listens on 7001 now", "the api listens on 6543"},
		{"the staging database will move to port 7001", "the staging database listens on port 6543"},
		{"if the api moved to 7001 the firewall would block it", "the api listens on 6543"},
		{"has the api moved to 7001?", "the api listens on 6543"},
		{"bob said the api moved to 7001", "the api listens on 6543"},
		{"the api moved to 7001 in dev", "the api listens on 6543"},
		{"the error is gone", "wrap each call with the error of the store"},
		{"the 404 is gone", "a missing page returns 404"},
		{"the api is on 7001", "the api has 6543 routes"},

		{"the search index has 8 replicas now", "the search index has 4 shards"},
		{"the mail relay might have moved to 2526", "the mail relay listens on 2525"},
		{"sessions now expire after 60 minutes", "tokens expire after 30 minutes"},
		{"sessions of admins now expire after 60 minutes", "sessions expire after 30 minutes"},
		{"let's say the worker now retries 5 times", "the worker retries 3 times"},
		{"`old-auth` is gone", "logins go through `new-auth`"},
		{"the tests ran 5 times now", "the worker retries 3 times"},
		{"postgres was upgraded to 17", "postgres keeps 15 backups"},
		{"the frontend moved to port 3001, 3000 is gone", "the docs run on 3000"},
		{"version 2 of the api is gone, use 3", "the billing api is version 2"},
		{"we plan to drop redis, 6379 is dead then, use 6380", "the cache listens on 6379"},

		{"the api listens on 7001, not 6543", "the docs server listens on 6543"},
		{"the health check returns 200, not 404", "a missing page returns 404"},
		{"requests go from api-1 to api-2", "the api is api-1"},
		{"ports from 7000 to 7100 are open", "the api listens on 7000"},
		{"staging moved: the host is stage-5 now instead of stage-2", "the old load tests ran on stage-2"},
		{"we moved from jenkins to buildkite", "the jenkins backup has all old builds"},
		{"the gateway used to listen on 8080, it is on 8443 now", "jenkins listens on 8080"},
		{"use 3 retries, not 5", "we have 5 environments"},
		{"the api listens on 7001 now, not 6543 anymore", "the dev server of the docs listens on 6543"},
		{"the api listens on 7001 now, not 6543 anymore", "the gateway listens on 6543"},
		{"the api listens on 7001 now, not 6543 anymore", "issue 6543 is about the login page"},
		{"the redis timeout is 30 seconds now, not 10 anymore", "the postgres timeout is 10 seconds"},
		{"we are on postgres 17 now, no longer 15", "we keep 15 backups"},
		{"the build needs node 22 instead of 18", "the frontend has 18 pages"},
		{"the cache keeps 500 entries now, not 200 anymore", "health checks return 200"},
		{"staging is on 10.0.4.9 now, no longer 10.0.4.2", "the printer is on 10.0.4.2"},
		{"uploads are limited to 25 MB now, not 10 anymore", "downloads are limited to 10 MB"},
		{"the worker retries 5 times instead of 3", "the importer retries 3 times"},
		{"the admin panel is on port 9100 now, not 9000 any more", "the metrics run on port 9000"},
		{"the worker retries 5 times instead of 3", "we have 3 environments"},
		{"the release branch is release-2 now, no longer release-1", "the docs of release-1 stay online"},

		{"the mail relay listens on 2526 now, not 2525 anymore", "the fake smtp server listens on 2525"},
		{"our minimum go version is 1.26 now, no longer 1.24", "the protocol version is 1.24"},
		{"sessions expire after 60 minutes now, not 30 anymore", "tokens expire after 30 minutes"},
		{"the search index has 8 shards instead of 4", "the events table has 4 partitions"},
		{"the proxy listens on 8443 now, no longer on 8080", "jenkins listens on 8080"},
		{"backups are kept 14 days now, not 7 anymore", "logs are kept 7 days"},
		{"the queue allows 64 jobs at once now, no longer 16", "the runner has 16 cores"},
		{"the frontend uses react 19 instead of 18", "the team has 18 people"},
		{"the rate limit of the gateway is 200 now, not 100 anymore", "the batch size of the importer is 100"},
		{"lines may have 140 characters now, no longer 100", "titles may have 100 characters"},
		{"the ci image is debian-13 now, no longer debian-12", "the production hosts run debian-12"},
		{"the test database is on 5433 now, not on 5432 anymore", "the production database runs on port 5432"},
		{"listens on 7001 now, not 6543 anymore", "ticket 6543 is closed"},
	}
)

func TestACorrectionThatNamesTheOldValue(t *testing.T) {
	for _, set := range []struct {
		name  string
		pairs []correction
		want  bool
	}{{"corrects", corrects, true}, {"standing", standing, false}} {
		for i, pair := range set.pairs {
			if got, why := statement.Read(pair.later).Supersedes(statement.Read(pair.earlier)); got != set.want {
				t.Errorf("%s %d: %q after %q: %v (%s)", set.name, i, pair.later, pair.earlier, got, why)
			}
		}
	}
}

// TestACorrectionKeepsToItsSubject: for drawn subjects, properties and values a correction
// makes the statement of its own subject false, and of no other.
func TestACorrectionKeepsToItsSubject(t *testing.T) {
	subjects := []string{"api", "gateway", "mail relay", "docs server", "importer", "search index", "worker", "admin panel"}
	properties := []string{"listens on", "listens on port", "runs on port", "is limited to"}
	forms := []string{"the %s %s %d now, not %d anymore", "the %s %s %d now, no longer %d", "the %s %s %d instead of %d"}
	rapid.Check(t, func(t *rapid.T) {
		own, other := rapid.SampledFrom(subjects).Draw(t, "subject"), rapid.SampledFrom(subjects).Draw(t, "other")
		is := rapid.SampledFrom(properties).Draw(t, "property")
		before, after := rapid.IntRange(1, 65535).Draw(t, "before"), rapid.IntRange(1, 65535).Draw(t, "after")
		if before == after {
			t.Skip("nothing changed")
		}
		later := fmt.Sprintf(rapid.SampledFrom(forms).Draw(t, "form"), own, is, after, before)
		earlier := fmt.Sprintf("the %s %s %d", other, rapid.SampledFrom(properties).Draw(t, "property"), before)
		if got, why := statement.Read(later).Supersedes(statement.Read(earlier)); got != (own == other) {
			t.Errorf("%q after %q: %v (%s)", later, earlier, got, why)
		}
	})
}
