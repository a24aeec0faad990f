// Package quarantine detects text that reads like an instruction to an assistant
// that its user would not give: to drop its rules, to hide something from the user,
// to run a stranger's code, to disclose secrets. It is a pure function of the
// text, by patterns, without a model. It does not know who said the text and does not
// decide what becomes of it. Text that a user typed is never judged.
//
// It has false positives and false negatives. testdata/quarantine has labelled texts; its test prints
// precision and recall.
package quarantine

import (
	"regexp"
	"strings"
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/defuse"
)

// Judge names why a text reads like an instruction, in a fixed order; none for most
// texts.
func Judge(text string) []string {
	text = plain(text)
	said := withoutQuotes(text)
	foldedText, foldedSaid := folded(text), folded(said)
	var reasons []string
	for i, r := range rules {
		judged, lower := said, foldedSaid
		if r.quoted {
			judged, lower = text, foldedText
		}
		if hasAny(lower, ruleAnchors()[i]) && r.pattern.MatchString(judged) && (r.unless == nil || !r.unless.MatchString(judged)) && (r.with == nil || r.with.MatchString(said)) {
			reasons = append(reasons, r.name)
		}
	}
	return dedupe(reasons)
}

// ruleAnchors are those of the rules' patterns, in the order of the rules.
var ruleAnchors = sync.OnceValue(func() [][]string {
	all := make([][]string, len(rules))
	for i, r := range rules {
		all[i] = anchors(r.pattern)
	}
	return all
})

// Withhold replaces the sentences of a text that read like instructions.
func Withhold(text string) string {
	if len(Judge(text)) == 0 {
		return text
	}
	var kept strings.Builder
	withheld := false
	for _, sentence := range sentences(text) {
		if len(Judge(sentence)) > 0 {
			withheld = true
			kept.WriteString(withheldMark)
			continue
		}
		kept.WriteString(sentence)
	}
	if !withheld || len(Judge(kept.String())) > 0 { // it takes several sentences together
		return strings.TrimSpace(withheldMark)
	}
	return kept.String()
}

// withheldMark replaces a sentence.
const withheldMark = "[withheld: it reads like an instruction] "

// sentences cuts a text behind line ends, and behind full stops and semicolons that
// a blank follows. Joined they are the text.
func sentences(text string) []string {
	var all []string
	from := 0
	for i := range len(text) {
		ends := text[i] == '\n' || strings.IndexByte(".;!", text[i]) >= 0 && i+1 < len(text) && text[i+1] == ' '
		if ends {
			all = append(all, text[from:i+1])
			from = i + 1
		}
	}
	return append(all, text[from:])
}

// rule is one pattern. Where with is set, that must be there as well; unless must
// not. quoted says that what stands in quotation marks counts, too.
type rule struct {
	name         string
	quoted       bool
	pattern      *regexp.Regexp
	with, unless *regexp.Regexp
}

// plain is a text on one line as it is read: without what is hidden, and without a
// command that is only recorded to have been run.
func plain(text string) string {
	text = strings.NewReplacer("’", "'", "‘", "'").Replace(strings.Join(strings.Fields(defuse.Visible(text)), " "))
	return recorded.ReplaceAllString(text, "$1")
}

// recorded is how ingest tells of a command.
var recorded = regexp.MustCompile("^`[^`]*` (succeeded|failed)")

// withoutQuotes leaves out what is only quoted: an instruction that somebody tells of.
func withoutQuotes(text string) string { return quotations.ReplaceAllString(text, `""`) }

var quotations = regexp.MustCompile(`"[^"]{0,200}"|“[^”]{0,200}”`)

func dedupe(names []string) []string {
	var all []string
	for _, name := range names {
		if len(all) == 0 || all[len(all)-1] != name {
			all = append(all, name)
		}
	}
	return all
}

