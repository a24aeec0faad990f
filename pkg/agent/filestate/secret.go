package filestate

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// Files and folders, in lower case, that usually hold secrets, or only generated text. A
// hash of a short line could be guessed.
var (
	secretFolders = []string{
		".git", ".ssh", ".aws", ".azure", ".gcloud", ".gnupg", ".kube", ".docker",
		".terraform", "secrets", ".secrets",
	}
	secretFiles = []string{
		".env*", "*.env", "*.env.*", "*.envrc", "*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.ppk", "*.asc",
		"*.gpg", "*.keystore", "*.jks", "*.kdbx", "*.ovpn",
		"id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.tfvars", "*.tfvars.*", "*.tfstate", "*.tfstate.*", "*.kubeconfig",
		".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".git-credentials", "*htpasswd*",
		"wp-config.php", "master.key",
	}
	// secretWords are words of the name of a file that holds data: token.txt, and not token.go.
	secretWords = []string{
		"secret", "secrets", "token", "tokens", "password", "passwords", "passwd", "passphrase", "credential",
		"credentials", "creds",
		"kubeconfig", "apikey", "apikeys", "env", "dotenv", "keys",
	}
	dataEndings = []string{
		"", ".txt", ".text", ".json", ".json5", ".jsonc", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf",
		".config", ".properties", ".xml", ".csv", ".tsv",
		".enc", ".dat", ".db", ".bak", ".old", ".orig", ".local", ".example", ".sample", ".plist",
	}
)

// isSecret reports whether a path, relative to its project and with slashes, names such a file.
func isSecret(name string) bool {
	name = strings.ToLower(name)
	if slices.ContainsFunc(strings.Split(path.Dir(name), "/"),
		func(folder string) bool { return slices.Contains(secretFolders, folder) }) {
		return true
	}
	base := path.Base(name)
	isNamed := slices.ContainsFunc(secretFiles, func(pattern string) bool {
		matches, _ := path.Match(pattern, base) // the patterns are well formed
		return matches
	})
	return isNamed || slices.Contains(dataEndings, ending(base)) &&
		slices.ContainsFunc(words(base), func(word string) bool { return slices.Contains(secretWords, word) })
}

// ending is that of a file's name; a name that begins with its only dot has none.
func ending(base string) string {
	if end := path.Ext(base); end != base {
		return end
	}
	return ""
}

func words(base string) []string {
	return strings.FieldsFunc(base, func(r rune) bool { return !unicode.IsLetter(r) })
}
