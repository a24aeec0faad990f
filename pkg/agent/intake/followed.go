package intake

import "time"

// followed is the state of an open session whose events come in.
type followed struct {
	at     time.Time // of the last look at it
	failed bool      // a command may have failed in it: a success may be its fix
}
