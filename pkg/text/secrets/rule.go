package secrets

// The kinds of secrets that the code names; the tables have more. Each secret is replaced by "[redacted:KIND]".
const (
	JWT           = "jwt"
	PrivateKey    = "private-key"
	URLPassword   = "url-password"
	Authorization = "authorization"
	Password      = "password"
	Secret        = "secret"
	Token         = "token"
	APIKey        = "api-key"
	CardNumber    = "card-number"
	Cookie        = "cookie"
	Webhook       = "webhook"
)

// The rules are rows of text in the folder rules, with examples. `go test ./pkg/text/secrets -run TestTables
// -update` generates the tables in tables.go, so that a starting hook program parses and indexes nothing.

// prefix is the beginning of a vendor's tokens, with the conditions for the rest of the token.
type prefix struct {
	text  string
	kind  string
	set   charset
	least int // minimum number of bytes after text
	form  form
}

// form is how the rest of a token is checked.
type form uint8

const (
	drawn  form = iota // random: neither words nor a placeholder
	plain              // anything but a placeholder
	exact              // like plain, and exactly of the minimum length
	parts              // a JSON web token: parts joined by dots
	public             // a public value, never a secret
)

// ending is the end of a name, in lower case without "_", "-" and ".", and the kind of the name's value.
type ending struct{ text, kind string }

// keyword is a word after which a sentence may state a secret.
type keyword struct {
	word string
	kind string
	role role
}

type role uint8

const (
	ofPassword role = iota // a word that may be a password may follow; see isPasswordInText
	ofKey                  // a machine-made text may follow
	ofPair                 // a name and a password may follow
	ofNumber               // digits may follow
	ofPhrase               // a dozen words may follow
	against                // a machine-made text may follow, but is not a secret
)

// foreignWord is a keyword with non-ASCII letters. rest begins with the first such letter; before is the part in front of rest.
type foreignWord struct {
	before, rest string
	key          keyword
	// joined is set for a language without spaces between words.
	joined bool
}

// program lists patterns of the arguments of a program, or of a flag of any program, that show where a secret stands; see program.secrets.
type program struct{ name, patterns string }

// reader is a program that reads a secret from standard input if its command line contains the text of the field with.
type reader struct{ name, with string }

// index finds the rows of a table by a one-byte hash.
type index struct {
	first [256]uint16 // first row for each byte, counted from 1; 0 for none
	next  []uint16    // next row for the same byte
}

// hashOf returns the index key of a word for exact lookup.
func hashOf(word string) byte {
	return byte(len(word))*31 + word[0]*7 + word[len(word)-1]*13
}

// pairOf returns the index key of a prefix.
func pairOf(s string) byte { return s[0]*31 + s[1] }

// span is a part of a text to remove.
type span struct {
	from, to int
	kind     string
}
