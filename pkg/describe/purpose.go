package describe

import (
	"slices"
	"strings"
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/shell"
)

// The purposes a shell command can be remembered for.
const (
	Install = "install"
	Build   = "build"
	Test    = "test"
	Deploy  = "deploy"
	Migrate = "migrate"
)

// purposes maps a program and its sub-commands to their purpose. A program that has one purpose
// only stands alone, with exceptions for "". It is made when a hook asks for the first command.
var purposes = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"npm install": Install, "npm i": Install, "npm ci": Install, "npm add": Install, "npm test": Test, "npm t": Test, "npm publish": Deploy,
		"yarn install": Install, "yarn add": Install, "yarn test": Test, "yarn build": Build,
		"pnpm install": Install, "pnpm i": Install, "pnpm add": Install, "pnpm test": Test, "pnpm build": Build,
		"bun install": Install, "bun add": Install, "bun test": Test, "bun build": Build,
		"go get": Install, "go install": Install, "go mod tidy": Install, "go mod download": Install, "go build": Build, "go vet": Build, "go generate": Build, "go test": Test,
		"cargo add": Install, "cargo install": Install, "cargo build": Build, "cargo check": Build, "cargo test": Test, "cargo publish": Deploy,
		"pip install": Install, "uv sync": Install, "uv add": Install, "uv pip install": Install,
		"poetry install": Install, "poetry add": Install, "apt install": Install, "apt-get install": Install, "brew install": Install,
		"gem install": Install, "bundle install": Install, "composer install": Install, "composer require": Install,
		"docker build": Build, "docker push": Deploy, "docker-compose up": Deploy, "docker-compose build": Build,
		"gradle build": Build, "gradle test": Test, "mvn package": Build, "mvn install": Build, "mvn test": Test, "mvn verify": Test,
		"dotnet build": Build, "dotnet test": Test, "dotnet publish": Deploy, "swift build": Build, "swift test": Test,
		"kubectl apply": Deploy, "kubectl rollout restart": Deploy, "kubectl rollout undo": Deploy, "helm install": Deploy, "helm upgrade": Deploy, "terraform apply": Deploy,
		"fly deploy": Deploy, "vercel": Deploy, "netlify deploy": Deploy, "serverless deploy": Deploy, "git push": Deploy,
		"make": Build, "make clean": "", "make help": "", "cmake": Build, "ninja": Build, "bazel build": Build, "bazel test": Test, "tsc": Build, "webpack": Build, "vite build": Build,
		"pytest": Test, "unittest": Test, "tox": Test, "nox": Test, "jest": Test, "vitest": Test, "ctest": Test, "rspec": Test, "phpunit": Test, "mocha": Test,
		"playwright test": Test, "alembic upgrade": Migrate, "alembic downgrade": Migrate, "prisma migrate": Migrate, "goose up": Migrate,
		"flyway migrate": Migrate, "liquibase update": Migrate, "dbmate up": Migrate, "memory-migrate up": Migrate,
	}
})

// targets maps words of a make target, a package script or a task to its purpose,
// whatever the runner.
var targets = []struct{ word, purpose string }{
	{"migrat", Migrate},
	{"deploy", Deploy},
	{"release", Deploy},
	{"publish", Deploy},
	{"test", Test},
	{"check", Test},
	{"e2e", Test},
	{"lint", Test},
	{"install", Install},
	{"setup", Install},
	{"build", Build},
	{"compile", Build},
}

// runners take a target or a script as their first argument; npm and its like
// take it after run.
var runners = map[string]bool{
	"make": true, "just": true, "task": true, "rake": true, "rails": true, "mise": true, "gradle": true, "mvn": true,
	"npm run": true, "yarn run": true, "pnpm run": true, "bun run": true,
	"yarn": true, "manage.py": true, "artisan": true,
}

// manyTargets are the runners all of whose arguments are targets.
var manyTargets = map[string]bool{"make": true, "gradle": true, "mvn": true, "rake": true}

// aliases are other names of programs.
var aliases = map[string]string{
	"python3": "python", "pip3": "pip", "gradlew": "gradle", "mvnw": "mvn", "gmake": "make", "bash": "sh", "zsh": "sh",
}

// Purpose names the purpose of a shell command: that of its first part with a purpose, or
// "" for a command that only looks around. Text that a part merely prints, searches or
// writes to a file has no purpose.
func Purpose(command string) string {
	for _, words := range shell.Commands(command) {
		if purpose := purposeOfCommand(words); purpose != "" {
			return purpose
		}
	}
	return ""
}

