package secrets

// Kinds of secrets that the code knows; the rows name more. Each place of one is
// replaced by "[redacted:KIND]".
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
	AccountNumber = "account-number"
	Cookie        = "cookie"
	Webhook       = "webhook"
)

// The rules are rows of text in the folder rules, with examples. The tables that the
// program has of them are made by `go test ./pkg/text/secrets -run TestTables -update`, so
// that a hook program that starts reads and indexes nothing.

// prefix is the beginning of one vendor's tokens, with the required rest.
type prefix struct {
	text  string
	kind  string
	set   charset
	least int // bytes after text
	form  form
}

// form is how the rest of a token is checked.
type form uint8

const (
	drawn  form = iota // neither words nor a placeholder
	plain              // not a placeholder
	exact              // as plain, and of the least length
	public             // it is public: no secret, whatever it looks like
)

// ending is the end of a name, in lower case without "_", "-" and ".", and the kind of its value.
type ending struct{ text, kind string }

// keyword is a word after which a secret may stand in a sentence.
type keyword struct {
	word string
	kind string
	role role
}

type role uint8

const (
	ofPassword role = iota // an odd word may follow
	ofKey                  // something that a machine made may follow
	ofPair                 // a name and a password may follow
	ofNumber               // some digits may follow
	ofPhrase               // a dozen words may follow
	against                // the following text is machine-made and no secret
)

// foreignWord is a keyword with letters that are not ASCII: before is the part in
// front of the first such letter, rest begins with it.
type foreignWord struct {
	before, rest string
	key          keyword
	// joined: the language has no blanks between words.
	joined bool
}

// program is how a program, or a flag of any program, takes secrets: patterns of its
// arguments, with "; " between them. See match.
type program struct{ name, patterns string }

// reader is a program that reads a secret from its standard input, if its line has the
// text with.
type reader struct{ name, with string }

// index finds the rows of a table by a one-byte hash.
type index struct {
	first [256]uint16 // the first row for a byte, counted from 1; 0: there is none
	next  []uint16    // the next one for the same byte
}

// hashOf is the byte by which words are found that have to be the same.
func hashOf(word string) byte {
	return byte(len(word))*31 + word[0]*7 + word[len(word)-1]*13
}

// pairOf is the byte by which prefixes are found.
func pairOf(s string) byte { return s[0]*31 + s[1] }

// span is a part of a text that has to be removed.
type span struct {
	from, to int
	kind     string
}
