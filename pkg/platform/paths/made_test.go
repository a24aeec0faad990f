package paths_test

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// TestMadeHasEachPathOfAHome: whatever path the layout gives to code is in the list of what the product makes, or below it.
func TestMadeHasEachPathOfAHome(t *testing.T) {
	for _, home := range []string{"/m", "/" + strings.Repeat("deep/", 40)} {
		layout := paths.FromEnv(func(key string) string {
			return map[string]string{"MEMORY_HOME": home, "HOME": "/home/dev", "XDG_RUNTIME_DIR": "/run/user/1000"}[key]
		})
		made := layout.AllPaths()
		of := reflect.ValueOf(layout)
		for i := range of.NumMethod() {
			method, args := of.Method(i), []reflect.Value{}
			for at := range method.Type().NumIn() {
				given := reflect.ValueOf("x")
				if method.Type().In(at).Kind() == reflect.Int { // a process
					given = reflect.ValueOf(7)
				}
				args = append(args, given)
			}
			for _, path := range textsIn(method.Call(args)[0]) {
				if !slices.ContainsFunc(made, func(one string) bool { return path == one || strings.HasPrefix(path, one+string(filepath.Separator)) }) {
					t.Errorf("%s gives %s, which is not in the list", of.Type().Method(i).Name, path)
				}
			}
		}
	}
}

func textsIn(v reflect.Value) (all []string) {
	switch v.Kind() {
	case reflect.String:
		all = append(all, v.String())
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			all = append(all, textsIn(v.Index(i))...)
		}
	}
	return all
}