// Parts of patterns.
const (
	whom    = `(?:user|users|human|developer|owner|operator|maintainer|anyone|anybody|them|others)`
	secret  = `(?:\.env\b|environ\b|environment(?: variables?)?|printenv|api[ _-]?keys?|[A-Z_]+_(?:KEY|TOKEN)|tokens?|credentials?|secrets?|passwords?|id_rsa|ssh keys?|\.ssh|private keys?|signing keys?|\.netrc|\.npmrc|\.aws|cookies?|keychain|/etc/passwd|chat history|transcripts?|conversation|user prompts?|user's last message|last message|memories|copy of the repository|contents of)`
	carry   = `\b(?:send|post|upload|exfiltrate|forward|e-?mail|mail|transmit|leak|append|include|paste|push|encode|encoding|give|output|export|copy|put)\b`
	away    = `(?:https?://|\w@[\w-]+\.|\bwebhook|\bto (?:anyone|whoever|anybody)|\bgist\b|pastebin|\bmirror\b|commit message|final answer|query string|\bin the URL\b)`
	shell   = `(?:sudo )?(?:(?:ba|z|da|k)?sh|iex|python3?|node|perl)\b`
	fetcher = `\b(?:curl|wget|iwr|irm|invoke-webrequest)\b`
)

func find(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + pattern) }

// demands are the words by which something is asked for and not only told.
var demands = find(`\b(?:always|must|every time|each|first|before|whenever|you|please|kindly|have to|has to|is to|required|agents?|now|run|execute|pipe)\b`)

