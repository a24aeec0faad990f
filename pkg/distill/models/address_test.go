package models

import (
	"errors"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

func TestAnAddressIsSecureByHTTPSOrOnThisMachine(t *testing.T) {
	for address, secure := range map[string]bool{
		"https://example.com/v1": true, "http://localhost:1/v1": true, "http://127.0.0.1:1": true, "http://[::1]:1": true,
		"http://example.com/v1": false, "http://10.0.0.1": false, "http://localhost.example.com": false,
	} {
		if _, err := (Endpoint{URL: address}).address(); errors.Is(err, errInsecure) == secure || secure && err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"", "example.com/v1", "ftp://localhost", "http://", "http://a b"} {
		if e, err := (Endpoint{URL: address}).address(); err == nil || errors.Is(err, errInsecure) {
			t.Errorf("%q is taken as %s, %v", address, e, err)
		}
	}
}

// Settings are read before each use, so that a change takes effect at once.
func TestTheSettingsOfDistillationTakeEffectAtOnce(t *testing.T) {
	layout := paths.Layout{Home: t.TempDir()}
	inForce := Distillation(layout, func(string) string { return "" })
	for _, on := range []string{"", "true", "false", "true"} {
		if on != "" {
			musttest.Do(t, config.Set(layout.ConfigFile(), config.DistillEnabled, on))
		}
		if now, _ := inForce(); now.Enabled != (on == "true") {
			t.Errorf("set to %q it is %v", on, now.Enabled)
		}
	}
}
