package describe_test

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
)

var purposeCases = []struct{ command, want string }{
	// Plain commands.
	{"npm install", describe.Install},
	{"npm ci", describe.Install},
	{"npm i -D vitest", describe.Install},
	{"pnpm add react", describe.Install},
	{"pip3 install -r requirements.txt", describe.Install},
	{"uv pip install ruff", describe.Install},
	{"go get example.com/x@v1.2.3", describe.Install},
	{"go mod tidy", describe.Install},
	{"apt-get -y install jq", describe.Install},
	{"go build ./...", describe.Build},
	{"cargo +nightly build --release", describe.Build},
	{"docker build -t app .", describe.Build},
	{"make", describe.Build},
	{"make -j 4", describe.Build},
	{"cmake --build out", describe.Build},
	{"tsc --noEmit", describe.Build},
	{"go test ./...", describe.Test},
	{"pytest -q tests/test_api.py", describe.Test},
	{"cargo test -p core", describe.Test},
	{"npm t", describe.Test},
	{"git push origin main", describe.Deploy},
	{"kubectl apply -f deploy.yaml", describe.Deploy},
	{"kubectl -n prod rollout restart deployment/web", describe.Deploy},
	{"terraform apply -auto-approve", describe.Deploy},
	{"alembic upgrade head", describe.Migrate},
	{"prisma migrate deploy", describe.Migrate},

	// Targets and scripts.
	{"npm run build", describe.Build},
	{"npm run --silent test:unit", describe.Test},
	{"npm --prefix web run build", describe.Build},
	{"pnpm --filter api test", describe.Test},
	{"yarn db:migrate", describe.Migrate},
	{"yarn workspace", ""},
	{"make test", describe.Test},
	{"make -C backend deploy", describe.Deploy},
	{"make clean test", describe.Test},
	{"make V=1 install", describe.Install},
	{"just release", describe.Deploy},
	{"rails db:migrate", describe.Migrate},
	{"./gradlew clean test", describe.Test},
	{"./mvnw -q -f pom.xml verify", describe.Test},
	{"./scripts/deploy.sh staging", describe.Deploy},
	{"bash scripts/build.sh", describe.Build},

	// Programs that run another program.
	{"python -m pytest -x", describe.Test},
	{"python3 -m pip install black", describe.Install},
	{"python3 -m unittest", describe.Test},
	{"python manage.py migrate", describe.Migrate},
	{"php artisan migrate --force", describe.Migrate},
	{"npx vitest run", describe.Test},
	{"npx --yes playwright test", describe.Test},
	{"npx prisma migrate dev", describe.Migrate},
	{"uv run python -m pytest", describe.Test},
	{"bundle exec rspec", describe.Test},
	{"docker compose -f prod.yml up -d", describe.Deploy},
	{"docker-compose build web", describe.Build},
	{`bash -lc "cd app && npm test"`, describe.Test},

	// Words that only set the stage.
	{"CGO_ENABLED=0 GOOS=linux go build", describe.Build},
	{"env -u GOFLAGS CI=1 npm test", describe.Test},
	{"sudo apt-get install -y curl", describe.Install},
	{"sudo -E -u deploy make install", describe.Install},
	{"time go test ./...", describe.Test},
	{"timeout -k 5 120 go test ./...", describe.Test},
	{"nohup nice -n 10 make build", describe.Build},
	{"/usr/local/go/bin/go test ./pkg", describe.Test},
	{"../node_modules/.bin/jest", describe.Test},
	{`NAME="a b" make test`, describe.Test},

	// Several commands.
	{"cd x && make test", describe.Test},
	{"cd x; ls; go build", describe.Build},
	{"ls\nnpm test", describe.Test},
	{"make test 2>&1 | tail -20", describe.Test},
	{"npm test > out.log 2>&1; cat out.log", describe.Test},
	{"cat requirements.txt | xargs -n1 echo || pip install x", describe.Install},
	{"(cd api && cargo check)", describe.Build},
	{"if ! make check; then echo bad; fi", describe.Test},
	{"for d in a b; do go test ./$d; done", describe.Test},
	{"go \\\n  test ./...", describe.Test},
	{"npm run build && npm publish", describe.Build}, // the first that is for anything
	{"out=$(go test ./... 2>&1)", describe.Test},
	{"cat <<'EOF' > main.go\npackage main // make deploy\nEOF\ngo build main.go", describe.Build},

	// Looking around.
	{"", ""},
	{"   \n\t", ""},
	{"ls", ""},
	{"ls -la build", ""},
	{"git status", ""},
	{"git log --oneline", ""},
	{"git diff --stat; git show HEAD", ""},
	{"cat Makefile", ""},
	{"cd build", ""},
	{"go version", ""},
	{"go mod graph", ""},
	{"go run ./cmd/test", ""},
	{"npm ls", ""},
	{"npm run", ""},
	{"docker compose ps", ""},
	{"docker ps -a", ""},
	{"kubectl get pods", ""},
	{"kubectl rollout status deployment/web", ""},
	{"pytest --version", ""},
	{"make help", ""},
	{"make clean", ""},
	{"which pytest", ""},
	{"command -v make", ""},
	{"python -m json.tool test.json", ""},
	{"python -c 'import pytest'", ""},
	{"test -f go.mod", ""},
	{"FOO=make", ""},
	{"sudo", ""},
	{"timeout 5", ""},

	// Data, not commands.
	{"echo make test", ""},
	{`echo "run it; make test"`, ""},
	{`echo 'a && npm install'`, ""},
	{`git commit -m "Fix build; go test passes | make deploy"`, ""},
	{`git commit -m 'a\' && make test`, describe.Test}, // no escapes in single quotes
	{`git commit -m "a \" && make test"`, ""},
	{`echo a\;make test`, ""},
	{`grep -rn "(npm install)" docs`, ""},
	{"echo hi # then; make test", ""},
	{"# make test", ""},
	{"echo a#b; make test", describe.Test},
	{"cat > notes.md <<EOF\nmake test\nnpm install\nEOF", ""},
	{"cat <<-\"END\" | tee x\n\tgo test\n\tEND\nls", ""},
	{"cat <<A <<B\nmake\nA\nmake\nB\nls", ""},
	{"cat <<EOF\nmake test", ""}, // never ends
	{"cat <<< 'make test'", ""},
	{"ls > make test", ""},
	{`echo "unclosed; make test`, ""},
	{`echo 'unclosed; make test`, ""},
}

