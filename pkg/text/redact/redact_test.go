package redact_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/defuse"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/secrets"
)

// Secrets are put together here so that no scanner of a forge takes this file for a leak.
var (
	anthropic = "sk-" + "ant-api03-" + strings.Repeat("aB3_-xYz", 8)
	openAI    = "sk-" + "proj-" + strings.Repeat("Ab1Cd2Ef", 6)
	github    = "gh" + "p_" + strings.Repeat("aB3dE6", 6)
	githubApp = "gh" + "s_" + strings.Repeat("aB3dE6", 6)
	aws       = "AK" + "IA" + "QRSTUVWX12345678"
	awsSecret = strings.Repeat("wJalrX/UtnF", 3) + "+bPxRfi"
	jwt       = "ey" + "JhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N_XgL0"
	pem       = "-----BEGIN RSA PRIVATE" + " KEY-----\nMIIEpAIBAAKCAQEA7bq\nQmFzZTY0\n-----END RSA PRIVATE" + " KEY-----"
)

var positives = []struct {
	name, text, want, kind string
}{
	{"anthropic", "key " + anthropic + " end", "key [redacted:anthropic-key] end", "anthropic-key"},
	{"github", "use " + github, "use [redacted:github-token]", "github-token"},
	{"aws secret, ini", "aws_secret_access_key = " + awsSecret, "aws_secret_access_key = [redacted:aws-key]", "aws-key"},
	{"aws secret, env", "AWS_SECRET_ACCESS_KEY=" + awsSecret, "AWS_SECRET_ACCESS_KEY=[redacted:aws-key]", "aws-key"},
	{"jwt", "cookie " + jwt + ";", "cookie [redacted:jwt];", secrets.JWT},
	{"pem", "a\n" + pem + "\nb", "a\n[redacted:private-key]\nb", secrets.PrivateKey},
	{"pem in JSON", `{"k":"` + strings.ReplaceAll(pem, "\n", `\n`) + `\n"}`, `{"k":"[redacted:private-key]\n"}`, secrets.PrivateKey},
	{"pem without end", pem[:50] + "\nQmFzZTY0\n\nplain words follow", "[redacted:private-key]\n\nplain words follow", secrets.PrivateKey},
	{"url password", "postgres://app:hunter2@db:5432/x", "postgres://app:[redacted:url-password]@db:5432/x", secrets.URLPassword},
	{"url password with @", "https://u:p@ss@h/x", "https://u:[redacted:url-password]@h/x", secrets.URLPassword},
	{"url password with a slash", "amqp://u:pa/ss@h", "amqp://u:[redacted:url-password]@h", secrets.URLPassword},
	{"bearer header", "Authorization: Bearer abc.def-123", "Authorization: Bearer [redacted:authorization]", secrets.Authorization},
	{"basic header", "-H 'authorization: Basic dXNlcjpwYXNz'", "-H 'authorization: Basic [redacted:authorization]'", secrets.Authorization},
	{"bare bearer", "send Bearer 0123456789abcdef01 along", "send Bearer [redacted:authorization] along", secrets.Authorization},
	{"env", "DB_PASSWORD=correcthorse", "DB_PASSWORD=[redacted:password]", secrets.Password},
	{"json", `{"password": "hunter2", "user": "u"}`, `{"password": "[redacted:password]", "user": "u"}`, secrets.Password},
	{"json in JSON", `{\"api_key\":\"k3y-0123456\"}`, `{\"api_key\":\"[redacted:api-key]\"}`, secrets.APIKey},
	{"yaml", "  password: hunter2\n", "  password: [redacted:password]\n", secrets.Password},
	{"yaml, quoted", "clientSecret: 'Ab1-Cd2-Ef3'", "clientSecret: '[redacted:secret]'", secrets.Secret},
	{"flag", "mysql --password hunter -u x", "mysql --password [redacted:password] -u x", secrets.Password},
	{"curl -u", "curl -s -u admin:hunter https://x", "curl -s -u admin:[redacted:password] https://x", secrets.Password},
	{"query", "GET /x?access_token=a1b2c3d4&y=1", "GET /x?access_token=[redacted:token]&y=1", secrets.Token},
	{"the value's own kind wins", "token: " + github, "token: [redacted:github-token]", "github-token"},
	{"bcrypt is no variable", "password=$2b$10$abcdefghijk", "password=[redacted:password]", secrets.Password},
}

