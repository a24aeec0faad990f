package knowledge

import (
	"regexp"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language"
)

// The parts of a line that programs put over or before what somebody said.
const (
	clock    = `\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp]\.?[Mm]\.?)?`
	anyName  = `@?\p{L}[\p{L}\p{N}_./'’-]*(?: \p{L}[\p{L}\p{N}_.'’-]*){0,2}`
	fullName = `\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){0,2}`
	day      = `(?:(?:[Tt]oday|[Yy]esterday|[Hh]eute|[Gg]estern)(?: at| um)?,? )?`
	remarks  = `(?:commented|replied|reviewed|answered|posted|opened this(?: issue| pull request)?|(?:left|added) a (?:comment|review)|requested changes|suggested changes|approved these changes)`
	since    = `(?: (?:[-–—·] )?(?:.{0,20} ago|yesterday|last \w+|on \w+ \d.{0,8}|\d\S+ ` + clock + `))?`
)

var (
	// headLine matches a line with nothing but the speaker and the time: "eve  10:32 AM", "Eve Miller 10:32", "Eve · 2h", "eve commented 2
	// hours ago".
	headLine = regexp.MustCompile(`^(?:` + anyName + `(?:\s{2,}|,? ?[—–·|•] ?| ?\()` + day + clock + `\)?:?|` + fullName + `,? ` + day + clock + `:?|` + anyName + ` (?:Today|Yesterday) at ` + clock +
		`|` + anyName + `(?: @\S+)? [·•] \d+ ?[a-z]{1,7}\.?(?: ago)?|` + anyName + `,? \[[^\]]{0,20}\d:\d\d[^\]]{0,8}\]:?|\S+ \d+ [a-z]{3,7} ago \|.*|u/[\w-]+(?: [·•].*)?|(?:asked|answered|edited|modified) \w+ \d.{0,12} at ` + clock + `|` + anyName + `(?: \([^)]*\))? ` + remarks + since + `:?)$`)
	// saidLine matches a line that begins with the time and the speaker: "[10:32] Eve: ok", "10:32 <eve> ok", "eve> ok".
	saidLine = regexp.MustCompile(`^(?:\[[^\]]{0,30}\d:\d\d[^\]]{0,12}\]|\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? ` + clock + `|` + clock + ` (?:<|[\w.-]+: )|[\w.-]+> \S|` + anyName + ` \([^)]{0,20}\d:\d\d[^)]{0,12}\):)`)
	// signature matches a name below what its bearer said: "— Eve Miller, CTO".
	signature = regexp.MustCompile(`^(?:[—–―]|--) ?` + fullName + `(?:, .{1,40})?$`)
	// handed matches the words by which the user hands over a text to be changed, or says that something is not so.
	handed = regexp.MustCompile(`(?i)^(?:(?:please|now|(?:can|could) you(?: please)?) )?(?:(?:translate|proofread|rephrase|reword|paraphrase|spell-?check|rewrite|shorten|summari[sz]e|übersetze?|korrigiere?|traduis|corrige|traduce|traduz)` +
		`(?: (?:to \w+|this|that|it|the following|the (?:sentence|text|paragraph|message|mail)|das|dies\w*|den satz|ceci|esto|isto)\b[^:]{0,40})?|(?:fix|check|correct|improve) the (?:grammar|spelling|wording|typos?)(?: (?:of|in) (?:this|the)\b[^:]{0,40})?|it (?:prints|printed|outputs|logs|shows|says)):|^(?:suppose|imagine|hypothetically|angenommen|stell dir vor|supposons|supongamos)[ ,]`)
	// clockLine matches a time below a name, and nameLine the name.
	clockLine, nameLine = regexp.MustCompile(`^` + day + clock + `$`), regexp.MustCompile(`^` + fullName + `$`)
	// turn matches "Eve: ok", "Eve Miller: ok", "**Eve (PM)**: ok".
	turn = regexp.MustCompile(`^[-*_ ]*(\p{L}[\p{L}_.'’-]+(?: \p{Lu}[\p{L}.'’-]*)?(?: \([^)]*\))?)[*_]*\s*[:：][*_]*\s*(.*)$`)
	// introducing matches a line that ends with "Eve wrote:" in another language than English, see announcing.
	introducing = regexp.MustCompile(`(?i)(?:^(?:am|op|den|il) .*\d.* (?:schrieb|schreef|skrev|ha scritto) (?-i:["'<\p{Lu}]).*|schrieb|geschrieben|sagte?|meinte?|gesagt|écrit|a dit|escribió|dijo|dice|escreveu|disse|написала?|пишет|сказала?|写道|說|说)\s*[:：]$`)
)

// speakersIn returns the names of the speakers if a text is a copied conversation, else nil. In a conversation at least two
// names begin lines, and one of the speakers speaks again after another, asks a question, or only agrees. A list has each
// name once ("Backend: ...", "Frontend: ...").
func speakersIn(text string) map[string]bool {
	speakers, talk, last := map[string]bool{}, false, ""
	for line := range strings.Lines(text) {
		name, said := turnOf(line)
		asks := slices.ContainsFunc(markers, func(m marker) bool { return m.word == strings.ToLower(name)+":" })
		if name == "" || asks || askedInOtherLanguages(strings.TrimSpace(line)) != "" {
			continue
		}
		talk = talk || speakers[name] && name != last || strings.HasSuffix(said, "?") || len(speakers) > 0 && !speakers[name] && language.IsContinuation(said)
		speakers[name], last = true, name
	}
	if !talk || len(speakers) < 2 {
		return nil
	}
	return speakers
}

// turnOf returns the name before the first colon of a line, and what follows it.
func turnOf(line string) (name, said string) {
	if found := turn.FindStringSubmatch(strings.TrimSpace(line)); found != nil {
		return found[1], found[2]
	}
	return "", ""
}

// isHead reports whether a line says who said the lines after it.
func isHead(text string) bool {
	return len(text) < 100 && headLine.MatchString(text) && !speaks(text)
}
