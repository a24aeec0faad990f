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
		{"python tools/gen.py", "python3 tools/gen.py"},
		{"python -m app", ".venv/bin/python3.12 -m app"},
		{"gradlew test", "./gradlew test"},
		{"bin/lint", "/opt/shop/bin/lint"},
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
		{"web/test.sh", "scripts/test.sh"},
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
		{"python tools/gen.py", "python3 tools/gen.py", []string{"python3"}},
		{"gradlew test", "./gradlew test", []string{"./gradlew"}},
		{"npm ci", "unset HTTP_PROXY && npm ci", []string{"unset HTTP_PROXY"}},
		{"bin/x", "cd a && cd b && bin/x", []string{"cd a/b"}},
		{"bin/x", "cd a && cd .. && bin/x", nil},
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

func TestTheCommandsOfAChain(t *testing.T) {
	for command, want := range map[string]struct {
		all    []string
		worked int
	}{
		"make build":                              {[]string{"make build"}, 0},
		"./seed.sh && psql -c 'select 1'":         {[]string{"./seed.sh", "psql -c 'select 1'"}, 0},
		"service db start; rake db:seed":          {[]string{"service db start", "rake db:seed"}, 1},
		"cd core && cargo fetch && cargo build":   {[]string{"cd core && cargo fetch", "cd core && cargo build"}, 0},
		"npm ci || npm install; npm test\n":       {[]string{"npm ci || npm install", "npm test"}, 1},
		"A=1 make x 2>&1 | tail -3 && (bin/y);":   {[]string{"A=1 make x 2>&1 | tail -3", "bin/y"}, 0},
		"cat > a.env <<'END'\nb && c\nEND\nbin/z": {[]string{"cat > a.env <<'END'", "bin/z"}, 1},
		"cd a": {nil, 0},
	} {
		if all, worked := shell.Chain(command); !slices.Equal(all, want.all) || worked != want.worked {
			t.Errorf("%q is %q, worked from %d on; want %q, %d", command, all, worked, want.all, want.worked)
		}
	}
	if got, want := shell.Cores("cd a && ./seed.sh && B=1 bin/api -v"), []string{"./seed.sh && bin/api", "./seed.sh", "bin/api"}; !slices.Equal(got, want) {
		t.Errorf("cores %q, want %q", got, want)
	}
}

func TestACommandThatRepeatsAnother(t *testing.T) {
	for command, want := range map[string]bool{
		"bin/api -v": true, "./seed.sh && bin/api": true, "./seed.sh; bin/api": true, "nvm use 22 && bin/api && bin/web": true, "bin/api; bin/web": false, "bin/web": false,
	} {
		if got := shell.Repeats(command, "bin/api"); got != want {
			t.Errorf("%q repeats bin/api: %v", command, got)
		}
	}
}

func TestCommandsThatLookAround(t *testing.T) {
	for command, want := range map[string]bool{
		"ls -la": true, "git status && git diff HEAD": true, "git remote -v": true, "git branch": true, "gh pr list": true, "gh pr view 12": true, "docker compose logs web": true,
		"sed -n 1,20p a.go": true, "grep x a.go > /dev/null 2>&1": true, "find . | head": true, "cat a.go 2>/dev/null": true,
		"gh pr create --title x": false, "gh run rerun 7": false, "git remote add origin x": false, "git branch topic": false, "docker compose up": false,
		"sed -i s/a/b/ a.yaml": false, "echo A=1 >> .env": false, "cat > a.yaml <<END\nx\nEND": false, "echo x | tee conf/a.ini": false, "git": false,
	} {
		if got := shell.LooksAround(command); got != want {
			t.Errorf("%q looks around: %v", command, got)
		}
	}
	if got := shell.Writes("sed -i 's/a/b/' conf/a.yaml && echo A=1 >> .env 2>&1; make > /tmp/log"); !slices.Equal(got, []string{"conf/a.yaml", ".env"}) {
		t.Errorf("writes %q", got)
	}
}