func TestSecretsAreReplaced(t *testing.T) {
	for _, tc := range positives {
		t.Run(tc.name, func(t *testing.T) {
			got, report := redact.Text(tc.text)
			musttest.Same(t, tc.want, got, "Text(%q)", tc.text)
			musttest.Same(t, []secrets.Finding{{Kind: tc.kind, Count: 1}}, report.Found, "report (-want +got)")
			musttest.Same(t, got, redact.Clean(got), "not idempotent")
		})
	}
}

// A terminal shows a secret in colours, or with invisible characters, as it shows it without.
func TestColouredSecretsAreReplaced(t *testing.T) {
	edges := regexp.MustCompile(`\b`)
	for _, tc := range positives {
		for _, text := range []string{edges.ReplaceAllString(tc.text, "\x1b[1;32m"), edges.ReplaceAllString(tc.text, "\u200b"), strings.ReplaceAll(tc.text, "e", "\x1b[0me\x1b[31m")} {
			got := redact.Clean(text)
			musttest.Same(t, tc.want, defuse.Visible(got), "%s: Text(%q)", tc.name, text)
			musttest.Same(t, got, redact.Clean(got), "not idempotent")
		}
	}
	const plain = "\x1b[32mok\x1b[0m\tTestX\r\n"
	musttest.Same(t, plain, redact.Clean(plain), "a coloured text without secrets")
}

var negatives = []string{
	"plain text without anything",
	"sk-learn and sk-fading-circle-container-1 are names",
	"task-0123456789012345678901234567890123456789",
	"risk-assessment-2024-01-01-final-version-3",
	"ghp_short",
	"the ghp_ prefix",
	"npm_config_registry=x npm_package_name",
	"npm_lifecycle_event",
	"AKIA is how they begin",
	"AKIAabcdefghijklmnop",
	"AKIA" + "QRSTUVWX12345678" + "9", // one letter too many
	"AIza",
	"xoxb-1",
	"eyJhbGciOiJIUzI1NiJ9",
	"eyJ.eyJ.eyJ",
	"glpat-",
	"-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
	"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
	"https://github.com/org/repo",
	"git@github.com:org/repo.git",
	"http://localhost:8080/path@v1",
	"http://user@host/path",
	"postgres://app:$DB_PASSWORD@db/x",
	"postgres://app:${PW}@db/x",
	"postgres://user:<password>@host/db",
	"std::string token::value",
	"password=$PASSWORD",
	"docker run -u www-data:www-data image", "curl -u admin https://x", `curl -u "admin:$PASSWORD" https://x`, "curl --user admin: https://x",
	"password=${DB_PASSWORD:-x1}",
	"PASSWORD=$(cat /run/secret1)",
	"password: <your password here>",
	"API_KEY=your-api-key-1",
	"API_KEY=xxxxxxxxxxxx",
	"api_key: example-key-1234",
	"token: true", "secret: null", `password: ""`, "token =", "token:",
	"token: string",
	"password: str = None",
	"func f(password string, token string) error",
	"password = user.password",
	"token = getToken()",
	"token := r.Header.Get(\"X-Token\")",
	"secret = process.env.SECRET_1",
	"const apiKey = process.env.API_KEY2;",
	"token=token", "connect(password=db_password)",
	"max_tokens=4096 max_token: 100000",
	"token_count: 12345678", "tokenizer = o200k_base",
	"password_hash_rounds: 12345678",
	"the secret: never give up",
	`"password": "must not be empty"`,
	`"password": "Password"`,
	"if token == \"abc12345\" {",
	"Authorization: Bearer $TOKEN",
	"Authorization: Bearer <token>",
	"the bearer of this letter",
	"token_type: bearer",
	"PWD=/home/dev/project1",
	"OLDPWD=/home/dev2/x",
	"secretName: my-secret-2",
	"bypass = 12345678",
	"token = refreshTokenProviderFactory",
	"--token --verbose1",
	"password [redacted:password]",
	"password=[redacted:password]",
	"secret: [one, two1]",
	"%TOKEN% token=%MY_TOKEN1%",
	"access_key: {{ .Values.key1 }}",
	"token: https://host/a1b2c3d4",
	"secret=../secrets/file1",
}

