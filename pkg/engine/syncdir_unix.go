//go:build unix

package engine

import (
	"errors"
	"os"
)

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	opened, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(opened.Sync(), opened.Close())
}
