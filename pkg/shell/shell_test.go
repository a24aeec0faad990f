package shell_test

import (
	"slices"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/shell"
)

func TestCommandsAreTheSame(t *testing.T) {
	same := [][2]string{
		{"cd web && npm install", "npm install --legacy-peer-deps"},
		{"go test ./...", "CGO_ENABLED=1 go test ./... 2>&1 | tail -20"},
		{"export PGHOST=localhost && psql -c 'select 1'", "psql -c 'select 1' > /tmp/out"},
		{"make build; echo $?", "sudo make build"},
		{"source .venv/bin/activate && pytest tests", "pytest tests -x -q | head"},
		{"pytest tests", "pytest tests -p no:cacheprovider"},
		{"make build", "make build TOKEN=1"},
		{"bin/deploy", "export AWS_PROFILE=x && bin/deploy"},
		{"./initdb.sh", "bash initdb.sh"},
		{"pytest tests", "uv run pytest tests"},
		{"git push", "git push -u origin main"},
		{"bin/report", "cd data && ../bin/report"},
		{"cd web && ./gradlew test", "./gradlew test"},
		{"npm test", "npm test -- --no-coverage"},
	}
	for _, pair := range same {
		if !shell.Same(pair[0], pair[1]) || !shell.Same(pair[1], pair[0]) {
			t.Errorf("not the same: %q and %q", pair[0], pair[1])
		}
	}
	other := [][2]string{
		{"go test ./...", "go build ./..."},
		{"git push origin main", "git push origin topic"},
		{"make build && make test", "make build"},
		{"psql -c 'select 1'", "psql -c 'drop table t'"},
		{"npm test", "npm test -- one"},
		{"bin/report", "cd data && ../../bin/report"},
	}
	for _, pair := range other {
		if shell.Same(pair[0], pair[1]) {
			t.Errorf("the same: %q and %q", pair[0], pair[1])
		}
	}
	if got := shell.Core("cd /srv && A=1 timeout 60 npm run build --silent 2>&1 | tail -5"); got != "npm run build" {
		t.Errorf("core %q", got)
	}
}

func TestDifference(t *testing.T) {
	tests := []struct {
		before, after string
		want          []string
	}{
		{"npm install", "npm install --legacy-peer-deps", []string{"--legacy-peer-deps"}},
		{"psql app", "PGHOST=localhost psql app -U admin", []string{"PGHOST=localhost", "-U admin"}},
		{"npm test", "cd web && npm test", []string{"cd web"}},
		{"bin/report", "cd data && ../bin/report", []string{"cd data"}},
		{"systemctl restart app", "sudo systemctl restart app", []string{"sudo"}},
		{"go test -race ./...", "go test ./...", []string{"without -race"}},
		{"make", "make", nil},
		{"make build", "make build TOKEN=1", []string{"TOKEN=1"}},
		{"pytest", "uv run pytest", []string{"uv run"}},
		{"git push", "git push -u origin main", []string{"-u origin main"}},
		{"bin/deploy", "AWS_PROFILE=x ./bin/deploy", []string{"AWS_PROFILE=x"}},
	}
	for _, test := range tests {
		if got := shell.Difference(test.before, test.after); !slices.Equal(got, test.want) {
			t.Errorf("from %q to %q: %q, want %q", test.before, test.after, got, test.want)
		}
	}
}

// FuzzCompare holds comparisons to be symmetric, whatever the commands.
func FuzzCompare(f *testing.F) {
	for _, command := range []string{"", "cd a && b -c d | tail -3", "A= sudo", "make -j X=1 'y", "npx \\", "-", "uv run -- x && && ; |", "./ ../a > b", "git push -u origin main"} {
		f.Add(command, "A=1 make")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if shell.Same(a, b) != shell.Same(b, a) {
			t.Errorf("not symmetric: %q and %q", a, b)
		}
		shell.Difference(a, b)
		if len(shell.Difference(a, a)) > 0 {
			t.Errorf("%q differs from itself: %q", a, shell.Difference(a, a))
		}
		shell.LooksAround(a)
	})
}