func TestOrdinaryTextIsUnchanged(t *testing.T) {
	for _, text := range negatives {
		t.Run(text, func(t *testing.T) {
			got, report := redact.Text(text)
			if got != text || report.Found != nil || report.Empty {
				t.Errorf("Text(%q) = %q, %+v", text, got, report)
			}
		})
	}
}

func TestElementsAreRemoved(t *testing.T) {
	for name, tc := range map[string]struct {
		text, want string
		found      []secrets.Finding
		empty      bool
	}{
		"private":                    {"a <private>x</private> b", "a  b", one(redact.Private), false},
		"between words":              {"a<private>x</private>b", "a b", one(redact.Private), false},
		"wholly private":             {"  <private>x</private>\n", "  \n", one(redact.Private), true},
		"empty":                      {" \n\t", " \n\t", nil, true},
		"case and attributes":        {`a <PriVate why="x > y" >s</PRIVATE >b`, "a b", one(redact.Private), false},
		"nested":                     {"a <private>1<private>2</private>3</private>b", "a b", one(redact.Private), false},
		"overlapping":                {"a <private>1<system-reminder>2</private>3</system-reminder>b", "a b", one(redact.Private), false},
		"unclosed private":           {"a <private>rest of it", "a ", one(redact.Private), false},
		"unclosed reminder":          {"a <system-reminder>rest", "a ", one(redact.SystemReminder), false},
		"unclosed injection":         {"a <surrealdb-memory v=\"1\">rest", "a ", one(redact.Injected), false},
		"no bracket":                 {"a <private", "a ", one(redact.Private), false},
		"inexact closing":            {"a <private>x</private y</private>b", "a b", one(redact.Private), false},
		"self-closed":                {"a <private/>b<private />c", "a b c", []secrets.Finding{{Kind: redact.Private, Count: 2}}, false},
		"stray closing":              {"a </private> b", "a </private> b", nil, false},
		"stray closing before a cut": {"a</private> …[9 bytes cut]…b", "a</private> …[9 bytes cut]…b", nil, false},
		"other elements":             {"<privateer>x</privateer> <private-key>y <surrealdb-memory2>", "<privateer>x</privateer> <private-key>y <surrealdb-memory2>", nil, false},
		"a tag made by removing":     {"<pri<private>x</private>vate>kept", "<pri vate>kept", one(redact.Private), false},
		"as HTML":                    {"a &lt;private&gt;x&lt;/private&gt; b", "a  b", one(redact.Private), false},
		"half as HTML":               {"a &lt;private>x&lt;/private> b", "a  b", one(redact.Private), false},
		"as HTML in upper case":      {"a &LT;PRIVATE&GT;x&LT;/Private &GT;b", "a b", one(redact.Private), false},
		"by numbers":                 {"a &#60;private&#62;x&#x3C;/private&#x3E; b", "a  b", one(redact.Private), false},
		"as HTML, unclosed":          {"a &lt;private why=1&gt;rest", "a ", one(redact.Private), false},
		"as HTML, self-closed":       {"a&lt;private/&gt;b", "a b", one(redact.Private), false},
		"full-width brackets":        {"a ＜private＞x＜/private＞ b", "a  b", one(redact.Private), false},
		"full width":                 {"a ＜ｐｒｉｖａｔｅ＞x＜／ＰＲＩＶＡＴＥ＞ b", "a  b", one(redact.Private), false},
		"opened so, closed so":       {"a ＜private＞x</private>y&lt;private&gt;z＜/private＞ b", "a y b", []secrets.Finding{{Kind: redact.Private, Count: 2}}, false},
		"other elements as HTML":     {"List&lt;String&gt; &lt;privateer&gt; &lt;system-reminder&gt; ＜b＞ &lt", "List&lt;String&gt; &lt;privateer&gt; &lt;system-reminder&gt; ＜b＞ &lt", nil, false},
		"stray closing as HTML":      {"a &lt;/private&gt; b ＜/private＞", "a &lt;/private&gt; b ＜/private＞", nil, false},
		"all three": {
			"1<surrealdb-memory project=\"p\">m</surrealdb-memory>2<system-reminder>r</system-reminder>3<private>p</private>4",
			"1 2 3 4",
			[]secrets.Finding{{Kind: redact.Injected, Count: 1}, {Kind: redact.SystemReminder, Count: 1}, {Kind: redact.Private, Count: 1}},
			false,
		},
		"before a key": {"a <private" + pem, "a ", one(redact.Private), false},
	} {
		t.Run(name, func(t *testing.T) {
			got, report := redact.Text(tc.text)
			musttest.Same(t, tc.want, got, "Text(%q)", tc.text)
			musttest.Same(t, redact.Report{Found: tc.found, Empty: tc.empty}, report, "report (-want +got)")
		})
	}
}

