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

// address finds the secrets in the address whose authority begins at i, but for its
// query, which is left to the names in it. It returns the end of the part that it read.
func address(s string, i int) ([]span, int) {
	end := i
	for end < len(s) && end-i < maxAddress && !isBlank(s[end]) && strings.IndexByte("\"'`<>\\?#|,;", s[end]) < 0 {
		end++
	}
	path := i + strings.IndexByte(s[i:end], '/')
	if at := strings.IndexByte(s[i:end], '@'); at >= 20 && (path < i || i+at < path) && isMachineMade(s[i:i+at]) {
		return []span{{i, i + at, URLPassword}}, end
	}
	if path < i {
		return nil, end
	}
	if from, to := secretPath(s, i, path, end); to > from {
		return []span{{from, to, Webhook}}, end
	}
	return nil, end
}

// secretPath finds the part of an address's path that lets anybody in. The
// host is s[host:path], the path s[path:end].
func secretPath(s string, host, path, end int) (from, to int) {
	for known := range strings.SplitSeq(secretPaths, " ") {
		if at := strings.Index(s[host:end], known); at >= 0 && at < 24 {
			from = host + at + len(known)
			if rest := s[from:end]; len(rest) < 8 || digitsIn(strings.ReplaceAll(rest, "/", "_")) == 0 || isPlaceholder(window(rest, decisionWindow)) {
				return 0, 0
			}
			if strings.HasSuffix(known, "/bot") {
				end = from + max(0, strings.IndexByte(s[from:end]+"/", '/'))
			}
			return from, end
		}
	}
	isHook := strings.Contains(s[host:path], "hook")
	for i := path; i < end; {
		next := i + 1
		for next < end && s[next] != '/' {
			next++
		}
		part := s[i+1 : next]
		if isHook && len(part) >= 16 && (isMachineMade(part) || len(part) >= 20 && makeupOf(part).others == 0 && isDrawn(part) || strings.Contains(part, "@") && isUUID(window(part, 36))) {
			return i + 1, end
		}
		isHook = isHook || strings.Contains(part, "hook") || has(linkParts, part)
		i = next
	}
	return 0, 0
}

// driverPassword finds the password of "alice:SECRET@tcp(db1:3306)" and of
// "alice:SECRET@db1.acme.io:5432", as drivers take it, for the name that ends at end.
func driverPassword(s string, end int) (span, bool) {
	from := end + 1
	to := from
	for to < len(s) && to-from < 128 && !isBlank(s[to]) && strings.IndexByte("@/\"'`<>,;", s[to]) < 0 {
		to++
	}
	if to >= len(s) || s[to] != '@' || to-from < 4 || isPlaceholder(s[from:to]) {
		return span{}, false
	}
	found := span{from, to, URLPassword}
	host := window(s[to+1:], 64)
	if startOf("tcp( unix( (", host) != "" {
		return found, true
	}
	host = host[:spanOf(host, 0, dotted)]
	if !isOdd(s[from:to]) || has("sha256 sha512", host) || !strings.Contains(host, ".") && host != "localhost" {
		return span{}, false
	}
	return found, !isDigit(host[0]) || strings.Count(host, ".") == 3
}
