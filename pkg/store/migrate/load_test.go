package migrate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// files builds a file system from pairs of name and content.
func files(pairs ...string) fstest.MapFS {
	dir := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		dir[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return dir
}

func sums(pairs ...string) string {
	var lines strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		lines.WriteString(checksum([]byte(pairs[i+1])) + "  " + pairs[i] + "\n")
	}
	return lines.String()
}

func TestLoad(t *testing.T) {
	const one, two = "CREATE a;\nCREATE b;", "CREATE c"
	got, err := Load(files("0002_two.surql", two, "0001_one.surql", one, "embed.go", "package x",
		SumFile, sums("0001_one.surql", one, "0002_two.surql", two)))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Version != 1 || got[0].Name != "one" || got[0].SQL != one || len(got[0].Statements) != 2 ||
		got[0].Statements[1].Line != 2 || got[1].File != "0002_two.surql" || got[1].SHA256 != checksum([]byte(two)) {
		t.Errorf("got %+v", got)
	}
	if got, err := Load(files()); err != nil || len(got) != 0 {
		t.Errorf("an empty directory: %v, %v", got, err)
	}
}

func TestLoadRefuses(t *testing.T) {
	const a, b = "0001_a.surql", "0002_b.surql"
	tests := map[string]struct {
		dir  fstest.MapFS
		want []string
	}{
		"edited":             {files(a, "CREATE x", SumFile, sums(a, "CREATE y")), []string{a + ": was edited", "memory-migrate sum"}},
		"no sum file":        {files(a, "CREATE x"), []string{SumFile}},
		"no sum line":        {files(a, "CREATE x", b, "CREATE y", SumFile, sums(a, "CREATE x")), []string{b + ": has no line"}},
		"extra sum line":     {files(a, "CREATE x", SumFile, sums(a, "CREATE x", b, "CREATE y")), []string{b + ": is in migrations.sum but does not exist"}},
		"bad sum line":       {files(a, "CREATE x", SumFile, "hello\n"), []string{SumFile + ":1"}},
		"sum line twice":     {files(a, "CREATE x", SumFile, sums(a, "CREATE x", a, "CREATE x")), []string{SumFile + ":2"}},
		"gap":                {files(a, "CREATE x", "0003_c.surql", "CREATE y", SumFile, sums(a, "CREATE x", "0003_c.surql", "CREATE y")), []string{"0003_c.surql: number 0002 is missing"}},
		"not from 1":         {files(b, "CREATE x", SumFile, sums(b, "CREATE x")), []string{"number 0001 is missing"}},
		"zero":               {files("0000_z.surql", "CREATE x", SumFile, sums("0000_z.surql", "CREATE x")), []string{"number 0001 is missing"}},
		"duplicate":          {files(a, "CREATE x", "0001_b.surql", "CREATE y", SumFile, sums(a, "CREATE x", "0001_b.surql", "CREATE y")), []string{"0001_b.surql: number 0001 is also used by " + a}},
		"empty":              {files(a, "-- nothing\n", SumFile, sums(a, "-- nothing\n")), []string{a + ": is empty"}},
		"name":               {files("1_a.surql", "CREATE x"), []string{"1_a.surql: not a migration's name"}},
		"not closed":         {files(a, "CREATE x;\nRETURN 'a", SumFile, sums(a, "CREATE x;\nRETURN 'a")), []string{a + ":2: the string is never closed"}},
		"own transaction":    {files(a, "CREATE x;\ncommit transaction", SumFile, sums(a, "CREATE x;\ncommit transaction")), []string{a + ":2: COMMIT is not allowed"}},
		"not UTF-8":          {files(a, "CREATE \xff", SumFile, sums(a, "CREATE \xff")), []string{a + ": not UTF-8"}},
		"all that is wrong":  {files(a, "", b, "USE DB x", SumFile, sums(a, "")), []string{a + ": is empty", b + ":1: USE is not allowed", b + ": has no line"}},
		"two gaps, one file": {files("0003_c.surql", "CREATE x", SumFile, ""), []string{"number 0001 is missing", "has no line"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Load(tt.dir)
			if err == nil {
				t.Fatal("loaded")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %q, want something about %q", err, want)
				}
			}
		})
	}
}

func TestNewAndSum(t *testing.T) {
	dir := t.TempDir()
	path, err := New(dir, "Add Memory-Table")
	if err != nil || path != filepath.Join(dir, "0001_add_memory_table.surql") {
		t.Fatalf("got %s, %v", path, err)
	}
	if _, err := Load(os.DirFS(dir)); err == nil || !strings.Contains(err.Error(), "is empty") || strings.Contains(err.Error(), SumFile) {
		t.Errorf("an unwritten migration: %v", err)
	}
	if err := os.WriteFile(path, []byte("CREATE a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(os.DirFS(dir)); err == nil || !strings.Contains(err.Error(), "was edited") {
		t.Errorf("before Sum: %v", err)
	}
	if err := Sum(dir); err != nil {
		t.Fatal(err)
	}
	if got, err := Load(os.DirFS(dir)); err != nil || len(got) != 1 {
		t.Errorf("after Sum: %v, %v", got, err)
	}
	if path, err := New(dir, "next"); err != nil || filepath.Base(path) != "0002_next.surql" {
		t.Errorf("got %s, %v", path, err)
	}
	for _, name := range []string{"", "  ", "../evil", "ä"} {
		if path, err := New(dir, name); err == nil {
			t.Errorf("%q made %s", name, path)
		}
	}
}