// TestHiddenTextThatHookioCutStaysHidden wherever the cut goes through the tag that opens it.
func TestHiddenTextThatHookioCutStaysHidden(t *testing.T) {
	const head = 21_821 // bytes that are kept in front of the cut
	for _, name := range []string{redact.Private, redact.SystemReminder, redact.Injected} {
		for before := head - 24; before < head+4; before++ {
			for ending, left := range map[string]string{"HIDDEN</" + name + "> end": " end", "HIDDEN": ""} {
				prompt := strings.Repeat("a", before) + "<" + name + ">" + strings.Repeat("p", 30_000) + ending
				in := musttest.Get(hookio.Decode(strings.NewReader(`{"prompt":"` + prompt + `"}`)))(t)
				if !strings.Contains(in.Prompt, "HIDDEN") || !strings.Contains(in.Prompt, "bytes cut]…") {
					t.Fatalf("the cut is not where this test needs it: %q", in.Prompt)
				}
				if got, _ := redact.Text(in.Prompt); strings.Contains(got, "pppp") || strings.Contains(got, "HIDDEN") || !strings.HasSuffix(got, left) {
					t.Fatalf("%s, %d bytes before it: Text(%q) = %q", name, before, in.Prompt, got)
				}
			}
		}
	}
}

func one(kind string) []secrets.Finding { return []secrets.Finding{{Kind: kind, Count: 1}} }

func TestReportCounts(t *testing.T) {
	_, report := redact.Text(github + " " + githubApp + " password=hunter22")
	want := []secrets.Finding{{Kind: "github-token", Count: 2}, {Kind: secrets.Password, Count: 1}}
	musttest.Same(t, want, report.Found, "found (-want +got)")
}

// openingTags is a definition of opening tags that is independent of the package.
func openingTags(text string) []string {
	var found []string
	low := strings.ToLower(text)
	for _, name := range []string{redact.Tag, "system-reminder", "private"} {
		for at, rest := 0, low; ; {
			i := strings.Index(rest, "<"+name)
			if i < 0 {
				break
			}
			at += i
			end := at + 1 + len(name)
			if end == len(low) || !strings.ContainsAny(low[end:end+1], "abcdefghijklmnopqrstuvwxyz0123456789-_.:") {
				found = append(found, text[at:end])
			}
			at, rest = end, low[end:]
		}
	}
	return found
}

