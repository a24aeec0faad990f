// Package musttest ends a test at an error that it does not expect. Programs must not import it.
package musttest

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
