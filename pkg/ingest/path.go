package ingest

import (
	"path"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
)

// pathsIn returns the paths in a text, so that a statement about a file is recalled when the file is used. A path is a word with
// a slash, or a word that ends like a file name. URLs do not count.
func pathsIn(text string) []string {
	var paths []string
	for _, field := range language.Fields(text) {
		word := field.Word
		if word == "" || strings.Contains(word, "://") || strings.HasPrefix(word, "-") {
			continue
		}
		if isPath(word) {
			paths = append(paths, path.Clean(word))
		}
	}
	return paths
}

func isPath(word string) bool {
	if first, _, isSlashed := strings.Cut(word, "/"); isSlashed {
		// "and/or" is not a path. A path has a dot or more than one slash, ends with a slash (a folder), or begins
		// with a usual folder of repositories.
		return strings.Count(word, "/") > 1 || strings.Contains(word, ".") || strings.HasSuffix(word, "/") || rootFolders[first]
	}
	extension := path.Ext(word)
	stem := len(word) - len(extension)
	return len(extension) > 1 && len(extension) <= 6 && stem > 1 && !strings.ContainsAny(extension, "0123456789")
}

var rootFolders = english.List("rootFolders")
