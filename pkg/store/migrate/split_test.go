package migrate

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestSplit(t *testing.T) {
	tests := []struct {
		name, in string
		want     []Statement
	}{
		{"nothing", "", nil},
		{"only comments", " \n-- a;\n# b;\n// c;\n/* d; */ ;;", nil},
		{"two", "CREATE a;\n\nCREATE b", []Statement{{SQL: "CREATE a", Line: 1}, {SQL: "CREATE b", Line: 3}}},
		{"space around", "\n\n  CREATE a  ;  ", []Statement{{SQL: "CREATE a", Line: 3}}},
		{"comment before and after", "-- one\nCREATE a -- two;\n; # three", []Statement{{SQL: "CREATE a", Line: 2}}},
		{"comment inside", "CREATE /* ; */ a;", []Statement{{SQL: "CREATE /* ; */ a", Line: 1}}},
		{"comments do not nest", "/* /* ; */ RETURN 1;", []Statement{{SQL: "RETURN 1", Line: 1}}},
		{"strings", `RETURN 'a;\';b'; RETURN "c;\";d"; RETURN s'e;'`, []Statement{{SQL: `RETURN 'a;\';b'`, Line: 1}, {SQL: `RETURN "c;\";d"`, Line: 1}, {SQL: `RETURN s'e;'`, Line: 1}}},
		{"a string over lines", "RETURN 'a\n;b';\nRETURN 1", []Statement{{SQL: "RETURN 'a\n;b'", Line: 1}, {SQL: "RETURN 1", Line: 3}}},
		{"comment signs in strings", "RETURN '-- # // /*'; RETURN 1", []Statement{{SQL: "RETURN '-- # // /*'", Line: 1}, {SQL: "RETURN 1", Line: 1}}},
		{"identifiers", "SELECT `a;\\`;b` FROM ⟨c;d⟩; RETURN 1", []Statement{{SQL: "SELECT `a;\\`;b` FROM ⟨c;d⟩", Line: 1}, {SQL: "RETURN 1", Line: 1}}},
		{"angle in a string", "RETURN '⟨'; RETURN 1", []Statement{{SQL: "RETURN '⟨'", Line: 1}, {SQL: "RETURN 1", Line: 1}}},
		{"block", "DEFINE FUNCTION fn::f() {\n LET $x = 1;\n RETURN [1, {a: (2)}];\n};\nRETURN 1", []Statement{{SQL: "DEFINE FUNCTION fn::f() {\n LET $x = 1;\n RETURN [1, {a: (2)}];\n}", Line: 1}, {SQL: "RETURN 1", Line: 5}}},
		{"brackets in a string", "RETURN '({['; RETURN 1", []Statement{{SQL: "RETURN '({['", Line: 1}, {SQL: "RETURN 1", Line: 1}}},
		{"graph and less than", "SELECT ->a<-b FROM c WHERE d<1; RETURN 1", []Statement{{SQL: "SELECT ->a<-b FROM c WHERE d<1", Line: 1}, {SQL: "RETURN 1", Line: 1}}},
		{"division", "RETURN 4 / 2; RETURN 8/2;", []Statement{{SQL: "RETURN 4 / 2", Line: 1}, {SQL: "RETURN 8/2", Line: 1}}},
		{"regex", "RETURN $a = /[;'\"(]/; RETURN (/;\\/;/); RETURN f($a, /;/)", []Statement{{SQL: "RETURN $a = /[;'\"(]/", Line: 1}, {SQL: "RETURN (/;\\/;/)", Line: 1}, {SQL: "RETURN f($a, /;/)", Line: 1}}},
		{"regex after a word is cut", "RETURN /;/", []Statement{{SQL: "RETURN /", Line: 1}, {SQL: "/", Line: 1}}},
		{"carriage returns", "CREATE a;\r\nCREATE b;\r\n", []Statement{{SQL: "CREATE a", Line: 1}, {SQL: "CREATE b", Line: 2}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Split(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(Statement{}, "Offset")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSplitRefusesWhatIsNotClosed(t *testing.T) {
	for in, line := range map[string]int{
		"RETURN 1;\nRETURN 'a":     2,
		"RETURN 1;\n\nRETURN \"a'": 3,
		"SELECT `a":                1,
		"SELECT ⟨a":                1,
		"RETURN 1;\n/* a":          2,
		"RETURN {\n[1,2]\n":        1,
		"RETURN 1 }":               1,
		"RETURN (\n1]":             2,
	} {
		var syntax *SyntaxError
		if _, err := Split(in); !errors.As(err, &syntax) || syntax.Line != line {
			t.Errorf("%q: got %v, want a SyntaxError in line %d", in, err, line)
		}
	}
}

// FuzzSplit checks that the statements follow each other in the text with nothing but semicolons, space and comments
// between them, that lines are right, and that a statement splits into itself.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{
		"CREATE a; -- x\nCREATE b", "RETURN 'a;\\'';", "/* ; */ RETURN ⟨a;⟩ / 2;", "DEFINE FUNCTION fn::f() { RETURN 1; };",
		"RETURN [/;/, `x;`]; # c", "RETURN 1 }", "RETURN '", "a\r\n;;\n\tb", "x = /a;b/;", "\\;", "⟩", "--", "/", "/*/", "-- a\na",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		statements, err := Split(sql)
		if err != nil {
			return
		}
		pos := 0
		for _, s := range statements {
			end := s.Offset + len(s.SQL)
			if s.Offset < pos || sql[s.Offset:end] != s.SQL || 1+strings.Count(sql[:s.Offset], "\n") != s.Line {
				t.Fatalf("statement %q is not at byte %d, line %d of %q", s.SQL, s.Offset, s.Line, sql)
			}
			if !blank(sql[pos:s.Offset]) {
				t.Fatalf("%q is lost from %q", sql[pos:s.Offset], sql)
			}
			again, err := Split(s.SQL)
			if err != nil || len(again) != 1 || again[0].SQL != s.SQL {
				t.Fatalf("statement %q of %q splits into %v, %v", s.SQL, sql, again, err)
			}
			pos = end
		}
		if !blank(sql[pos:]) {
			t.Fatalf("%q is lost from %q", sql[pos:], sql)
		}
	})
}

func blank(sql string) bool {
	statements, err := Split(sql)
	return err == nil && len(statements) == 0
}
