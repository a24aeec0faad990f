package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/registry"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
)

func TestACaptureHookIsMeasuredInBothDurabilities(t *testing.T) {
	capture := program{Program: registry.Program{Event: "Stop"}, name: "stop"}
	recall := program{Program: registry.Program{Event: userPrompt}, name: "user-prompt-submit"}
	for _, c := range []struct {
		durability string
		program    program
		want       []string
	}{
		{bothDurabilities, capture, []string{"capture process", "capture-power power"}},
		{config.DurabilityProcess, capture, []string{"capture process"}},
		{config.DurabilityPower, capture, []string{"capture-power power"}},
		{bothDurabilities, recall, []string{"recall power"}},
		{config.DurabilityProcess, recall, []string{"recall process"}},
	} {
		m := measurement{options: options{durability: c.durability}}
		var got []string
		for _, s := range m.seriesOf(c.program) {
			got = append(got, fmt.Sprint(s.class(), " ", s.durability))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s with %s: %q, want %q", c.program.name, c.durability, got, c.want)
		}
	}
}
