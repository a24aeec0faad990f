package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Normalise brings content to the form that decides identity: white space
// folded to single blanks, and no full stop at the end. Case stays, because
// flags, paths and identifiers mean something by it.
func Normalise(content string) string {
	return strings.TrimRight(OneLine(content), ". ")
}

// NewID is the identity of a memory: 32 hexadecimal digits of the SHA-256 over
// scope, project and normalised content.
func NewID(scope Scope, project, content string) string {
	return digest(string(scope), project, Normalise(content))
}

// FileID is the identity of a file in a project.
func FileID(project, path string) string {
	return digest(project, path)
}

// digest joins with a byte that no part contains, so that ("a","bc") and
// ("ab","c") differ.
func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}
