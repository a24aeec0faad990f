package daemonapi

// MethodFor makes a method of the tests' own.
func MethodFor[P, R any](name string) Method[P, R] { return Method[P, R]{name} }
