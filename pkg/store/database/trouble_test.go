package database

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
)

func TestAFailedInstallationNamesTheCommandThatDoesItAgain(t *testing.T) {
	got := Explain(fmt.Errorf("%w: %w", errInstall, errors.New("npm fails")), "v1")
	if got.Command != "setup engine install" || got.Problem != "the database engine could not be installed: npm fails" {
		t.Errorf("explained as %+v", got)
	}
}

func TestAnOlderPluginNamesTheUpdate(t *testing.T) {
	got := Explain(fmt.Errorf("bring the schema up to date: %w: it is at version 13", migrate.ErrNewer), "v1")
	if !strings.Contains(got.Problem, "leaves the store unchanged") || !strings.Contains(got.Problem, "at version 13") || !strings.Contains(got.String(), "claude plugin update") {
		t.Errorf("explained as %+v", got)
	}
}
