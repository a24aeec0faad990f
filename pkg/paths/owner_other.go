//go:build !unix

package paths

// isOurs trusts the temporary directory, which is the user's own there.
func isOurs(string) bool { return true }