func checkProperties(t interface {
	Helper()
	Errorf(format string, args ...any)
}, text string,
) {
	got, report := redact.Text(text)
	if len(got) > 12*len(text)+64 { // a secret of three bytes becomes a marker
		t.Errorf("%d bytes became %d: %q", len(text), len(got), got)
	}
	again, second := redact.Text(got)
	musttest.Same(t, got, again, "not idempotent for %q (-first +second)", text)
	musttest.Same(t, nil, second.Found, "a second pass over %q finds", got)
	if isASCII(got) { // lower-casing other text may move it
		musttest.Same(t, nil, openingTags(got), "Text(%q) still opens", text)
	}
	musttest.Same(t, strings.TrimSpace(got) == "", report.Empty, "Empty for %q", got)
	if len(report.Found) == 0 && got != text {
		t.Errorf("%q became %q and nothing is reported", text, got)
	}
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// pieces are parts of random texts that reach the odd places.
var pieces = []string{
	"<private>", "</private>", "<private", "</private", "<PRIVATE a=1>", "<private/>", "<", ">", "/", "<pri", "vate>",
	"<system-reminder>", "</system-reminder>", "<surrealdb-memory v=1>", "</surrealdb-memory>",
	"password", "token", "secret", "api_key", "--password", "Authorization", "Bearer", "DB_PASS", "aws_secret_access_key",
	"=", ":", " ", "\n", "\"", "'", "\\\"", "\\", ",", ".", "-", "_", "@", "://", "[", "]", "(", ")", "$", "{", "}", "&", ";",
	"[redacted:", "[redacted:token]", "…[9 bytes cut]…", "hunter22", "abcdefgh", "0123456789abcdef0123", "é", "\xff", "sk-", "gh" + "p_", "eyJ", "AK" + "IA", "np" + "m_",
	"-----BEGIN ", "PRIVATE KEY", "-----", "-----END ", "https", "user", "mysql ", "curl ", "-p", "-u ", "echo ", "| chpasswd", "is ", "key", "keys", "login ", "Cookie", "hook", "/",
	"kind: Secret\n", "data", "stringData", "?key=", "&sig=", "<password>", "</password>", "value=", "#", "?", "!", "sshpass ", "net use ", "X1y2Z3a4B5c6D7e8F9g0", "codes ", "11112222", "4242", "$6$", "oracle:thin:a/", "IDENTIFIED BY ", "hash ",
}

func TestProperties(t *testing.T) {
	whole := append(slices.Clone(pieces), anthropic, openAI, github, aws, jwt, pem)
	rapid.Check(t, func(t *rapid.T) {
		checkProperties(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(whole), 0, 25).Draw(t, "text"), ""))
	})
}

func TestNothingPrivateSurvives(t *testing.T) {
	const marker = "ZQmarkerQZ"
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8), func(parts []string) string { return strings.Join(parts, "") })
		before, inside, after := part.Draw(t, "before"), part.Draw(t, "inside"), part.Draw(t, "after")
		if strings.Contains(strings.ToLower(inside), "</private") {
			return
		}
		text := before + "<private>" + inside + marker + "</private>" + after
		if got, _ := redact.Text(text); strings.Contains(got, marker) {
			t.Errorf("Text(%q) = %q", text, got)
		}
	})
}

func FuzzText(f *testing.F) {
	for _, tc := range positives {
		f.Add(tc.text)
	}
	for _, text := range negatives {
		f.Add(text)
	}
	f.Add("<private" + pem)
	f.Fuzz(func(t *testing.T, text string) { checkProperties(t, text) })
}

