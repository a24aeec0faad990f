package secrets

import "strings"

// maxAddress is how much of an address is looked at for secrets in its path, in bytes.
const maxAddress = 1024

// urlPassword finds the password in the authority that begins at i.
func urlPassword(s string, i int) (span, bool) {
	end := authorityEnd(s, i, "/?#")
	colon := strings.IndexByte(s[i:end], ':')
	if colon < 0 {
		return span{}, false
	}
	at := strings.LastIndexByte(s[i:end], '@')
	if at < 0 && digitsIn(s[i+colon+1:end]) < end-i-colon-1 {
		// No port: the slash may belong to the password.
		at = strings.LastIndexByte(s[i:authorityEnd(window(s, i+128), i, "")], '@')
	}
	if at <= colon+1 {
		return span{}, false
	}
	found := span{i + colon + 1, i + at, URLPassword}
	text := window(s[found.from:found.to], decisionWindow)
	return found, !isPlaceholder(text) && !has(wordsForSecrets, strings.ToLower(text))
}

// authorityEnd is where blank space, a quote or one of stop ends an address.
func authorityEnd(s string, i int, stop string) int {
	for i < len(s) && !isBlank(s[i]) && strings.IndexByte("\"'`<>\\", s[i]) < 0 && strings.IndexByte(stop, s[i]) < 0 {
		i++
	}
	return i
}

// address finds the secret in the address whose authority begins at i, but for its
// query, which is left to the names in it. It returns the end of the part that it read.
func address(s string, i int) (span, int) {
	end := authorityEnd(window(s, i+maxAddress), i, "?#|,;")
	text := s[i:end]
	if user, host, ok := strings.Cut(text, "@"); ok && host != "" && !strings.Contains(user, "/") && isMachineMade(user) {
		return span{i, i + len(user), URLPassword}, end
	}
	if at := secretPath(text); at > 0 {
		return span{i + at, end, Webhook}, end
	}
	return span{}, end
}

// secretPath is where the part of an address begins that lets anybody in, or 0.
func secretPath(address string) int {
	for known := range strings.SplitSeq(secretPaths, " ") {
		if at := strings.Index(address, known); at >= 0 {
			from := at + len(known)
			if rest := address[from:]; len(rest) < 8 || isPlaceholder(window(rest, decisionWindow)) {
				return 0
			}
			return from
		}
	}
	isHook := false
	for from := 0; from < len(address); {
		part, _, _ := strings.Cut(address[from:], "/")
		if isHook && (isMachineMade(window(part, 36)) || len(part) >= 20 && makeupOf(part).others == 0 && isDrawn(part)) {
			return from
		}
		isHook = isHook || strings.Contains(part, "hook") || has(linkParts, part)
		from += len(part) + 1
	}
	return 0
}

// driverPassword finds the password of "alice:SECRET@tcp(db1:3306)" and of
// "alice:SECRET@db1.acme.io:5432", as drivers take it, for the name that ends at end.
func driverPassword(s string, end int) (span, bool) {
	from := end + 1
	to := authorityEnd(window(s, from+128), from, "@/,;")
	if to >= len(s) || s[to] != '@' || to-from < 4 || isPlaceholder(s[from:to]) {
		return span{}, false
	}
	found, host := span{from, to, URLPassword}, window(s[to+1:], 64)
	if startOf("tcp( unix( (", host) != "" {
		return found, true
	}
	host = host[:spanOf(host, 0, dotted)]
	isHost := strings.Contains(host, ".") && !isDigit(host[0]) || strings.Count(host, ".") == 3 || host == "localhost"
	return found, isHost && isOdd(s[from:to])
}
