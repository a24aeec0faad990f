package engine

import "testing"

// WriteMade notes which engine data belongs to, as a Supervisor does.
func WriteMade(t *testing.T, data string, made Made) {
	t.Helper()
	if err := writeMade(data, made); err != nil {
		t.Fatal(err)
	}
}
