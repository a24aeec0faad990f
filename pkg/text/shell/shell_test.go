package shell_test

import (
	"slices"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
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
	musttest.Same(t, "npm run build", shell.CoreOf("cd /srv && A=1 timeout 60 npm run build --silent 2>&1 | tail -5"), "core")
}

func TestDifference(t *testing.T) {
	tests := []struct {
		before, after string
		want          []string
	}{
		{"npm install", "npm install --legacy-peer-deps", []string{"--legacy-peer-deps"}},
		{"psql app", "PGHOST=localhost psql app -U admin", []string{"PGHOST=localhost", "-U admin"}},
		{"npm test", "cd web && npm test", []string{"cd web"}},
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
		musttest.Same(t, test.want, shell.Difference(test.before, test.after), "from %q to %q", test.before, test.after)
	}
}

// FuzzCompare holds comparisons to be symmetric, whatever the commands.
func FuzzCompare(f *testing.F) {
	for _, command := range []string{"", "cd a && b -c d | tail -3", "A= sudo", "make -j X=1 'y", "npx \\", "-", "uv run -- x && && ; |", "./ ../a > b", "git push -u origin main"} {
		f.Add(command, "A=1 make")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		musttest.Same(t, shell.Same(b, a), shell.Same(a, b), "not symmetric: %q and %q", a, b)
		shell.Difference(a, b)
		if len(shell.Difference(a, a)) > 0 {
			t.Errorf("%q differs from itself: %q", a, shell.Difference(a, a))
		}
		shell.IsReadOnly(a)
		shell.IsExpectedExit(a, 1)
		if !shell.HasRun(a+"; "+b, b) && shell.HasRun(b, b) && shell.Runs(a+"; "+b) == nil {
			t.Errorf("%q; %q runs nothing", a, b)
		}
	})
}

// The exit code of a line is that of its last command: of anything before a pipe, a semicolon, an || or an & it shows nothing.
func TestTheRunsThatAnExitCodeTellsOf(t *testing.T) {
	for line, want := range map[string]struct{ all, known []string }{
		"make build":                              {[]string{"make build"}, []string{"make build"}},
		"./seed.sh && psql -c 'select 1'":         {[]string{"./seed.sh", "psql -c 'select 1'"}, []string{"./seed.sh", "psql -c 'select 1'"}},
		"service db start; rake db:seed":          {[]string{"service db start", "rake db:seed"}, []string{"rake db:seed"}},
		"cd core && cargo fetch && cargo build":   {[]string{"cd core && cargo fetch", "cd core && cargo build"}, []string{"cd core && cargo fetch", "cd core && cargo build"}},
		"npm ci || npm install; npm test\n":       {[]string{"npm ci || npm install", "npm test"}, []string{"npm test"}},
		"A=1 make x 2>&1 | tail -3 && (bin/y);":   {[]string{"A=1 make x 2>&1 | tail -3", "bin/y"}, []string{"bin/y"}},
		"cat > a.env <<'END'\nb && c\nEND\nbin/z": {[]string{"cat > a.env <<'END'", "bin/z"}, []string{"bin/z"}},
		"cd a":                           {nil, nil},
		"bin/y && echo ok || echo no":    {[]string{"bin/y", "echo ok || echo no"}, nil},
		"bin/y || bin/z && bin/w":        {[]string{"bin/y || bin/z", "bin/w"}, []string{"bin/y || bin/z", "bin/w"}},
		"bin/y & bin/z":                  {[]string{"bin/y &", "bin/z"}, []string{"bin/z"}},
		"(bin/y; bin/z) | tee log":       {[]string{"bin/y", "bin/z | tee log"}, nil},
		"(bin/y) &":                      {[]string{"bin/y &"}, nil},
		"(bin/y && bin/z) > log || true": {[]string{"bin/y", "bin/z || true"}, nil},
		"bin/y |& head":                  {[]string{"bin/y | head"}, nil},
		"trap 'exit 0' EXIT; bin/y":      {[]string{"trap 'exit 0' EXIT", "bin/y"}, nil},
		"x=$(bin/y); echo done":          {[]string{"x=$(bin/y)", "echo done"}, []string{"echo done"}},
		"y=`bin/y` || true":              {[]string{"y=`bin/y` || true"}, nil},
		"x=$(bin/y) && echo $x":          {[]string{"x=$(bin/y)", "echo $x"}, []string{"x=$(bin/y)", "echo $x"}},
		"echo $(bin/y)":                  {[]string{"echo $(bin/y)"}, []string{"echo $(bin/y)"}},
	} {
		var all, known []string
		for _, run := range shell.Runs(line) {
			all = append(all, run.Command)
		}
		for _, run := range shell.Succeeded(line) {
			if len(all) < 2 && len(known) == 0 || run.Command != line {
				known = append(known, run.Command)
			}
		}
		if len(all) == 1 && len(known) == 1 {
			known = all
		}
		if !slices.Equal(all, want.all) || !slices.Equal(known, want.known) {
			t.Errorf("%q runs %q, of which are known %q; want %q, %q", line, all, known, want.all, want.known)
		}
	}
	if got, want := shell.CoresOf("cd a && ./seed.sh && B=1 bin/api -v"), []string{"./seed.sh && bin/api", "./seed.sh", "bin/api"}; !slices.Equal(got, want) {
		t.Errorf("normalized %q, want %q", got, want)
	}
}

