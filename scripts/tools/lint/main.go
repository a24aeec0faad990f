// Command lint checks a package for go vet -vettool, with vet's own analyzers, staticcheck's, errcheck, and depguard
// with the lists of .golangci.yml, which golangci-lint reads, too. It takes a tenth of golangci-lint's time, and go
// vet caches its results.
package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/OpenPeeDeeP/depguard/v2"
	"github.com/kisielk/errcheck/errcheck"
	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/analysis/unitchecker"
	"honnef.co/go/tools/analysis/lint"
	"honnef.co/go/tools/simple"
	"honnef.co/go/tools/staticcheck"
	"honnef.co/go/tools/stylecheck"
)

// left are checks of style that staticcheck does not make by default either: forms of comments and names.
var left = []string{"ST1000", "ST1003", "ST1016", "ST1020", "ST1021", "ST1022", "ST1023"}

func main() {
	all := append(slices.Clone(vet.Suite), errcheck.Analyzer, imports())
	for _, checks := range [][]*lint.Analyzer{staticcheck.Analyzers, simple.Analyzers, stylecheck.Analyzers} {
		for _, check := range checks {
			if !slices.Contains(left, check.Analyzer.Name) {
				all = append(all, check.Analyzer)
			}
		}
	}
	unitchecker.Main(all...)
}

// imports returns depguard with the lists of a file. sum is the file's hash: go vet checks all packages again when
// this flag changes.
func imports() *analysis.Analyzer {
	rules := depguard.LinterSettings{}
	guard := depguard.NewUncompiledAnalyzer(&rules)
	file := guard.Analyzer.Flags.String("file", "", "the file with the lists of imports")
	guard.Analyzer.Flags.String("sum", "", "a sum of that file")
	guard.Analyzer.Run = func(pass *analysis.Pass) (any, error) {
		read, err := readRules(*file)
		if err != nil {
			return nil, err
		}
		made, err := depguard.NewAnalyzer(&read)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", *file, err)
		}
		return made.Run(pass)
	}
	return guard.Analyzer
}

func readRules(file string) (depguard.LinterSettings, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var config struct {
		Linters struct {
			Settings struct {
				Depguard struct {
					Rules map[string]struct {
						Mode  string   `yaml:"list-mode"`
						Files []string `yaml:"files"`
						Allow []string `yaml:"allow"`
						Deny  []struct {
							Pkg  string `yaml:"pkg"`
							Desc string `yaml:"desc"`
						} `yaml:"deny"`
					} `yaml:"rules"`
				} `yaml:"depguard"`
			} `yaml:"settings"`
		} `yaml:"linters"`
	}
	if err := yaml.Unmarshal(content, &config); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	rules := depguard.LinterSettings{}
	for name, rule := range config.Linters.Settings.Depguard.Rules {
		list := &depguard.List{ListMode: rule.Mode, Files: rule.Files, Allow: rule.Allow, Deny: map[string]string{}}
		for _, one := range rule.Deny {
			list.Deny[one.Pkg] = one.Desc
		}
		rules[name] = list
	}
	if len(rules) == 0 {
		return nil, fmt.Errorf("%s lists no imports", file)
	}
	return rules, nil
}
