package redact

import "strings"

// nameEnding is how a name ends, and what it holds.
type nameEnding struct{ ending, kind string }

// secretNames are how names end that hold secrets, without "_", "-", "." and in
// lower case, and the kind each is.
var secretNames = [...]nameEnding{
	{"password", Password},
	{"passwords", Password},
	{"passwd", Password},
	{"passphrase", Password},
	{"passcode", Password},
	{"passwort", Password},
	{"kennwort", Password},
	{"contrasena", Password},
	{"pwd", Password},
	{"bindpw", Password},
	{"rootpw", Password},
	{"userpw", Password},
	{"adminpw", Password},
	{"motdepasse", Password},
	{"mdp", Password},
	{"senha", Password},
	{"clave", Password},
	{"haslo", Password},
	{"heslo", Password},
	{"parola", Password},
	{"wachtwoord", Password},
	{"passord", Password},
	{"losenord", Password},
	{"adgangskode", Password},
	{"salasana", Password},
	{"lozinka", Password},
	{"jelszo", Password},
	{"storepass", Password},
	{"keypass", Password},
	{"userpass", Password},
	{"becomepass", Password},
	{"requirepass", Password},
	{"masterauth", Password},
	{"secret", Secret},
	{"secretstring", Secret},
	{"secretkeybase", Secret},
	{"token", Token},
	{"apikey", APIKey},
	{"secretaccesskey", AWSKey},
	{"sharedaccesskey", AccessKey},
	{"accesskey", AccessKey},
	{"accountkey", AccessKey},
	{"accesskeysecret", Secret},
	{"secretkey", Secret},
	{"privatekey", Secret},
	{"presharedkey", Secret},
	{"authkey", APIKey},
	{"signingkey", Secret},
	{"encryptionkey", Secret},
	{"privatemac", PrivateKey},
	{"dockerconfigjson", Secret},
	{"dockercfg", Secret},
	{"authorization", Authorization},
	{"bearer", Authorization},
}

// likelyNames are endings of names of secrets and of many other things: only a
// machine-made value is taken for a secret.
var likelyNames = [...]nameEnding{
	{"key", APIKey},
	{"keys", APIKey},
	{"signature", Token},
	{"sig", Token},
	{"auth", Token},
	{"session", Token},
	{"sessionid", Token},
	{"sessid", Token},
	{"sid", Token},
	{"pat", Token},
	{"jwt", Token},
	{"credentials", Secret},
	{"credential", Secret},
	{"creds", Secret},
	{"salt", Secret},
	{"psk", Secret},
	{"csrf", Token},
	{"xsrf", Token},
	{"appid", APIKey},
	{"license", APIKey},
	{"login", Token},
	{"assertion", Token},
	{"cookie", Cookie},
	{"mnemonic", Secret},
	{"secretid", Token},
	{"appcertificate", APIKey},
	{"samlresponse", Token},
}

// otherKeys are names that end in "key" and hold public values.
var otherKeys = [...]string{
	"publickey", "publickeys", "pubkey", "cachekey", "primarykey", "foreignkey", "partitionkey", "sortkey", "objectkey", "s3key", "idempotencykey",
	"publishablekey", "sitekey", "hostkey", "lookupkey", "rowkey", "groupkey", "dedupkey", "dedupekey", "projectkey", "verifykey", "issuekey",
	"mapkey", "indexkey", "recvkeys", "sendkeys", "receivekeys", "exportkeys", "listkeys", "storagekey", "restorekeys", "routingkey", "i18nkey", "contentkey", "hashkey",
}

// descriptors are endings of names that describe a secret and do not hold it.
var descriptors = [...]string{
	"id", "ids", "name", "path", "url", "uri", "arn", "hash", "file", "type", "count", "digest", "checksum", "fingerprint", "version", "at", "expiry",
	"expires", "header", "field", "endpoint", "policy", "ref", "prefix", "public", "issuer", "audience", "label", "placeholder", "algorithm", "size",
	"length", "limit", "usage", "provider", "format", "title", "hint", "email", "user", "username", "nonce", "etag",
}

// secretParts are in names such as SECRET_KEY_PROD and token-value.
var secretParts = [...]struct{ text, kind string }{
	{"passw", Password},
	{"secret", Secret},
	{"token", Token},
	{"api_key", APIKey},
	{"apikey", APIKey},
	{"api-key", APIKey},
	{"credential", Secret},
}

const longestEnding = len("dockerconfigjson")

// endingOf is the last letters and digits of a name, folded.
func endingOf(name string, folded *[longestEnding]byte) []byte {
	at := len(folded)
	for i := len(name) - 1; i >= 0 && at > 0; i-- {
		if isAlnum(name[i]) {
			at--
			folded[at] = lower(name[i])
		}
	}
	return folded[at:]
}