func TestALineThatRepeatsACommand(t *testing.T) {
	for line, want := range map[string]bool{
		"bin/api -v": true, "./seed.sh && bin/api": true, "./seed.sh; bin/api": true, "nvm use 22 && bin/api && bin/web": true, "bin/api; bin/web": false, "bin/web": false,
		"bin/api && echo ok": true, "(cd . && bin/api)": true, "timeout 60 bin/api": true,
		"bin/api | tail -5": false, "bin/api 2>&1 | tee log | tail": false, "bin/api || true": false, "bin/api || :": false, "bin/api || exit 0": false, "bin/api; echo $?": false,
		"bin/api &": false, "bin/api > log 2>&1 & sleep 3": false, "nohup bin/api &": false, "(bin/api) || true": false, "{ bin/api; } || true": false, "bin/api && echo ok || echo no": false,
		"! bin/api": false, "if bin/api; then echo ok; fi": false, "for i in 1 2; do\nbin/api\ndone": false, "echo $(bin/api)": false, "echo `bin/api`": false,
		"command -v bin/api": false, "which bin/api": false, "bin/api\ntail log": false, "bash -c 'bin/api | tail'": false, "bin/api |& cat": false, "trap 'exit 0' EXIT; bin/api": false,
		"bin/api --help": false, "bin/api -h": false, "bin/api --version": false, "bin/api --dry-run": false, "bin/api --dry-run=client": false, "bin/api --filter one": false, "bin/api -h localhost": true,
	} {
		musttest.Same(t, want, shell.HasRun(line, "bin/api"), "%q repeats bin/api", line)
	}
	for line, failed := range map[string]string{"make -n release": "make release", "make -i release": "make release", "go test -run TestX ./...": "go test ./...", "pytest -k one": "pytest", "npm help run": "npm run"} {
		if shell.HasRun(line, failed) {
			t.Errorf("%q repeats %q", line, failed)
		}
	}
	if !shell.HasRun("go test -run TestX ./...", "go test -run TestX ./...") {
		t.Error("a test with its selection does not repeat itself")
	}
}

// A program that only looks or compares answers by its exit code, and one that was ended did not fail.
func TestExitCodesThatAreNoFailures(t *testing.T) {
	for line, codes := range map[string]map[int]bool{
		"pgrep -f server": {1: true, 127: false}, "cd web && which terraform": {1: true}, "git diff --exit-code": {1: true}, "git diff --quiet HEAD -- a": {1: true}, "make build; grep -c x log": {1: true},
		"make build | grep FAIL": {1: true}, "make build && grep -q ok log": {1: false}, "[ -f a ]": {1: true}, "test -d a && test -d b": {1: true}, "command -v node": {1: true},
		"cmp a b": {1: true}, "systemctl is-active db": {3: true}, "systemctl restart db": {1: false}, "git merge-base --is-ancestor a b": {1: true}, "git ls-remote --exit-code origin x": {2: true}, "git push": {1: false},
		"docker ps": {1: false}, "sudo pgrep x": {1: true}, "timeout 5 npm run dev": {124: true, 1: false}, "npm run dev": {130: true, 143: true, 129: true, 141: true, 137: false, 1: false},
		"grep x a || ./gen.sh": {1: false}, "make release | tail": {1: false, 2: false},
	} {
		for code, want := range codes {
			musttest.Same(t, want, shell.IsExpectedExit(line, code), "%q answers by %d", line, code)
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
		musttest.Same(t, want, shell.IsReadOnly(command), "%q looks around", command)
	}
	musttest.Same(t, []string{"conf/a.yaml", ".env"}, shell.Writes("sed -i 's/a/b/' conf/a.yaml && echo A=1 >> .env 2>&1; make > /tmp/log"), "writes")
}
