package dashboard

import (
	"errors"
	"fmt"
	"html/template"
	"os"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/private"
)

// entries are the names of the files that let a browser in.
const entries = "open-*.html"

// entry is a page that sends a key, once it is loaded. So the key stands in no argument of
// a process, which other users can read, and in no address, which a browser keeps.
var entry = template.Must(template.New("entry").Parse(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Memory</title>
<form method="post" action="http://{{.Host}}/enter"><input type="hidden" name="key" value="{{.Key}}"><button>Open the memories</button></form>
<script>document.forms[0].submit()</script></html>
`))

// writeEntry leaves a key in a new file that only this user can read.
func writeEntry(folder, host, key string) (path string, err error) {
	if err := private.Make(folder); err != nil {
		return "", fmt.Errorf("leave the dashboard's key for the browser: %w", err)
	}
	file, err := os.CreateTemp(folder, entries) // with 0600
	if err != nil {
		return "", fmt.Errorf("leave the dashboard's key for the browser: %w", err)
	}
	err = entry.Execute(file, struct{ Host, Key string }{host, key})
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("leave the dashboard's key for the browser: %w", err), os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// removeEntries removes the files that a killed agent has left; its keys died with it.
func removeEntries(folder string) {
	left, _ := filepath.Glob(filepath.Join(folder, entries)) // the pattern is right
	for _, file := range left {
		_ = os.Remove(file)
	}
}