func purposeOfCommand(words []string) string {
	words = skipPrefix(words)
	if len(words) == 0 || slices.Contains(words, "--help") || slices.Contains(words, "--version") {
		return ""
	}
	program := words[0][strings.LastIndexByte(words[0], '/')+1:]
	if name, known := aliases[program]; known {
		program = name
	}
	if program == "sh" || program == "python" || program == "php" {
		return purposeOfScript(words[1:])
	}
	if strings.HasSuffix(program, ".sh") {
		return purposeOfTarget(program)
	}
	arguments := plain(words[1:])
	if program == "docker" && len(arguments) > 0 && arguments[0] == "compose" {
		program, arguments = "docker-compose", arguments[1:]
	}
	pair := program
	if len(arguments) > 0 {
		pair += " " + arguments[0]
	}
	if shell.Delegates[program] {
		return purposeOfDelegate(words[1:])
	}
	if len(arguments) > 0 && shell.Delegates[pair] {
		return purposeOfDelegate(words[slices.Index(words, arguments[0])+1:])
	}
	if purpose, decided := lookUp(program, arguments); purpose != "" || (decided && len(arguments) == 1) {
		return purpose
	}
	switch {
	case len(arguments) > 0 && runners[pair]:
		return firstPurpose(program, arguments[1:min(2, len(arguments))])
	case manyTargets[program]:
		if purpose := firstPurpose(program, arguments); purpose != "" {
			return purpose
		}
	case runners[program]:
		return firstPurpose(program, arguments[:min(1, len(arguments))])
	}
	return purposes()[program]
}

// lookUp finds the purpose of a program with up to two of its arguments.
func lookUp(program string, arguments []string) (purpose string, decided bool) {
	for n := min(2, len(arguments)); n > 0 && !decided; n-- {
		purpose, decided = purposes()[program+" "+strings.Join(arguments[:n], " ")]
	}
	return purpose, decided
}

func firstPurpose(program string, targets []string) string {
	for _, target := range targets {
		purpose, known := purposes()[program+" "+target]
		if !known {
			purpose = purposeOfTarget(target)
		}
		if purpose != "" {
			return purpose
		}
	}
	return ""
}

// purposeOfScript is for sh -c "...", python -m module and an interpreter's
// script file.
func purposeOfScript(words []string) string {
	for i, word := range words {
		switch {
		case strings.HasPrefix(word, "-") && strings.HasSuffix(word, "c"):
			if i+1 < len(words) {
				return Purpose(words[i+1])
			}
			return ""
		case word == "-m":
			return purposeOfCommand(words[i+1:])
		case !strings.HasPrefix(word, "-"):
			return purposeOfCommand(words[i:])
		}
	}
	return ""
}

func purposeOfDelegate(words []string) string {
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		words = words[1:]
	}
	if purpose := purposeOfCommand(words); purpose != "" || len(words) == 0 {
		return purpose
	}
	return purposeOfTarget(words[0])
}

// prefix is a command that only runs the command after it.
type prefix struct {
	withValue string // its options that take a value, each between blanks
	operands  int    // the number of its operands before the command
}

var prefixes = map[string]prefix{
	"sudo": {withValue: " -u -g -h -p -C "}, "doas": {withValue: " -u "}, "env": {withValue: " -u -C "},
	"nice": {withValue: " -n "}, "timeout": {withValue: " -s -k ", operands: 1}, "time": {}, "nohup": {}, "exec": {},
	"if": {}, "elif": {}, "then": {}, "else": {}, "while": {}, "until": {}, "do": {}, "!": {}, "{": {},
}

// skipPrefix drops prefixes of the command proper: FOO=bar, sudo, env, time, then.
func skipPrefix(words []string) []string {
	for len(words) > 0 {
		word := words[0]
		p, known := prefixes[word]
		switch {
		case known:
			words = words[1:]
			for len(words) > 0 && strings.HasPrefix(words[0], "-") {
				taken := 1
				if strings.Contains(p.withValue, " "+words[0]+" ") {
					taken = 2
				}
				words = words[min(taken, len(words)):]
			}
			words = words[min(p.operands, len(words)):]
		case strings.Contains(word, "=") && !strings.HasPrefix(word, "-"):
			words = words[1:]
		default:
			return words
		}
	}
	return nil
}

// valueOptions are options, of any program, whose value is the next word.
const valueOptions = " -C -f --directory --file --prefix --filter --cwd --workspace -w -n --namespace "

// plain leaves out options with their values, variables, and numbers (make -j 4).
func plain(words []string) []string {
	var some []string
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case strings.Contains(valueOptions, " "+word+" "):
			i++
		case word == "", strings.HasPrefix(word, "-"), strings.HasPrefix(word, "+"),
			strings.Contains(word, "="), strings.Trim(word, "0123456789") == "":
		default:
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
	return ""
}
