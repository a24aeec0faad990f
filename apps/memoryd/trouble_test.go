package main

import (
	"errors"
	"fmt"
	"testing"
)

func TestAFailedInstallationNamesTheCommandThatDoesItAgain(t *testing.T) {
	got := explain(fmt.Errorf("%w: %w", errInstall, errors.New("npm says no")))
	if got.Command != "engine install" || got.What != "the database engine could not be installed: npm says no" {
		t.Errorf("told as %+v", got)
	}
}
