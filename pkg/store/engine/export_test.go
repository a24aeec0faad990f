package engine

import "time"

// Tests detect a hanging engine sooner.
func init() { healthPause, healthLimit = 300*time.Millisecond, time.Second }