// Endings by their last letter.
var (
	secretsByLast     = indexOf(len(secretNames), func(i int) byte { return lastOf(secretNames[i].ending) })
	likelyByLast      = indexOf(len(likelyNames), func(i int) byte { return lastOf(likelyNames[i].ending) })
	descriptorsByLast = indexOf(len(descriptors), func(i int) byte { return lastOf(descriptors[i]) })
)

func lastOf(s string) byte { return s[len(s)-1] }

// kindBy is the kind of the first ending that fits, or "".
func kindBy(by *index, names []nameEnding, folded []byte) string {
	if len(folded) == 0 {
		return ""
	}
	for at := by.first[folded[len(folded)-1]]; at != 0; at = by.next[at] {
		if one := &names[at-1]; endsWith(folded, one.ending) {
			return one.kind
		}
	}
	return ""
}

func endsWith(folded []byte, ending string) bool {
	return len(folded) >= len(ending) && string(folded[len(folded)-len(ending):]) == ending
}

// lastPairs holds the last two letters of all endings: most words have others.
var lastPairs = func() (table [26]uint32) {
	add := func(ending string) {
		table[ending[len(ending)-2]-'a'] |= 1 << (ending[len(ending)-1] - 'a')
	}
	for _, one := range secretNames {
		add(one.ending)
	}
	for _, one := range likelyNames {
		add(one.ending)
	}
	add("pass")
	add("pw")
	return table
}()

// mayHold reports that a name ends like the names in the tables.
func mayHold(name string) bool {
	i := len(name) - 1
	for i > 0 && !isLetter(name[i]) {
		i--
	}
	return i > 0 && isLetter(name[i-1]) && lastPairs[lower(name[i-1])-'a']&(1<<(lower(name[i])-'a')) != 0
}

// kindOfName says what a name holds, or "".
func kindOfName(name string) string {
	if !mayHold(name) {
		return ""
	}
	name = withoutNumber(name)
	var folded [longestEnding]byte
	ending := endingOf(name, &folded)
	if kind := kindBy(&secretsByLast, secretNames[:], ending); kind != "" {
		return kind
	}
	if at := len(name) - len("pass"); at >= 0 && hasFold(name, at, "pass") && (at == 0 || !isAlnum(name[at-1]) || name[at] == 'P' || !isOtherPass(name[:at])) {
		return Password // DB_PASS, --pass, dbPass, dbpass; not bypass
	}
	if at := len(name) - len("pw"); at > 0 && hasFold(name, at, "pw") && !isAlnum(name[at-1]) {
		return Password // root_pw
	}
	return ""
}

// withoutNumber is the name without the number at its end: password2, token_1, signature-256.
func withoutNumber(name string) string {
	end := len(name)
	for end > 1 && (isDigit(name[end-1]) || end < len(name) && (name[end-1] == '_' || name[end-1] == '-')) {
		end--
	}
	if end == len(name) {
		return strings.TrimRight(name, "_")
	}
	return name[:end]
}

// isOtherPass reports that a name ends in "pass" and is another word: the word
// before it is given.
func isOtherPass(before string) bool {
	var folded [longestEnding]byte
	ending := endingOf(before, &folded)
	for _, other := range [...]string{"by", "com", "tres", "sur", "over", "under", "encom", "render", "sub", "multi", "one", "two", "first", "second", "third", "single", "low", "high", "band", "all", "full", "depth", "color", "shadow", "post", "pre", "per", "last", "final", "next", "test", "did", "must", "will", "can", "to", "build", "compute", "graphics", "shader"} {
		if endsWith(ending, other) {
			return true
		}
	}
	return false
}

// likelyKind says what a name holds if a machine made it, or "".
func likelyKind(name string) string {
	var folded [longestEnding]byte
	ending := endingOf(withoutNumber(name), &folded)
	kind := kindBy(&likelyByLast, likelyNames[:], ending)
	if kind == APIKey {
		for _, other := range otherKeys {
			if endsWith(ending, other) {
				return ""
			}
		}
	}
	if kind != "" {
		return kind
	}
	if isDescriptor(name) {
		return ""
	}
	for i := range secretParts {
		if containsFold(name, secretParts[i].text) {
			return secretParts[i].kind
		}
	}
	return ""
}

// isDescriptor reports that a name tells something about a secret, or an id.
func isDescriptor(name string) bool {
	var folded [longestEnding]byte
	ending := endingOf(name, &folded)
	if len(ending) == 0 {
		return false
	}
	for at := descriptorsByLast.first[ending[len(ending)-1]]; at != 0; at = descriptorsByLast.next[at] {
		if endsWith(ending, descriptors[at-1]) {
			return true
		}
	}
	return false
}

// hasSecretPart is the first check of a name without a known ending.
func hasSecretPart(name string) bool {
	return len(name) > 5 && (containsFold(name, "secret") || containsFold(name, "token") || containsFold(name, "passw") || containsFold(name, "api"))
}