func TestPurposeOfACommand(t *testing.T) {
	for _, tc := range purposeCases {
		if got := describe.Purpose(tc.command); got != tc.want {
			t.Errorf("Purpose(%q) = %q, want %q", tc.command, got, tc.want)
		}
	}
}

func FuzzPurpose(f *testing.F) {
	for _, tc := range purposeCases {
		f.Add(tc.command)
	}
	for _, odd := range []string{"\\", "<<", "<<-", "a <<'", "2>", "&>", "sudo -u", "make -C", "timeout", "sh -c", "python -m", "npx --", "docker compose", "''", "\xff\x00"} {
		f.Add(odd)
	}
	known := []string{"", describe.Install, describe.Build, describe.Test, describe.Deploy, describe.Migrate}
	f.Fuzz(func(t *testing.T, command string) {
		purpose := describe.Purpose(command)
		if !slices.Contains(known, purpose) {
			t.Fatalf("unknown purpose %q", purpose)
		}
		quoted := "'" + strings.ReplaceAll(command, "'", `'\''`) + "'"
		if got := describe.Purpose("echo " + quoted); got != "" {
			t.Fatalf("echo %s is for %q", quoted, got)
		}
		if got := describe.Purpose("true; " + command); got != purpose {
			t.Fatalf("%q is for %q, but after another command for %q", command, purpose, got)
		}
	})
}

func TestTailKeepsWholeCharactersOfTheEnd(t *testing.T) {
	for _, tc := range []struct {
		text  string
		limit int
		want  string
	}{
		{"short", 5, "short"},
		{"shorter", 5, "…orter"},
		{"aéé", 3, "…é"},
		{"日本", 1, "…"},
		{"", 0, ""},
	} {
		got := describe.Tail(tc.text, tc.limit)
		if got != tc.want || !utf8.ValidString(got) {
			t.Errorf("Tail(%q, %d) = %q, want %q", tc.text, tc.limit, got, tc.want)
		}
	}
}

// TestEveryPurposeFulfilsItsExamples: a command behind "+" has the purpose of its row,
// one behind "-" has not.
func TestEveryPurposeFulfilsItsExamples(t *testing.T) {
	text, err := os.ReadFile("purposes.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range language.Rows(string(text)) {
		if len(row.Yes) == 0 || len(row.No) == 0 {
			t.Errorf("purposes.txt:%d: a purpose needs examples of + and -", row.Line)
		}
		for command, want := range examples(row) {
			if got := cmp.Or(describe.Purpose(command), "none") == row.Columns[0]; got != want {
				t.Errorf("purposes.txt:%d: %q is for %q", row.Line, command, describe.Purpose(command))
			}
		}
	}
}

func examples(row language.Row) map[string]bool {
	all := map[string]bool{}
	for _, text := range row.Yes {
		all[text] = true
	}
	for _, text := range row.No {
		all[text] = false
	}
	return all
}
