package project

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func TestNormaliseOrigin(t *testing.T) {
	for url, want := range map[string]string{
		"https://user:pass@Host.com:443/Org/Repo.git/":  "host.com/Org/Repo",
		"git@evil.io:x@host.com:Org/Repo":               "",
		"git@evil.io:@host.com:Org/Repo":                "",
		"git@host.com:Org/Repo.git":                     "host.com/Org/Repo",
		"ssh://git@host.com:22/Org/Repo":                "host.com/Org/Repo",
		"HTTPS://HOST.COM//Org//Repo.git":               "host.com/Org/Repo",
		"http://host.com:80/Org/Repo":                   "host.com/Org/Repo",
		"git://host.com:9418/Org/Repo":                  "host.com/Org/Repo",
		"git+ssh://git@host.com/Org/Repo":               "host.com/Org/Repo",
		"host.com:Org/Repo":                             "host.com/Org/Repo",
		"git@host.com:/Org/Repo.git/":                   "host.com/Org/Repo",
		"git@[host.com:22]:Org/Repo":                    "host.com/Org/Repo",
		"git@[host.com:2222]:Org/Repo":                  "host.com:2222/Org/Repo",
		"git@[::1]:Org/Repo":                            "[::1]/Org/Repo",
		"ssh://git@[::1]:22/Org/Repo":                   "[::1]/Org/Repo",
		"ssh://git@[::1]/Org/Repo":                      "[::1]/Org/Repo",
		"https://host.com:8443/Org/Repo":                "host.com:8443/Org/Repo",
		"https://token@host.com/Org/Repo?x=secret#frag": "host.com/Org/Repo",
		"https://us%40er:p%40ss@host.com/r":             "host.com/r",
		"https://user:p@ss@host.com/r":                  "host.com/r",
		"https://user:pa/ss@host.com/r":                 "host.com/r",
		"user:pass@host.com:Org/Repo":                   "",
		"user:pass@host.com/Org/Repo":                   "",
		"https:/user:pass@host.com/Org":                 "https/host.com/Org",
		"https://host.com/~user/repo.git":               "host.com/~user/repo",
		"https://host.com/a/../b/repo":                  "host.com/b/repo",
		"https://host.com":                              "host.com",
		"https://host.com/.git":                         "host.com",
		"https:///no/host":                              "",
		"user:pass@":                                    "",
		"user:pass@host:@":                              "",
		"persistent-https://host.com/r":                 "host.com/r",
		"codecommit::eu-west-1://profile@name":          "name",
		"ext::sh -c 'secret' %S":                        "",
		"/srv/git/repo.git":                             "/srv/git/repo.git",
		"/srv/git/repo/.git/":                           "/srv/git/repo",
		"file:///srv/git/repo/":                         "/srv/git/repo",
		"file://localhost/srv/git/repo":                 "/srv/git/repo",
		"../other":                                      "/no/such/other",
		"./a:b":                                         "/no/such/base/a:b",
		"  git@host.com:r  ":                            "host.com/r",
		"":                                              "",
		"git@host.com:a\nb":                             "",
		"git@host.com:a\xff":                            "",
	} {
		musttest.Same(t, want, normaliseOrigin(url, "/no/such/base"), "normaliseOrigin(%q)", url)
	}
}

// gitSays is the URL of origin according to the real git.
func gitSays(t *testing.T, config string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "config")
	musttest.Do(t, os.WriteFile(file, []byte(config), 0o600))
	cmd := exec.CommandContext(t.Context(), "git", "config", "--null", "--no-includes", "-f", file, "--get-all", "remote.origin.url")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 { // 1: no such key
		t.Fatalf("git config refuses %q: %v", config, err)
	}
	for url := range strings.SplitSeq(string(out), "\x00") {
		if url != "" {
			return url
		}
	}
	return ""
}

func TestOriginURLReadsAsGitDoes(t *testing.T) {
	for name, tc := range map[string]struct{ config, want string }{
		"plain":              {"[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@h:a/b.git\n\tfetch = +x\n", "git@h:a/b.git"},
		"other remote first": {"[remote \"upstream\"]\nurl = no\n[remote \"origin\"]\nurl = yes", "yes"},
		"only other remotes": {"[remote \"upstream\"]\nurl = no\n[remote \"Origin\"]\nurl = no\n[branch \"origin\"]\nurl = no\n", ""},
		"case of names":      {"[REMOTE \"origin\"]\nURL = yes\n", "yes"},
		"comments":           {"# [remote \"origin\"]\n; x\n[remote \"origin\"] # c\n# url = no\nurl = yes ; c\n", "yes"},
		"quoted":             {"[remote \"origin\"]\nurl = \"a # b ; c\" # d\n", "a # b ; c"},
		"escapes":            {"[remote \"origin\"]\nurl = a\\\\b\\\"c\n", "a\\b\"c"},
		"Windows line ends":  {"[remote \"origin\"]\r\n\turl = git@h:a/b\r\n", "git@h:a/b"},
		"inner blanks":       {"[remote \"origin\"]\nurl =   a  b   \n", "a  b"},
		"no blanks":          {"[remote \"origin\"]\nurl=yes", "yes"},
		"two values":         {"[remote \"origin\"]\nurl = first\nurl = second\n", "first"},
		"split sections":     {"[remote \"origin\"]\nfetch = x\n[core]\nbare = false\n[remote \"origin\"]\nurl = yes\n", "yes"},
		"empty value":        {"[remote \"origin\"]\nurl =\nurl = yes\n", "yes"},
		"longer name":        {"[remote \"origin\"]\nurlx = no\npushurl = no\nurl-x = no\n", ""},
		"byte order mark":    {"\ufeff[remote \"origin\"]\nurl = yes\n", "yes"},
		"include ignored":    {"[include]\npath = /no/such\n[remote \"origin\"]\nurl = yes\n", "yes"},
		"empty":              {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			musttest.Same(t, tc.want, gitSays(t, tc.config), "the test is wrong: git reads (-test +git)")
			musttest.Same(t, tc.want, originURL(tc.config), "originURL")
		})
	}
}

