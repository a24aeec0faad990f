package project

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Named does what Rel does, for a file as people and models write it: a file:// address, below ~, with backslashes, in
// quotes, or with a line, as in main.go:42:7.
func (p Project) Named(file string) string {
	file = strings.Trim(strings.TrimSpace(file), "`\"'<>")
	if rest, isBelowHome := strings.CutPrefix(file, "~/"); isBelowHome {
		if home, err := os.UserHomeDir(); err == nil { // if there is no home directory, ~ counts as a folder's name
			file = filepath.Join(home, rest)
		}
	}
	if !strings.Contains(file, "/") && !isWindows(file) {
		file = strings.ReplaceAll(file, `\`, "/")
	}
	if scheme, rest, isAddress := strings.Cut(file, ":/"); isAddress && (strings.EqualFold(scheme, "file") || strings.HasPrefix(rest, "/file/")) {
		file = unescaped("/" + rest)
		if rest, hasHost := strings.CutPrefix(file, "//"); hasHost { // drops the host, which may be empty, or "file" in an editor's address
			_, file, _ = strings.Cut(rest, "/")
			file = "/" + file
		}
	}
	if at := strings.LastIndexByte(file, '('); at > 0 && strings.HasSuffix(file, ")") && isLines(strings.ReplaceAll(file[at+1:len(file)-1], ",", "-")) {
		file = file[:at]
	}
	if at := strings.LastIndex(file, "#L"); at > 0 && isLines(file[at+2:]) {
		file = file[:at]
	}
	for range 2 { // the line and the column
		if at := strings.LastIndexByte(file, ':'); at > 1 && isLines(file[at+1:]) {
			file = file[:at]
		}
	}
	return p.Rel(file)
}

// isLines reports whether a text has only digits, dashes and L (12, L5, 10-L20), and does not begin with a dash.
func isLines(text string) bool {
	return text != "" && text[0] != '-' && strings.Trim(text, "0123456789-L") == ""
}

// unescaped returns the path of an address with %20 and the like decoded.
func unescaped(path string) string {
	var plain strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] == '%' && i+2 < len(path) {
			if code, err := strconv.ParseUint(path[i+1:i+3], 16, 8); err == nil {
				plain.WriteByte(byte(code))
				i += 2
				continue
			}
		}
		plain.WriteByte(path[i])
	}
	return plain.String()
}
