package secrets

// The corpus that the rules are measured with: secrets, and texts that look like them,
// invented from the templates in testdata/secrets, which hold no secret.

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Samples is how many texts are made of each kind.
const Samples = 7

// Sample is one text.
type Sample struct {
	Kind string
	Text string
	// Secrets are the parts of Text that have to go; none in a look-alike.
	Secrets []string
}

// Load makes the samples of one list, such as "tuning-secrets". The same list, samples and seed always make the same texts.
func Load(list string, samples int, seed uint64) ([]Sample, error) {
	path := filepath.Join("..", "..", "..", "testdata", "secrets", list+".txt")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []Sample
	for number, line := range strings.Split(string(data), "\n") {
		kind, template, ok := strings.Cut(line, " | ")
		if line == "" || line[0] == '#' {
			continue
		}
		if !ok {
			return nil, fmt.Errorf("%s:%d: want NAME | TEXT, have %q", path, number+1, line)
		}
		for i := range samples {
			g := generator{rand.New(rand.NewPCG(seed+uint64(i), uint64(number)))}
			one, err := g.sample(kind, template)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, number+1, err)
			}
			all = append(all, one)
		}
	}
	return all, nil
}

// Remains returns the rest of a sample's secrets in the text after redaction: the first piece of a secret, of at least four bytes
// or a quarter of it, that occurred nowhere else in the sample.
func Remains(s Sample, got string) string {
	around := s.Text
	for _, secret := range s.Secrets {
		around = strings.ReplaceAll(around, secret, "\x00")
	}
	for _, secret := range s.Secrets {
		least := min(len(secret), max(4, min(8, len(secret)/4)))
		for i := 0; i+least <= len(secret); i++ {
			if piece := secret[i : i+least]; strings.Contains(got, piece) && !strings.Contains(around, piece) && !strings.Contains("[redacted:secret-token-password-private-key-authorization]", piece) {
				return piece
			}
		}
	}
	return ""
}

var escapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t")

func (g generator) sample(kind, template string) (Sample, error) {
	text, err := g.fill(escapes.Replace(template))
	if err != nil {
		return Sample{}, err
	}
	s := Sample{Kind: kind}
	for {
		before, rest, found := strings.Cut(text, "«")
		s.Text += before
		if !found {
			return s, nil
		}
		secret, after, closed := strings.Cut(rest, "»")
		if !closed {
			return s, fmt.Errorf("%q: « without »", kind)
		}
		s.Text += secret
		s.Secrets = append(s.Secrets, secret)
		text = after
	}
}