func TestOriginURLSurvivesInputThatGitRefuses(t *testing.T) {
	for config, want := range map[string]string{
		"[remote\nurl = no\n":                      "",
		"???\n[remote \"origin\"]\nurl = yes\n":    "yes",
		"[remote \"origin\"]\n= x\nurl\nurl = yes": "yes",
		"[remote \"origin\"]\nurl = \"yes\n":       "yes",
		"[remote \"origin\"]\nurl = yes\\":         "yes\\",
	} {
		musttest.Same(t, want, originURL(config), "originURL(%q)", config)
	}
}

func FuzzNormaliseOrigin(f *testing.F) {
	f.Add("https", "Host.com", "Org/Repo.git")
	f.Add("ssh", "h:22", "/a@b:c//")
	f.Add("codecommit::x", "[::1]:9", "?q#f")
	f.Fuzz(func(t *testing.T, scheme, host, tail string) {
		const secret = "S3CR3TvaluE"
		free := normaliseOrigin(tail, "/no/such/base")
		check(t, free)
		if strings.Contains(scheme+host+tail, secret) || !isScheme(scheme) || strings.ContainsAny(host, "/?#:") {
			return
		}
		for _, url := range []string{
			scheme + "://" + secret + "@" + host + "/" + tail,
			scheme + "://user:" + secret + "@" + host + "/" + tail,
			"user:" + secret + "@" + host + ":" + tail,
			secret + "@" + host + ":" + tail,
		} {
			key := normaliseOrigin(url, "/no/such/base")
			check(t, key)
			if scheme != "file" && strings.Contains(strings.ToLower(key), strings.ToLower(secret)) {
				t.Errorf("normaliseOrigin(%q) = %q keeps the credentials", url, key)
			}
		}
	})
}

func check(t *testing.T, key string) {
	t.Helper()
	if !isPrintable(key) {
		t.Errorf("key %q is not printable", key)
	}
	if !strings.HasPrefix(key, "/") && (strings.HasSuffix(key, "/") || strings.HasSuffix(key, ".git") && strings.Contains(key, "/")) {
		t.Errorf("key %q still has its suffix", key)
	}
}

func TestADirectoryOfWindowsIsAProjectOfItsOwn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it is a directory here")
	}
	t.Chdir(t.TempDir())
	musttest.Do(t, os.MkdirAll(filepath.Join(".git", "objects"), 0o700)) // the repository in which we run
	writeHead(t)
	for dir, want := range map[string]string{
		`C:\Users\ann\ledger`: "C:/Users/ann/ledger", `c:\Users\ann\ledger\`: "C:/Users/ann/ledger", "d:/ledger": "D:/ledger", `\\nas\share\ledger`: "//nas/share/ledger", `C:\`: "C:",
	} {
		where, err := Identify(dir)
		if err != nil || where.Key != want || !isWindows(where.Root) {
			t.Errorf("%s: %+v, %v", dir, where, err)
		}
	}
	where, _ := Identify(`c:\Users\ann\ledger`)
	for file, want := range map[string]string{
		`C:\Users\Ann\ledger\a\b.go`: "a/b.go", `C:\Users\ann\ledgers\b.go`: "C:/Users/ann/ledgers/b.go", `C:\Users\ann\ledger`: ".", `a\b.go`: "a/b.go",
	} {
		musttest.Same(t, want, where.Rel(file), "%s", file)
	}
}

func writeHead(t *testing.T) {
	t.Helper()
	musttest.Do(t, os.WriteFile(filepath.Join(".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
}

func TestADriveOfWindowsThatIsMounted(t *testing.T) {
	before := drives
	t.Cleanup(func() { drives = before })
	drives = t.TempDir()
	there := filepath.Join(drives, "c", "Users", "ann")
	musttest.Do(t, os.MkdirAll(there, 0o700))
	for dir, want := range map[string]string{`C:\Users\ann`: there, `\\wsl.localhost\Debian` + there: there, `\\wsl$\Debian` + there: there, "/home/ann": "/home/ann", "ann": "ann"} {
		if path, isForeign := local(dir); path != want || isForeign {
			t.Errorf("%s is %s, of another system: %t", dir, path, isForeign)
		}
	}
	for path, want := range map[string]bool{`C:\a`: true, "C:/a": true, `\\nas\a`: true, "/a": true, "C:a": false, `\a`: false, "a": false, "": false, "~/a": false, "1:/a": false} {
		musttest.Same(t, want, IsAbsolute(path), "%q is absolute", path)
	}
}
