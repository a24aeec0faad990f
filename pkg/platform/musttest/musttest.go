// Package musttest says in one line what fails a test. Programs must not import it.
package musttest

import "github.com/google/go-cmp/cmp"

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

// Same fails the test if two values differ. Format and its arguments say what is compared, and what "-" and "+" mean.
func Same(t interface {
	Helper()
	Errorf(format string, args ...any)
}, minus, plus any, format string, args ...any,
) {
	t.Helper()
	if diff := cmp.Diff(minus, plus); diff != "" {
		t.Errorf(format+":\n%s", append(args, diff)...)
	}
}
