package knowledge

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// Action is what a step of a session did.
type Action int

const (
	Ran     Action = iota // a command that succeeded
	Failed                // a command that failed
	Edited                // a file that was changed
	Started               // something with an unknown outcome: a command in the background, another tool
)

type Step struct {
	Action  Action
	Command string
	Output  string
	// Error is the message of a failed command.
	Error string
	// Signature is Error in a normalised form for comparisons (memory.ErrorSignature).
	Signature string
	File      string // the changed file, relative to the project's root
}

// Cure is a failed command, its later success, and what may have made the difference.
type Cure struct {
	Failure int // index of the step that failed
	Success int // index of the step in which the command succeeded
	// Changed holds the parts of the successful command that the failed one lacks.
	Changed []string
	// Steps are the indexes of the steps in between that may have made the difference, in order.
	Steps []int
	// Before lists the commands in front of the successful one on its line (./seed.sh && bin/api).
	Before []string
}

// Cures returns the failures worth keeping among the steps of a session, which are given in order. A failure is kept if its cure is not an edit of a source
// file but another flag or variable, an installation, a service or a settings file. Failures of commands that only show something (ls, grep, cat) are dropped.
func Cures(steps []Step) []Cure {
	var lessons []Cure
	open := map[string]int{}
	for i, step := range steps {
		switch step.Action {
		case Failed:
			if shell.IsReadOnly(step.Command) {
				continue
			}
			key := openKey(open, steps, step.Command)
			if first, waiting := open[key]; !waiting || steps[first].Signature != step.Signature {
				open[key] = i
			}
		case Ran:
			for n, run := range shell.Succeeded(step.Command) {
				key := openKey(open, steps, run.Command)
				failure, waiting := open[key]
				if !waiting || shell.DoesLess(steps[failure].Command, run.Command) || step.Repeats(steps[failure].Error) {
					continue
				}
				delete(open, key)
				if lesson := cureOf(steps, failure, i, run); lesson.worth(steps) {
					lessons = append(lessons, lesson)
				}
				if n == 0 { // the whole line worked
					break
				}
			}
		case Edited, Started:
		}
	}
	slices.SortFunc(lessons, func(a, b Cure) int { return a.Failure - b.Failure })
	return lessons
}

// openKey returns the key under which open has a failed command that this command repeats or fixes. If there is none, it returns the core of this command.
func openKey(open map[string]int, steps []Step, command string) string {
	own := shell.CoreOf(command)
	if _, same := open[own]; same {
		return own
	}
	best := own
	for key, failure := range open {
		// Of several, the latest: the result must not depend on the map's order.
		if shell.Same(steps[failure].Command, command) && (best == own || open[best] < failure) {
			best = key
		}
	}
	return best
}

// Repeats reports whether a line of the step's output has the error signature of text. Then the step failed, too.
func (s Step) Repeats(text string) bool {
	reason := memory.ErrorSignature(zero.ReplaceAllString(text, "none"))
	if reason == "" {
		return false
	}
	for line := range strings.Lines(zero.ReplaceAllString(s.Output, "none")) {
		if memory.ErrorSignature(line) == reason {
			return true
		}
	}
	return false
}

// zero matches a count of zero, as in "errors: 0": error signatures write all numbers alike.
var zero = regexp.MustCompile(`\b0\b`)

func cureOf(steps []Step, failure, success int, worked shell.Run) Cure {
	lesson := Cure{
		Failure: failure, Success: success,
		Changed: shell.Difference(steps[failure].Command, worked.Command), Before: slices.DeleteFunc(slices.Clone(worked.Before), shell.IsReadOnly),
	}
	core := shell.CoreOf(steps[failure].Command)
	for i := failure + 1; i < success; i++ {
		step := steps[i]
		if step.Action == Edited || step.Action != Failed && !shell.IsReadOnly(step.Command) && shell.CoreOf(step.Command) != core {
			lesson.Steps = append(lesson.Steps, i)
		}
	}
	return lesson
}

func (l Cure) worth(steps []Step) bool {
	if len(l.Changed) == 0 && len(l.Steps) == 0 && len(l.Before) == 0 {
		return false
	}
	var written []string
	for _, i := range l.Steps {
		if written = append(written, shell.Writes(steps[i].Command)...); steps[i].Action == Edited {
			written = append(written, steps[i].File)
		}
	}
	for _, command := range l.Before {
		written = append(written, shell.Writes(command)...)
	}
	return !slices.ContainsFunc(written, func(file string) bool {
		return isSource(file) || strings.Contains(steps[l.Failure].Error, path.Base(file))
	})
}

// settingsEndings are the endings of settings files.
var settingsEndings = language.Set(`.env .yaml .yml .toml .ini .cfg .conf .json .lock .properties .envrc .npmrc .mod .sum .service .xml .gradle .tool-versions`)

var settingsNames = language.Set(`Makefile Dockerfile docker-compose.yml requirements.txt Gemfile Procfile Justfile Taskfile.yml .gitignore .gitattributes go.work`)

// isSource reports whether a file is source code, that is, not a settings file.
func isSource(file string) bool {
	name := path.Base(file)
	return !settingsNames[name] && !settingsEndings[path.Ext(name)] && !strings.HasPrefix(name, ".env")
}
