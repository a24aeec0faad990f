package secrets

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

type generator struct{ *rand.Rand }

const (
	lowers = "abcdefghijklmnopqrstuvwxyz"
	uppers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
)

// alphabets are the alphabets of the random parts.
var alphabets = map[string]string{
	"b62": lowers + uppers + digits, "b64": lowers + uppers + digits + "+/", "b64u": lowers + uppers + digits + "-_",
	"b58": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", "b32": uppers + "234567",
	"hex": "0123456789abcdef", "uphex": "0123456789ABCDEF", "up": uppers + digits, "lowd": lowers + digits, "al": lowers + uppers,
	"digits": digits, "bech": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", "djk": lowers + digits + "!@#%^*(-_=+)",
}

var (
	words = strings.Fields("orders billing shop inventory ledger gateway search mailer analytics portal staging catalog reports worker metrics")
	users = strings.Fields("alice bob deploy admin svc_app jenkins carol backup postgres dbuser")
	hosts = strings.Fields("db1.acme.io 10.0.3.17 staging.acme.io localhost prod-db.internal api.acme.io nas.local")
	nouns = strings.Fields("sunset otter purple winter falcon coffee garden monkey dragon summer bicycle lantern")
	// seeds are a part of the list that wallets draw from.
	seeds = strings.Fields("abandon ability absent acid actor badge balance bamboo cabin cactus camera damage dance " +
		"eagle easily fabric faculty galaxy garlic habit hammer identify illness jacket jaguar kangaroo kitchen ladder laptop " +
		"machine magnet naive napkin oblige obscure paddle panther quality quantum rabbit raccoon saddle salmon tackle talent " +
		"ugly umbrella vacant vague wagon walnut yellow zebra zone")
)

var part = regexp.MustCompile(`\{\{([a-z0-9]+)(?::((?:[^{}]|\{\{[^{}]*\}\})*))?\}\}`)

// fill puts invented parts into a template.
func (g generator) fill(template string) (string, error) {
	var failed error
	text := part.ReplaceAllStringFunc(template, func(match string) string {
		m := part.FindStringSubmatch(match)
		made, err := g.part(m[1], m[2])
		if err != nil && failed == nil {
			failed = err
		}
		return made
	})
	return text, failed
}

func (g generator) part(name, argument string) (string, error) {
	if alphabet, ok := alphabets[name]; ok {
		n, err := strconv.Atoi(argument)
		return g.random(alphabet, n), err
	}
	switch name {
	case "pipe":
		return "|", nil
	case "word":
		return g.one(words), nil
	case "user":
		return g.one(users), nil
	case "host":
		return g.one(hosts), nil
	case "pw":
		return g.password("!@#%^*_-+=.?~"), nil
	case "pwu":
		return g.password("!_-.~"), nil
	case "uuid":
		return g.uuid(), nil
	case "jwt":
		encode := base64.RawURLEncoding.EncodeToString
		return encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." +
			encode([]byte(`{"sub":"`+g.random(digits, 10)+`","name":"`+g.one(users)+`"}`)) + "." + g.random(alphabets["b64u"], 43), nil
	case "b64of":
		inner, err := g.fill(argument)
		return base64.StdEncoding.EncodeToString([]byte(inner)), err
	case "hexpairs":
		n, err := strconv.Atoi(argument)
		pairs := make([]string, n)
		for i := range pairs {
			pairs[i] = g.random(alphabets["uphex"], 2)
		}
		return strings.Join(pairs, ":"), err
	case "mnemonic":
		n, err := strconv.Atoi(argument)
		all := make([]string, n)
		for i := range all {
			all[i] = g.one(seeds)
		}
		return strings.Join(all, " "), err
	case "luhn", "luhng":
		prefix, length, _ := strings.Cut(argument, ":")
		n, err := strconv.Atoi(length)
		number := g.card(prefix, n)
		if name == "luhng" {
			number = number[:4] + " " + number[4:8] + " " + number[8:12] + " " + number[12:]
		}
		return number, err
	case "notluhn":
		n, err := strconv.Atoi(argument)
		number := g.card("8", n)
		return number[:n-1] + string('0'+(number[n-1]-'0'+1+byte(g.IntN(8)))%10), err
	}
	return "", fmt.Errorf("no part is called %q", name)
}

func (g generator) one(of []string) string { return of[g.IntN(len(of))] }

// random is text that looks it: of each class of its alphabet it has at least one.
func (g generator) random(alphabet string, n int) string {
	for {
		made := make([]byte, n)
		for i := range made {
			made[i] = alphabet[g.IntN(len(alphabet))]
		}
		text := string(made)
		enough := n < 16 ||
			(!strings.Contains(alphabet, digits[2:8]) || strings.ContainsAny(text, digits)) &&
				(!strings.Contains(alphabet, "ABCDEF") || strings.ContainsAny(text, uppers)) &&
				(!strings.Contains(alphabet, "abcdef") || strings.ContainsAny(text, lowers))
		if enough {
			return text
		}
	}
}

func (g generator) uuid() string {
	hex := alphabets["hex"]
	return g.random(hex, 8) + "-" + g.random(hex, 4) + "-4" + g.random(hex, 3) + "-a" + g.random(hex, 3) + "-" + g.random(hex, 12)
}

func title(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// password returns a password like those that people choose.
func (g generator) password(symbols string) string {
	symbol := g.random(symbols, 1)
	switch g.IntN(5) {
	case 0:
		return title(g.one(nouns)) + strconv.Itoa(2015+g.IntN(12)) + symbol
	case 1:
		return g.one(nouns) + g.random(digits, 4)
	case 2:
		return g.one(nouns) + "-" + g.one(nouns) + "-" + g.one(nouns) + "-" + g.random(digits, 2)
	case 3:
		return strings.NewReplacer("a", "4", "e", "3", "o", "0", "i", "1").Replace(title(g.one(nouns))) + symbol + g.random(lowers+digits, 4)
	}
	return g.random(lowers+uppers, 1) + g.random(lowers+uppers+digits+symbols, 10) + g.random(uppers, 1) + g.random(digits, 1)
}

// card is a number of n digits whose last one makes it valid.
func (g generator) card(prefix string, n int) string {
	number := prefix + g.random(digits, n-1-len(prefix))
	sum := 0
	for i := range number {
		d := int(number[len(number)-1-i] - '0')
		if i%2 == 0 {
			d *= 2
			if d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return number + strconv.Itoa((10-sum%10)%10)
}
