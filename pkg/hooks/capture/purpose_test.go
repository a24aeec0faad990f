package capture_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hooks/capture"
)

var purposeCases = []struct{ command, want string }{
	// Plain commands.
	{"npm install", capture.Install},
	{"npm ci", capture.Install},
	{"npm i -D vitest", capture.Install},
	{"pnpm add react", capture.Install},
	{"pip3 install -r requirements.txt", capture.Install},
	{"uv pip install ruff", capture.Install},
	{"go get example.com/x@v1.2.3", capture.Install},
	{"go mod tidy", capture.Install},
	{"apt-get -y install jq", capture.Install},
	{"go build ./...", capture.Build},
	{"cargo +nightly build --release", capture.Build},
	{"docker build -t app .", capture.Build},
	{"make", capture.Build},
	{"make -j 4", capture.Build},
	{"cmake --build out", capture.Build},
	{"tsc --noEmit", capture.Build},
	{"go test ./...", capture.Test},
	{"pytest -q tests/test_api.py", capture.Test},
	{"cargo test -p core", capture.Test},
	{"npm t", capture.Test},
	{"git push origin main", capture.Deploy},
	{"kubectl apply -f deploy.yaml", capture.Deploy},
	{"kubectl -n prod rollout restart deployment/web", capture.Deploy},
	{"terraform apply -auto-approve", capture.Deploy},
	{"alembic upgrade head", capture.Migrate},
	{"prisma migrate deploy", capture.Migrate},

	// Targets and scripts.
	{"npm run build", capture.Build},
	{"npm run --silent test:unit", capture.Test},
	{"npm --prefix web run build", capture.Build},
	{"pnpm --filter api test", capture.Test},
	{"yarn db:migrate", capture.Migrate},
	{"yarn workspace", ""},
	{"make test", capture.Test},
	{"make -C backend deploy", capture.Deploy},
	{"make clean test", capture.Test},
	{"make V=1 install", capture.Install},
	{"just release", capture.Deploy},
	{"rails db:migrate", capture.Migrate},
	{"./gradlew clean test", capture.Test},
	{"./mvnw -q -f pom.xml verify", capture.Test},
	{"./scripts/deploy.sh staging", capture.Deploy},
	{"bash scripts/build.sh", capture.Build},

	// Programs that run another program.
	{"python -m pytest -x", capture.Test},
	{"python3 -m pip install black", capture.Install},
	{"python3 -m unittest", capture.Test},
	{"python manage.py migrate", capture.Migrate},
	{"php artisan migrate --force", capture.Migrate},
	{"npx vitest run", capture.Test},
	{"npx --yes playwright test", capture.Test},
	{"npx prisma migrate dev", capture.Migrate},
	{"uv run python -m pytest", capture.Test},
	{"bundle exec rspec", capture.Test},
	{"docker compose -f prod.yml up -d", capture.Deploy},
	{"docker-compose build web", capture.Build},
	{`bash -lc "cd app && npm test"`, capture.Test},

	// What only sets the stage.
	{"CGO_ENABLED=0 GOOS=linux go build", capture.Build},
	{"env -u GOFLAGS CI=1 npm test", capture.Test},
	{"sudo apt-get install -y curl", capture.Install},
	{"sudo -E -u deploy make install", capture.Install},
	{"time go test ./...", capture.Test},
	{"timeout -k 5 120 go test ./...", capture.Test},
	{"nohup nice -n 10 make build", capture.Build},
	{"/usr/local/go/bin/go test ./pkg", capture.Test},
	{"../node_modules/.bin/jest", capture.Test},
	{`NAME="a b" make test`, capture.Test},

	// Several commands.
	{"cd x && make test", capture.Test},
	{"cd x; ls; go build", capture.Build},
	{"ls\nnpm test", capture.Test},
	{"make test 2>&1 | tail -20", capture.Test},
	{"npm test > out.log 2>&1; cat out.log", capture.Test},
	{"cat requirements.txt | xargs -n1 echo || pip install x", capture.Install},
	{"(cd api && cargo check)", capture.Build},
	{"if ! make check; then echo bad; fi", capture.Test},
	{"for d in a b; do go test ./$d; done", capture.Test},
	{"go \\\n  test ./...", capture.Test},
	{"npm run build && npm publish", capture.Build}, // the first that is for anything
	{"out=$(go test ./... 2>&1)", capture.Test},
	{"cat <<'EOF' > main.go\npackage main // make deploy\nEOF\ngo build main.go", capture.Build},

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
	{`git commit -m 'a\' && make test`, capture.Test}, // no escapes in single quotes
	{`git commit -m "a \" && make test"`, ""},
	{`echo a\;make test`, ""},
	{`grep -rn "(npm install)" docs`, ""},
	{"echo hi # then; make test", ""},
	{"# make test", ""},
	{"echo a#b; make test", capture.Test},
	{"cat > notes.md <<EOF\nmake test\nnpm install\nEOF", ""},
	{"cat <<-\"END\" | tee x\n\tgo test\n\tEND\nls", ""},
	{"cat <<A <<B\nmake\nA\nmake\nB\nls", ""},
	{"cat <<EOF\nmake test", ""}, // never ends
	{"cat <<< 'make test'", ""},
	{"ls > make test", ""},
	{`echo "unclosed; make test`, ""},
	{`echo 'unclosed; make test`, ""},
}

func TestPurposeIsWhatACommandIsFor(t *testing.T) {
	for _, tc := range purposeCases {
		if got := capture.Purpose(tc.command); got != tc.want {
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
	known := []string{"", capture.Install, capture.Build, capture.Test, capture.Deploy, capture.Migrate}
	f.Fuzz(func(t *testing.T, command string) {
		purpose := capture.Purpose(command)
		if !slices.Contains(known, purpose) {
			t.Fatalf("unknown purpose %q", purpose)
		}
		quoted := "'" + strings.ReplaceAll(command, "'", `'\''`) + "'"
		if got := capture.Purpose("echo " + quoted); got != "" {
			t.Fatalf("echo %s is for %q", quoted, got)
		}
		if got := capture.Purpose("true; " + command); got != purpose {
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
		got := capture.Tail(tc.text, tc.limit)
		if got != tc.want || !utf8.ValidString(got) {
			t.Errorf("Tail(%q, %d) = %q, want %q", tc.text, tc.limit, got, tc.want)
		}
	}
}
