// Package musttest fails a test by one line of code. Programs must not import it.
package musttest

import (
	"errors"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// TB has the methods that testing.TB and rapid.TB have in common.
type TB interface {
	Helper()
	Fatal(args ...any)
}

// Do ends the test if a call fails.
func Do(t TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Get returns a function that ends the test if a call fails, and otherwise returns the call's result:
// musttest.Get(os.ReadFile(path))(t).
func Get[A any](a A, err error) func(TB) A {
	return func(t TB) A {
		t.Helper()
		Do(t, err)
		return a
	}
}

// Err returns the error of a call without the call's result.
func Err[A any](_ A, err error) error { return err }

// checking has the methods of testing.TB and rapid.TB by which a check fails and the test goes on.
type checking interface {
	Helper()
	Errorf(format string, args ...any)
}

// Same fails the test if two values differ. format with its arguments names what is compared. minus is the wanted
// value and plus the actual one, unless format names others for "-" and "+".
func Same[A any](t checking, minus, plus A, format string, args ...any) {
	t.Helper()
	if diff := cmp.Diff(minus, plus); diff != "" {
		if !strings.Contains(format, "(-") {
			format += " (-want +got)"
		}
		t.Errorf(format+":\n%s", append(args, diff)...)
	}
}

// Is fails the test unless errors.Is(err, want), or both are nil.
func Is(t checking, want, err error, format string, args ...any) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf(format+": %v, want %v", append(args, err, want)...)
	}
}

// Fails fails the test if there is no error.
func Fails(t checking, err error, format string, args ...any) {
	t.Helper()
	if err == nil {
		t.Errorf(format+": want an error", args...)
	}
}

// Says fails the test unless there is an error whose text contains the words.
func Says(t checking, words string, err error, format string, args ...any) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf(format+": %v, want an error with %q", append(args, err, words)...)
	}
}
