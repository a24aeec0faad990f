package engine

import "time"

// Tests do not wait as long for an engine that hangs.
func init() { healthPause, healthLimit = 300*time.Millisecond, time.Second }
