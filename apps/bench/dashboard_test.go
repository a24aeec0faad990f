package main

import (
	"flag"
	"testing"

	"github.com/urfave/cli/v2"
)

// What the dashboard is measured with by default is what a measurement accepts.
func TestPagesAreMeasuredByDefault(t *testing.T) {
	flags := flag.NewFlagSet("dashboard", flag.ContinueOnError)
	for _, f := range dashboardCommand().Flags {
		if err := f.Apply(flags); err != nil {
			t.Fatal(err)
		}
	}
	if err := pageOptions(cli.NewContext(nil, flags, nil)).validate(); err != nil {
		t.Error(err)
	}
}
