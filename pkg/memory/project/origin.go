package project

import (
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"
)

// defaultPorts lists, by scheme, the ports that keys leave out.
const defaultPorts = " https:443 http:80 ssh:22 git+ssh:22 ssh+git:22 git:9418 ftp:21 ftps:990 "

// normaliseOrigin turns the spellings of one remote into one text: "host/path" with the host in lower case and without scheme,
// credentials, default port, query, ".git" and outer slashes. A path, seen from base, or a file URL becomes a clean absolute
// path. It returns "" if the URL names nothing that could be a key.
func normaliseOrigin(url, base string) string {
	url = strings.TrimSpace(url)
	if url == "" || !isPrintable(url) {
		return ""
	}
	if helper, rest, ok := strings.Cut(url, "::"); ok && isScheme(helper) {
		if helper == "ext" {
			return "" // a command line, not an address
		}
		url = rest
	}
	if scheme, rest, ok := strings.Cut(url, "://"); ok && isScheme(scheme) {
		scheme = strings.ToLower(scheme)
		if scheme == "file" {
			return localOrigin("/"+strings.TrimLeft(afterAuthority(rest), "/"), base)
		}
		return remoteOrigin(scheme, rest)
	}
	if host, rest, ok := scpLike(url); ok {
		return hostAndPath(host, rest)
	}
	return localOrigin(url, base)
}

// isPrintable reports whether a text is valid UTF-8 without control or invisible characters.
func isPrintable(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) < 0
}

func isScheme(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return !isNameRune(r) && r != '+' && r != '.' }) < 0
}

func isNameRune(r rune) bool {
	return 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || r == '-'
}

// afterAuthority returns the path of a file URL. Its host, usually empty or localhost, has no meaning here.
func afterAuthority(rest string) string {
	if _, file, hasPath := strings.Cut(rest, "/"); hasPath {
		return file
	}
	return rest
}

func remoteOrigin(scheme, rest string) string {
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	authority, tail, _ := strings.Cut(rest, "/")
	authority = withoutUser(authority)
	host, port := splitPort(authority)
	if port != "" && !allDigits(port) {
		// A port has digits only, so this is a password with a slash in it.
		authority, tail, _ = strings.Cut(withoutUser(rest), "/")
		host, port = splitPort(authority)
	}
	if port != "" && (!allDigits(port) || isDefaultPort(scheme, port)) {
		port = ""
	}
	if port != "" && host != "" {
		host += ":" + port
	}
	return hostAndPath(host, tail)
}

func withoutUser(authority string) string {
	return authority[strings.LastIndexByte(authority, '@')+1:]
}

// splitPort splits an authority into host and port. It leaves the brackets of an IPv6 address on the host.
func splitPort(authority string) (host, port string) {
	i := strings.LastIndexByte(authority, ':')
	if i < 0 || strings.IndexByte(authority[i:], ']') >= 0 {
		return authority, ""
	}
	return authority[:i], authority[i+1:]
}

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func isDefaultPort(scheme, port string) bool {
	return strings.Contains(defaultPorts, " "+scheme+":"+port+" ")
}

// scpLike splits [user@]host:path and [user@][host:port]:path, which it recognises as git does: by a
// colon before the first slash.
func scpLike(url string) (host, tail string, ok bool) {
	beforeSlash, _, _ := strings.Cut(url, "/")
	colon := strings.IndexByte(beforeSlash, ':')
	if colon < 0 || filepath.VolumeName(url) != "" {
		return "", "", false
	}
	if strings.IndexByte(beforeSlash[colon:], '@') >= 0 {
		return "", "", true // a password, or a path; git asks the host before the colon, whatever host stands behind
	}
	rest := url[strings.LastIndexByte(url[:colon], '@')+1:]
	if inside, after, bracketed := strings.Cut(rest, "]:"); bracketed && rest[0] == '[' {
		host, port := splitPort(inside[1:])
		if strings.IndexByte(host, ':') >= 0 {
			return inside + "]", after, true // an IPv6 address
		}
		if port != "" && port != "22" {
			host += ":" + port
		}
		return host, after, true
	}
	if host, tail, ok = strings.Cut(rest, ":"); !ok {
		host, tail, _ = strings.Cut(rest, "/") // the colon stood before a password
	}
	return host, tail, true
}

func hostAndPath(host, tail string) string {
	if host == "" {
		return ""
	}
	if at := strings.LastIndexByte(tail, '@'); at >= 0 && strings.IndexByte(tail[:at], ':') >= 0 {
		tail = tail[at+1:] // "user:password@" in a misspelt URL
	}
	tail = path.Clean("/" + tail)
	for {
		shorter := strings.TrimRight(strings.TrimSuffix(tail, ".git"), "/")
		if shorter == tail {
			return strings.ToLower(host) + tail
		}
		tail = shorter
	}
}

// localOrigin returns the key for an origin that is a path. It is the key of the repository at this path, as if that had no origin of
// its own.
func localOrigin(name, base string) string {
	if !filepath.IsAbs(name) {
		name = filepath.Join(base, name)
	}
	return filepath.ToSlash(mainRootOf(resolve(filepath.Clean(name))))
}
