package engine

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// OfHome returns the options of the engine that the settings of a home select.
func OfHome(layout paths.Layout, store config.Store) (Options, error) {
	executable, err := os.Executable()
	if err != nil {
		return Options{}, fmt.Errorf("find the plugin's directory: %w", err)
	}
	return Options{
		Remote:   Endpoint{URL: store.URL, User: store.User, Pass: store.Pass, CAFile: store.CAFile},
		DataPath: layout.Data(), RunDir: layout.Run(),
		Sources: filepath.Join(paths.PluginRoot(executable), "engine"), Packages: cmp.Or(store.EnginePath, layout.Engine()),
	}, nil
}