var rules = []rule{
	{name: "drops rules", pattern: find(`\b(?:ignore|disregard|forget|override|overrule|overwrite|drop|stop following)\b[^.;]{0,24}?\b(?:all|any|your|the|previous|prior|earlier|above|existing|system|safety|these|those)\b[^.;]{0,32}\b(?:instructions?|rules?|guidelines?|directions?|prompts?|polic(?:y|ies)|restrictions?|guardrails?|preferences|request)\b`)},
	{name: "drops rules", pattern: find(`\b(?:ignore|disregard|override) (?:all |any )?(?:prior|previous|earlier) (?:instructions?|rules?|guidelines?|directions?)\b`)},
	{name: "drops rules", pattern: find(`\b(?:your|all previous|all prior|the previous) (?:instructions?|rules?|guidelines?|conversation)[^.;]{0,16}\b(?:is|are|have|has)(?: been)? (?:void|cancell?ed|changed|revoked|replaced|suspended)\b`)},
	{name: "drops rules", pattern: find(`\bignore (?:what )?(?:the user|them|him|her)\b|\bignore the (?:diff|review|tests)\b[^.;]{0,20}\band\b|\bnot follow the user|\bdisregard (?:them|any warning)`)},
	{name: "takes over", pattern: find(`\byou are now\b|\bfrom (?:now|this point) on,? you\b|\byou will now\b|\byour new (?:task|role|instructions?|system prompt)|\bnew instructions:|\b(?:developer|god|admin|maintenance) mode\b[^.;]{0,30}\b(?:you|do not|now|act)|\b(?:no|without) restrictions\b|\bunrestricted\b[^.;]{0,10}\b(?:shell|mode|assistant)|\byou have been granted\b|\byour only rule\b`)},
	{name: "takes over", pattern: find(`\bpretend (?:that|to be)\b|\btreat this (?:file|page|text|note) as\b|\bdo (?:exactly )?as (?:follows|this page says)\b|\bact on behalf of\b|\bfollow (?:only )?(?:the instructions|the ones|mine|what it says)\b|\bobey\b|\bsafety checks are disabled\b|\bhigher priority than the user`)},
	{name: "speaks to the assistant", pattern: find(`\bif you are an? (?:language model|ai|llm|assistant)|\bas an (?:ai|llm|assistant)\b|\b(?:the )?maintainers ask you\b|\bwhoever reads this\b`)},
	{name: "keeps it from the user", pattern: find(`\b(?:do not|don't|never|must not|without|not)\b[^.;]{0,10}\b(?:tell|telling|be told|inform|informing|notify|notifying|warn|warning|alert|alerting|ask|asking|let)\b (?:the )?` + whom + `\b`)},
	{name: "keeps it from the user", pattern: find(`\buser must not (?:be told|know|notice)|\btells? (?:nobody|no one)\b|\bnobody notices\b|\bkeep (?:this|it|that)? ?(?:confidential|secret|quiet|hidden)\b|\b(?:hide|conceal) (?:this|it|that|these|the)\b[^.;]{0,20}\b(?:from the|bias)|\b(?:do not|don't|never|must not) (?:mention|disclose|reveal)\b[^.;]{0,24}\b(?:this|it|that|these|line|rule|note|user|human)\b|\bnot report its\b`)},
	{name: "keeps it from the user", pattern: find(`\b(?:silently|secretly|quietly|covertly)[ ,]+(?:apply|send|add|install|commit|run|upload|push|copy|execute|merge|change|delete)\b|\b(?:apply|send|add|install|commit|run|upload|push|change) (?:it|them|this|that) (?:silently|secretly|quietly)\b|\bnever show\b[^.;]{0,24}\bto the user\b|\bwithout (?:telling|notifying|informing|warning)\b`), unless: find(`in production`)},
	{name: "runs what a stranger wrote", quoted: true, pattern: find(fetcher + `.{0,160}?\| ?` + shell + `|(?:ba|z)?sh <\(curl|(?:eval|-c) "?\$\((?:curl|wget)|\bpipe https?://\S+ into\b|` + fetcher + `[^.]{0,20}https?://.{0,80}chmod \+x|curl \S+ ?>> ?~/\.ssh|\bnc \S+ \d+ -e\b`), with: demands},
	{name: "runs what a stranger wrote", quoted: true, pattern: find(`\b(?:run|execute|install|open|apply|call|follow|obey|use)\b[^;]{0,60}(?:https?://|\bfrom \S+\.\S+|\bevil)`), with: find(`\b(?:sudo|as root|as administrator|obey|erase|follow what|without (?:verification|confirmation|review)|every conversation|every future)\b`)},
	{name: "runs what is encoded", quoted: true, pattern: find(`base64 (?:-d|--decode|-D)\b.{0,80}\| ?` + shell + `|\b(?:exec|eval)\(.{0,30}(?:b64decode|atob)\(|powershell.{0,60} -e(?:nc|ncodedcommand)? [A-Za-z0-9+/=]{16,}|\b(?:decode|decoding|base64)\b.{0,60}\b(?:run|execute)\b.{0,20}[A-Za-z0-9+/]{24,}|\b(?:run|execute)\b.{0,60}\b(?:decode|decoding|base64)\b.{0,30}[A-Za-z0-9+/]{24,}`)},
	{name: "hands out secrets", quoted: true, pattern: find(carry + `.{0,80}?` + secret + `.{0,100}?` + away)},
	{name: "hands out secrets", quoted: true, pattern: find(`\b(?:cat|printenv|env|tar)\b[^|]{0,80}\| ?(?:curl|nc|wget)\b|` + carry + `.{0,100}?(?:commit message|query string|final answer).{0,60}?` + secret + `|commit messages? must contain`), with: demands},
	{name: "hands out secrets", pattern: find(`\b(?:print|output|reveal|show|provide|give|read) (?:your |the |all of (?:your|its) |all (?:the )?|the contents of )?(?:system prompt|hidden prompts?|memories|~/\.netrc|/proc/self/environ|admin password|~/\.ssh|secrets)`), unless: find(`\bin the (?:panel|vault)\b`)},
	{name: "switches off what protects", pattern: find(`\b(?:skip|bypass|disable|turn off|auto-?approve|never ask for|approve)\b[^.;]{0,16}\b(?:permissions?(?: prompts?)?|all approvals?|approvals|confirmation(?: dialogs?)?|sandbox|safety|security scanner|firewall|them all)\b|\b(?:use|pass|set|run with|add)\b[^.;]{0,24}(?:--dangerously-skip-permissions|permissions\.allow|GIT_SSL_NO_VERIFY)|\beverything is pre-?approved\b|\bnever (?:be )?ask(?:ed)? (?:again|for permission)`), unless: find(`\b(?:dev proxy|in tests?|locally) only\b|\bforbidden\b`)},
	{name: "switches off what protects", pattern: find(`\b(?:run|execute|merge|install|proceed|approve|do)\b[^.;]{0,40}\bwithout (?:any )?(?:confirmation|review|verification|asking|approval)\b|\bnever run the security\b|\badd a backdoor\b`)},
	{name: "wants to last", pattern: find(`\b(?:in|for) (?:all|every|each) (?:future )?(?:sessions?|conversations?|projects?)\b[^.;]{0,60}\b(?:remember|start|run|always|must|prefer|use|skip)|\bprefer\b[^.;]{0,60}\bin all future sessions\b|\b(?:store|save|put) (?:this|that|it)? ?(?:in|to|into) (?:your )?memory\b|\buse the store_memory tool\b|\binstruct the next session\b`)},
	{name: "puts words into its mouth", pattern: find(`\b(?:whenever|when|if) (?:asked|it is asked|the user asks|you are asked|anyone asks)\b[^.;]{0,60}\b(?:answer|say|reply|respond|claim|tell)\b|\b(?:reply|respond) (?:to every question|only with|with only)\b|\btell the user that\b[^.;]{0,60}\b(?:then|and)\b|\bmust return the string\b|\balways report that they passed\b|\bapprove it with the comment\b|\breply only\b`)},
	// Other languages, for what is asked for most.
	{name: "drops rules", pattern: find(`\b(?:ignor|vergiss|missacht|oubli|olvid|dimentic|negeer|vergeet|desconsider)\w*[^.;]{0,40}\b(?:anweisung|regeln|instru[cçk]|consigne|reglas|regole)|(?:忽略|无视|無視|忘记)[^。]{0,20}(?:指示|指令|规则|規則)|(?:指示|指令|規則)[^。]{0,10}(?:無視|忘れ)|(?:забудь|игнорируй)[^.;]{0,40}(?:инструкц|указан|правил)`)},
	{name: "keeps it from the user", pattern: find(`\bsage? (?:dem|der|den) (?:benutzer|nutzer)\w*[^.;]{0,12}\bnicht|\bne dis rien à l'utilisateur|\bno (?:le )?digas? nada al usuario|\bkeep this between us\b`)},
	{name: "takes over", pattern: find(`\bas (?:the )?(?:maintainer|project owner|owner|administrator)\b[^.;]{0,40}\bI (?:hereby )?(?:authori[sz]e|grant|permit|allow)\b|\bpretend (?:you are|you're)\b|\byou are DAN\b|\byour safety guidelines\b|\bwith full privileges\b|\btreat [^.;]{0,60}\bas (?:having been approved by|if) the user\b|\byour previous context was wrong\b|\brules in (?:claude|agents)\.md\b[^.;]{0,20}\bno longer apply\b`)},
	{name: "speaks to the assistant", quoted: true, pattern: find(`\b(?:note|notes|instructions?|message|tips?) (?:[\w-]+ ){0,4}?(?:to|for) (?:the |any |all |automated |ai )*(?:llms?|agents|ai tools|language models?)\b|\bto (?:any|all) (?:ai|llm)\b|\bif you(?:'re| are) an? (?:llm|ai)\b|\bask your (?:ai )?assistant to\b|\baction for the assistant\b|\b_?agent_instructions\b|(?:/\*|//|#|<!--) ?claude:|"role": ?"system"[^}]{0,60}\byou must\b|\bsystem: the user has\b`)},
	{name: "puts words into its mouth", quoted: true, pattern: find(`\bwhen you (?:summari[sz]e|review|describe)\b[^.;]{0,40}\b(?:include|say|state|leave out)\b|/tool_result\b.{0,4}user\b|\bhuman.{0,3}: .{0,80}\bassistant.{0,3}: `)},
	{name: "hands out secrets", pattern: find(`\b(?:paste|post|put|upload|send)\b[^.;]{0,40}(?:[a-z]_token\b|\.pem\b|\.git/config|id_rsa)[^;]{0,60}\b(?:into|to)\b|\b(?:reply|respond) with the environment variables\b|id_rsa.{0,20}发送|(?:отправь|envía|envoie|sende|stuur)[^;]{0,60}\.env\b`)},
	{name: "switches off what protects", quoted: true, pattern: find(`\bturn off the (?:pre-commit|secret scanner|linter)|"bash\(\*\)"|\bsets? anthropic_base_url\b|\bpermission to skip\b|\bzet de beveiliging uit\b|\bapprova ogni com\w+\b|\btests überspringen\b`)},
	{name: "wants to last", pattern: find(`\bremember permanently\b|\b(?:save|write|store)\b[^.;]{0,16}\b(?:to memory|into your (?:long-term )?memory|for every later session)\b`)},
}
