package capture

import (
	"strings"
	"unicode/utf8"
)

// The purposes a shell command can be remembered for.
const (
	Install = "install"
	Build   = "build"
	Test    = "test"
	Deploy  = "deploy"
	Migrate = "migrate"
)

// purposes maps a program and its sub-command to what it is for. A program that
// has one purpose only stands alone.
var purposes = map[string]string{
	"npm install": Install, "npm i": Install, "npm ci": Install, "npm add": Install, "npm test": Test, "npm t": Test, "npm publish": Deploy,
	"yarn install": Install, "yarn add": Install, "yarn test": Test, "yarn build": Build,
	"pnpm install": Install, "pnpm i": Install, "pnpm add": Install, "pnpm test": Test, "pnpm build": Build,
	"bun install": Install, "bun add": Install, "bun test": Test, "bun build": Build,
	"go get": Install, "go install": Install, "go mod": Install, "go build": Build, "go vet": Build, "go generate": Build, "go test": Test,
	"cargo add": Install, "cargo install": Install, "cargo build": Build, "cargo check": Build, "cargo test": Test, "cargo publish": Deploy,
	"pip install": Install, "pip3 install": Install, "uv sync": Install, "uv add": Install, "uv pip": Install,
	"poetry install": Install, "poetry add": Install, "apt install": Install, "apt-get install": Install, "brew install": Install,
	"gem install": Install, "bundle install": Install, "composer install": Install, "composer require": Install,
	"docker build": Build, "docker compose": Deploy, "docker push": Deploy, "docker-compose up": Deploy,
	"gradle build": Build, "gradle test": Test, "mvn package": Build, "mvn install": Build, "mvn test": Test, "mvn verify": Test,
	"dotnet build": Build, "dotnet test": Test, "dotnet publish": Deploy, "swift build": Build, "swift test": Test,
	"kubectl apply": Deploy, "kubectl rollout": Deploy, "helm install": Deploy, "helm upgrade": Deploy, "terraform apply": Deploy,
	"fly deploy": Deploy, "vercel": Deploy, "netlify deploy": Deploy, "serverless deploy": Deploy, "git push": Deploy,
	"make": Build, "cmake": Build, "ninja": Build, "bazel build": Build, "bazel test": Test, "tsc": Build, "webpack": Build, "vite build": Build,
	"pytest": Test, "tox": Test, "nox": Test, "jest": Test, "vitest": Test, "ctest": Test, "rspec": Test, "phpunit": Test, "mocha": Test,
	"playwright test": Test, "alembic upgrade": Migrate, "alembic downgrade": Migrate, "prisma migrate": Migrate, "goose up": Migrate,
	"flyway migrate": Migrate, "liquibase update": Migrate, "dbmate up": Migrate, "memory-migrate up": Migrate,
}

// targets maps words of a make target, a package script or a task to what it is
// for, whatever the runner.
var targets = []struct{ word, purpose string }{
	{"migrat", Migrate}, {"deploy", Deploy}, {"release", Deploy}, {"publish", Deploy}, {"test", Test}, {"check", Test},
	{"e2e", Test}, {"lint", Test}, {"install", Install}, {"setup", Install}, {"build", Build}, {"compile", Build},
}

// runners take a target or script as their first plain argument; npm and its
// like take it after run.
var runners = map[string]bool{
	"make": true, "just": true, "task": true, "rake": true, "rails": true, "mise": true,
	"npm run": true, "yarn run": true, "pnpm run": true, "bun run": true, "poetry run": true, "uv run": true,
	"yarn": true, "npx": true, "python -m": true, "python3 -m": true, "manage.py": true, "artisan": true,
}

// Purpose says what a shell command is for, by the first of its parts that is
// for anything, or "" for a command that only looks around.
func Purpose(command string) string {
	for _, part := range strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune("&|;\n()", r) }) {
		if purpose := purposeOfPart(strings.Fields(part)); purpose != "" {
			return purpose
		}
	}
	return ""
}

func purposeOfPart(words []string) string {
	words = skipPrefix(words)
	if len(words) == 0 {
		return ""
	}
	program := words[0][strings.LastIndexByte(words[0], '/')+1:]
	if (program == "python" || program == "python3" || program == "php") && len(words) > 1 && isScriptRunner(words[1]) {
		return purposeOfPart(words[1:])
	}
	arguments := plain(words[1:])
	pair := program
	if len(arguments) > 0 {
		pair += " " + arguments[0]
	}
	if len(words) > 2 && words[1] == "-m" {
		pair, arguments = program+" -m", words[1:]
	}
	for i, runner := range []string{program, pair} {
		if runners[runner] && len(arguments) > i {
			if purpose := purposeOfTarget(arguments[i]); purpose != "" {
				return purpose
			}
		}
	}
	if purpose := purposes[pair]; purpose != "" {
		return purpose
	}
	return purposes[program]
}

// skipPrefix drops what only sets the stage: FOO=bar, sudo, env, time, nohup.
func skipPrefix(words []string) []string {
	for len(words) > 0 {
		switch word := words[0]; {
		case word == "sudo", word == "env", word == "time", word == "nohup", word == "exec", word == "command":
		case strings.Contains(word, "=") && !strings.HasPrefix(word, "-"):
		default:
			return words
		}
		words = words[1:]
	}
	return nil
}

func isScriptRunner(word string) bool {
	return runners[word[strings.LastIndexByte(word, '/')+1:]]
}

// plain leaves out options.
func plain(words []string) []string {
	var some []string
	for _, word := range words {
		if !strings.HasPrefix(word, "-") {
			some = append(some, word)
		}
	}
	return some
}

func purposeOfTarget(target string) string {
	target = strings.ToLower(target)
	for _, t := range targets {
		if strings.Contains(target, t.word) {
			return t.purpose
		}
	}
	return purposes[target]
}

// Tail keeps the last limit bytes of a text, from the beginning of a character,
// and marks the cut.
func Tail(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	start := len(text) - limit
	for start < len(text) && !utf8.RuneStart(text[start]) {
		start++
	}
	return "…" + text[start:]
}
