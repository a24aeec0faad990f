package consent

import (
	"slices"
	"strings"
	"testing"
)

func TestALineIsACommandOfTheMemoryAndNoMore(t *testing.T) {
	for line, want := range map[string]string{
		"memory distill on": "distill on", "  /p/bin/memory distill on ": "distill on", "'/a b/memory' distill 'on'": "distill on",
		`memory config set distill.url "http://x/v1?a=b&c"`: "config set distill.url http://x/v1?a=b&c",
		"memory distill on; ls":                             "", "memory distill on &": "", "X=1 memory distill on": "", "cd /x && memory distill on": "", "sleep 5 memory distill on": "",
		"memory distill $(echo on)": "", "memory distill on\n": "", `memory distill "$X"`: "", "./script": "", "sh -c 'memory distill on'": "", "memory distill 'on": "", "": "",
		"memory distill on > x": "", "memory distill o*": "", "memory distill {on,off}": "", "memory distill o\\n": "",
	} {
		got, is := literal(line)
		if strings.Join(got, " ") != want || is != (want != "") {
			t.Errorf("%q is %q, %v; want %q", line, got, is, want)
		}
	}
}

func TestOnlyAPersonDecides(t *testing.T) {
	for line, want := range map[string]bool{
		"memory distill on": true, "memory distill --json on": true, "memory distill --since 30d on": true, "memory distill off": false, "memory distill 0123": false,
		"memory config set distill.enabled true": true, "memory config set store.url x": true, "memory config --json set backup.directory x": true,
		"memory config set distill.url x": true, "memory config unset distill.enabled": true, "memory config set disabled false": true,
		"memory config set hooks.session_start.token_budget 500": true, "memory config get store.url": false, "memory sync": true, "memory rule 3f9a1c": true,
		"memory recall 'distill on'": false, "memory remember 'config set store.url'": false, "memory projects on": true, "memory projects off": false, "memory status": false,
	} {
		if _, got := PersonsLine(line); got != want {
			t.Errorf("%s: only a person: %v, want %v", line, got, want)
		}
		words, _ := literal(line)
		words = slices.DeleteFunc(words, func(word string) bool { return strings.HasPrefix(word, "-") })
		if _, got := Persons(words); got != want {
			t.Errorf("%q: only a person: %v, want %v", words, got, want)
		}
	}
}
