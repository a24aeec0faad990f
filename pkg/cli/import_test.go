package cli

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestImportStories has the sources of testdata/import in the folder src.
func TestImportStories(t *testing.T) {
	sources, err := filepath.Abs(filepath.Join("..", "..", "testdata", "import"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/import",
		Setup: func(env *testscript.Env) error {
			if err := os.CopyFS(filepath.Join(env.WorkDir, "src"), os.DirFS(sources)); err != nil {
				return err
			}
			return setUp(env)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"memory": func(ts *testscript.TestScript, _ bool, args []string) {
				if code := tell(ts, args); code != exitOK {
					ts.Fatalf("exit code %d", code)
				}
			},
			"fails": func(ts *testscript.TestScript, _ bool, args []string) {
				if code := tell(ts, args[1:]); args[0] != string(rune('0'+code)) {
					ts.Fatalf("exit code %d, want %s", code, args[0])
				}
			},
			"agent":  func(ts *testscript.TestScript, _ bool, _ []string) { startStoryAgent(ts, distillingAs(nil)) },
			"sqlite": runSQL,
			"edited": func(ts *testscript.TestScript, _ bool, args []string) { // FILE OLD NEW
				text := ts.ReadFile(args[0])
				if !strings.Contains(text, args[1]) {
					ts.Fatalf("%s has no %q", args[0], args[1])
				}
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, args[1], args[2], 1)), 0o600))
			},
			"append": func(ts *testscript.TestScript, _ bool, args []string) { // FILE ADDED
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(ts.ReadFile(args[0])+ts.ReadFile(args[1])), 0o600))
			},
			"forget": forgetAll,
			"placed": func(ts *testscript.TestScript, _ bool, args []string) { // a copy with $WORK replaced
				text := strings.ReplaceAll(ts.ReadFile(args[0]), "$WORK", ts.Getenv("WORK"))
				ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
			},
		},
	})
}

// forgetAll archives what a file of notes names.
func forgetAll(ts *testscript.TestScript, _ bool, args []string) {
	for _, found := range regexp.MustCompile(`(?m) \^([0-9a-f]{12})$`).FindAllStringSubmatch(ts.ReadFile(args[0]), -1) {
		if code := tell(ts, []string{"forget", found[1], "--reason", "the test is over", "--project", ts.Getenv("WORK") + "/" + args[1]}); code != exitOK {
			ts.Fatalf("exit code %d", code)
		}
	}
}

// runSQL makes a database of a script: sqlite FILE SCRIPT.
func runSQL(ts *testscript.TestScript, _ bool, args []string) {
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(context.Background(), ts.ReadFile(args[1]))
	ts.Check(err)
	ts.Check(db.Close())
}
