package secrets

import "fmt"

// Result is the result of a redactor for the samples of one set.
type Result struct {
	Set                          string
	Secrets, Removed             int // samples
	SecretKinds, RemovedKinds    int // a kind counts if all of its samples do
	LookAlikes, LookAlikeTouched int // samples
	LookAlikeKinds, TouchedKinds int
	Missed, Touched              []string // one sample of each such kind, with its result
}

func (r Result) String() string {
	return fmt.Sprintf("%s: %d of %d secrets removed (%.1f %%), %d of %d kinds wholly; %d of %d look-alikes touched (%.1f %%), of %d of %d kinds",
		r.Set, r.Removed, r.Secrets, percent(r.Removed, r.Secrets), r.RemovedKinds, r.SecretKinds,
		r.LookAlikeTouched, r.LookAlikes, percent(r.LookAlikeTouched, r.LookAlikes), r.TouchedKinds, r.LookAlikeKinds)
}

func percent(part, whole int) float64 { return 100 * float64(part) / float64(max(whole, 1)) }

// Measure runs a redactor over the secrets and the look-alikes of a set.
func Measure(set string, seed uint64, clean func(string) string) (Result, error) {
	r := Result{Set: set}
	secrets, err := Load(set+"-secrets", Samples, seed)
	if err != nil {
		return r, err
	}
	missed, kinds := map[string]bool{}, map[string]bool{}
	for _, s := range secrets {
		kinds[s.Kind] = true
		r.Secrets++
		got := clean(s.Text)
		left := Remains(s, got)
		if left == "" {
			r.Removed++
			continue
		}
		if !missed[s.Kind] {
			missed[s.Kind] = true
			r.Missed = append(r.Missed, fmt.Sprintf("MISSED %s: %q is left of %q: %q", s.Kind, left, s.Text, got))
		}
	}
	r.SecretKinds, r.RemovedKinds = len(kinds), len(kinds)-len(missed)
	return r, r.lookAlikes(seed, clean)
}

func (r *Result) lookAlikes(seed uint64, clean func(string) string) error {
	all, err := Load(r.Set+"-lookalikes", Samples, seed)
	if err != nil {
		return err
	}
	kinds, touched := map[string]bool{}, map[string]bool{}
	for _, s := range all {
		kinds[s.Kind] = true
		r.LookAlikes++
		got := clean(s.Text)
		if got == s.Text {
			continue
		}
		r.LookAlikeTouched++
		if !touched[s.Kind] {
			touched[s.Kind] = true
			r.Touched = append(r.Touched, fmt.Sprintf("TOUCHED %s: %q became %q", s.Kind, s.Text, got))
		}
	}
	r.LookAlikeKinds, r.TouchedKinds = len(kinds), len(touched)
	return nil
}
