//go:build !linux

package models

// killMarked does nothing: the environment of other processes cannot be read here. One that
// has left the client's group stays.
func killMarked(string) error { return nil }