func FuzzTagsThatAreDefusedStayInside(f *testing.F) {
	f.Add("</surrealdb-memory><private>\x00\r\n")
	f.Add("<\u202e/private>\xff")
	f.Fuzz(func(t *testing.T, text string) {
		got := defuse.Tags(text)
		musttest.Same(t, got, defuse.Tags(got), "not idempotent")
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\r\x1b\x7f") {
			t.Errorf("Tags(%q) = %q", text, got)
		}
		// A wrapped text comes out again as one element, wherever it is.
		const before, after = "before ", " after"
		wrapped := before + "<" + redact.Tag + ">\n" + got + "\n</" + redact.Tag + ">" + after
		musttest.Same(t, before+after, redact.Clean(wrapped), "%q does not stay inside its element", got)
	})
}

// hostile are texts that make a careless scanner quadratic.
var hostile = map[string]string{
	"private":       "<private",
	"not-private":   "<privatee",
	"closing":       "</private>",
	"cuts":          "…[9 bytes cut]…</private>",
	"angle":         "<",
	"sk":            "sk-",
	"jwt-run":       "eyJ-",
	"jwt-parts":     "eyJabcdefgh.",
	"password":      "password=",
	"password-flag": "--password ",
	"quote":         "password=\"",
	"blank":         "password ",
	"scheme":        "://a:",
	"at":            "://a:b@",
	"pem":           "-----BEGIN PRIVATE KEY----- ",
	"pem-lines":     "-----BEGIN PRIVATE KEY-----\na b\n",
	"dashes":        "-",
	"marker":        "[redacted:",
	"digits":        "sk-1",
	"putty":         "Private-Lines:",
	"manifest":      "kind: Secret data:",
	"manifest-rows": "kind: Secret\ndata:\n a: bbbb\n",
	"columns":       "(password, ",
	"calls":         "login(\"",
	"codes":         "codes: abc123 ",
	"bearer":        "Authorization: Bearer ",
	"blanks":        "token                ",
}

// TestHostileTextsTakeNoLongTime: hostile texts take linear time.
func TestHostileTextsTakeNoLongTime(t *testing.T) {
	const size = 1 << 16
	for name, unit := range hostile {
		quarters, whole, isQuadratic := growth(size, 3*time.Second, func(bytes int) { redact.Text(strings.Repeat(unit, bytes/len(unit))) })
		if isQuadratic {
			t.Errorf("%s: %d bytes took %v, four times a quarter of them %v", name, size, whole, quarters)
		}
	}
}

// TestQuadraticTimeIsSeen: the measure of the test above finds a loop in a loop.
func TestQuadraticTimeIsSeen(t *testing.T) {
	sum := 0
	quarters, whole, isQuadratic := growth(1<<14, 100*time.Millisecond, func(bytes int) {
		for i := range bytes {
			for j := range i {
				sum += j
			}
		}
	})
	if !isQuadratic {
		t.Errorf("a loop in a loop took %v, four times a quarter of it %v (sum %d)", whole, quarters, sum)
	}
}

// growth measures work on size bytes, and four times on a quarter of them, which takes as long if the time is linear, and a fourth if
// it is quadratic. A busy machine interrupts both as often, and only makes a trial longer: the shortest times of the trials within a time are compared.
func growth(size int, patience time.Duration, work func(bytes int)) (quarters, whole time.Duration, isQuadratic bool) {
	const most, floor = 2, 10 * time.Millisecond // a quadratic time is longer than floor
	timed := func(runs, bytes int) time.Duration {
		began := time.Now()
		for range runs {
			work(bytes)
		}
		return time.Since(began)
	}
	quarters, whole = time.Hour, time.Hour
	for began := time.Now(); time.Since(began) < patience; {
		quarters, whole = min(quarters, timed(4, size/4)), min(whole, timed(1, size))
		if whole <= most*max(quarters, floor) {
			return quarters, whole, false
		}
	}
	return quarters, whole, true
}
