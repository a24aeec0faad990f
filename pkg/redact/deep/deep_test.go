package deep_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact/deep"
)

var scanner deep.Scanner

// The rules of gitleaks alone know this name.
var sumo = "sumo_access = 'su" + "Ab3dE6gH9jK2m'"

func TestGitleaksFindsWhatHooksDoNot(t *testing.T) {
	quick, _ := redact.Text(sumo)
	if quick != sumo {
		t.Fatalf("the first look finds it, too: %q; this test needs another example", quick)
	}
	got, report := scanner.Text(sumo)
	if got != "sumo_access = '[redacted:generic-api-key]'" || !slices.Equal(report.Found, []redact.Finding{{Kind: "generic-api-key", Count: 1}}) {
		t.Errorf("%q, %+v", got, report)
	}
	if again, more := scanner.Text(got); again != got || len(more.Found) > 0 {
		t.Errorf("not idempotent: %q, %+v", again, more)
	}
}

func TestATextCannotVouchForItself(t *testing.T) {
	text := sumo + " # gitleaks:allow"
	if got, _ := scanner.Text(text); strings.Contains(got, "Ab3dE6") {
		t.Errorf("%q", got)
	}
}

func TestScannersAreSafeForConcurrentUse(t *testing.T) {
	var fresh deep.Scanner
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			if got := fresh.Clean(sumo); strings.Contains(got, "Ab3dE6") {
				t.Errorf("%q", got)
			}
		})
	}
	work.Wait()
}

// growth bounds how much longer a text can become: the shortest secrets are
// replaced by markers with their kind's name.
const growth = 16

func FuzzText(f *testing.F) {
	for _, text := range []string{sumo, "", "password=[redacted:password]", "AK" + "IAQRSTUVWX12345678", strings.Repeat("key = ", 50)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, _ := scanner.Text(text)
		if again, _ := scanner.Text(got); again != got {
			t.Errorf("not idempotent for %q:\n first %q\nsecond %q", text, got, again)
		}
		if len(got) > growth*len(text)+64 {
			t.Errorf("%d bytes became %d", len(text), len(got))
		}
	})
}

func BenchmarkText(b *testing.B) {
	prose := strings.Repeat("The agent ingests what hooks capture, serves recall from an index and packs it into a budget.\n", 400)
	output := strings.Repeat("ok  \tgithub.com/acme/app/pkg/token\t0.412s\tkey=value secret_name=db password_hash=x\n", 400)
	if err := scanner.Warm(); err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{"prompt-100B": prose[:100], "prose-32KB": prose[:32<<10], "output-32KB": output[:32<<10]} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				scanner.Text(text)
			}
		})
	}
}

func BenchmarkWarm(b *testing.B) {
	for b.Loop() {
		var fresh deep.Scanner
		if err := fresh.Warm(); err != nil {
			b.Fatal(err)
		}
	}
}
