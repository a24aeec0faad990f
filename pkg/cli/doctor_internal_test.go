package cli

import (
	"errors"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/doctor"
)

func TestAWarningAloneIsNoFailure(t *testing.T) {
	broken, odd := doctor.Finding{Severity: doctor.Error}, doctor.Finding{Severity: doctor.Warning}
	mended := doctor.Finding{Severity: doctor.Error, Fixed: true}
	for _, c := range []struct {
		findings []doctor.Finding
		want     string
	}{
		{nil, ""},
		{[]doctor.Finding{odd, odd, mended, {Severity: doctor.Info}}, ""},
		{[]doctor.Finding{broken, odd}, "something is wrong: 1 finding"},
		{[]doctor.Finding{broken, broken}, "something is wrong: 2 findings"},
	} {
		err := failingFindings(c.findings)
		if (err == nil) != (c.want == "") || err != nil && (err.Error() != c.want || !errors.Is(err, errFindings)) {
			t.Errorf("%+v: %v, want %q", c.findings, err, c.want)
		}
	}
}
