package consent

import (
	"strings"
	"testing"
)

func TestOnlyAPersonDecides(t *testing.T) {
	for line, want := range map[string]bool{
		"distill on": true, "distill off": false, "distill 0123": false, "config set distill.enabled true": true, "config set store.url x": true,
		"config unset distill.enabled": true, "config set disabled false": true, "config get store.url": false, "sync": true, "rule 3f9a1c": true,
		"recall distill on": false, "remember config set store.url": false, "projects on": true, "projects off": false, "status": false,
	} {
		if _, got := Persons(strings.Fields(line)); got != want {
			t.Errorf("memory %s: only a person: %v, want %v", line, got, want)
		}
	}
}
