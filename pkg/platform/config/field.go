package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// field is the place of a setting's value, with its text form.
type field interface {
	set(c *Config, value string) error
	get(c *Config) string
}

// word is a text that a check accepts.
type word struct {
	check  func(value string) error
	at     func(*Config) *string
	isPath bool
}

func (f word) set(c *Config, value string) error {
	err := f.check(value)
	if err == nil {
		*f.at(c) = value
	}
	return err
}

func (f word) get(c *Config) string { return *f.at(c) }

// text accepts one line, but no list or object in JSON.
func text(value string) error {
	switch first := strings.TrimSpace(value); {
	case strings.ContainsFunc(value, unicode.IsControl):
		return fmt.Errorf("%q contains a line break or another control character", value)
	case (strings.HasPrefix(first, "[") || strings.HasPrefix(first, "{")) && json.Valid([]byte(value)):
		return fmt.Errorf("it is a list or an object; give one text")
	}
	return nil
}

// needed accepts a text that is not empty.
func needed(value string) error {
	if value == "" {
		return fmt.Errorf("it must not be empty")
	}
	return text(value)
}

// name accepts a name in the store: letters, digits, dashes and underscores, which never need quoting.
func name(value string) error {
	isOther := func(r rune) bool { return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	if strings.ContainsFunc(value, isOther) {
		return fmt.Errorf("use only letters, digits, - and _")
	}
	return needed(value)
}

// location accepts the absolute path of a file or folder, or nothing. It may begin with ~ for the user's home directory. A
// relative path is refused, because the programs that read the settings run in different folders.
func location(value string) error {
	if value != "" && !paths.IsPlace(value) {
		return fmt.Errorf("%q is not an absolute path such as /srv/memory or ~/memory", value)
	}
	return text(value)
}

// program accepts the name of a program on the PATH, or its location.
func program(value string) error {
	if strings.ContainsAny(value, `/\~$`) {
		return location(value)
	}
	return needed(value)
}

// address is the URL of a server, or empty.
type address struct {
	schemes []string
	at      func(*Config) *string
}

// set keeps even an invalid address: the connection then fails, instead of going to the default server. Of an address with a user, a password
// or a key it keeps the rest, because addresses are printed.
func (f address) set(c *Config, value string) error {
	*f.at(c) = value
	if value == "" {
		return nil
	}
	scheme, rest, _ := strings.Cut(value, "://")
	server, _, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(server, '@') + 1; at > 0 || strings.ContainsAny(rest, "?#") {
		*f.at(c), _, _ = strings.Cut(scheme+"://"+rest[at:], "?")
		return errors.New("the address has a user, a password or a key in it, and would be printed: put these into store.user and store.pass, or into the variable MEMORY_DISTILL_KEY")
	}
	host, port := server, "1"
	if at := strings.LastIndexByte(server, ':'); at > strings.LastIndexByte(server, ']') {
		host, port = server[:at], server[at+1:]
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || host == "" || !slices.Contains(f.schemes, scheme) || strings.ContainsFunc(value, isInvalidInAddress) {
		return fmt.Errorf("%q is not a server address such as %s://host:8000", value, f.schemes[0])
	}
	return nil
}

// isInvalidInAddress reports whether a character is invalid in an address. It avoids package net/url, which would link network code into every hook.
func isInvalidInAddress(r rune) bool {
	return unicode.IsControl(r) || unicode.IsSpace(r) || strings.ContainsRune("\"<>\\^`{|}", r)
}

func (f address) get(c *Config) string { return *f.at(c) }

// oneOf accepts one of several words.
func oneOf(value string, allowed ...string) error {
	if !slices.Contains(allowed, value) {
		return fmt.Errorf("%q is neither %s", value, strings.Join(allowed, " nor "))
	}
	return nil
}

// flag is true or false.
type flag func(*Config) *bool

func (at flag) set(c *Config, value string) error {
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1", "t", "y":
		*at(c) = true
	case "false", "no", "off", "0", "f", "n":
		*at(c) = false
	default:
		return fmt.Errorf("%q is neither true nor false", value)
	}
	return nil
}

func (at flag) get(c *Config) string { return strconv.FormatBool(*at(c)) }

// guard is a flag that protects the user. An invalid value, or an unreadable file, counts as the closed value.
type guard struct {
	at     func(*Config) *bool
	closed bool
}

func (f guard) set(c *Config, value string) error {
	err := flag(f.at).set(c, value)
	if err != nil {
		f.close(c)
		return fmt.Errorf("%w, so it counts as %t", err, f.closed)
	}
	return nil
}

func (f guard) close(c *Config) { *f.at(c) = f.closed }

func (f guard) get(c *Config) string { return flag(f.at).get(c) }

// bounded is a value from low to high.
type bounded[T int | float64 | time.Duration] struct {
	low, high T
	at        func(*Config) *T
}

type (
	integer = bounded[int]
	number  = bounded[float64]
	span    = bounded[time.Duration]
)

func (f bounded[T]) set(c *Config, value string) error {
	var n T
	var err error
	kind, example := "number", ""
	switch into := any(&n).(type) {
	case *int:
		kind = "whole number"
		*into, err = strconv.Atoi(value)
	case *float64:
		*into, err = strconv.ParseFloat(value, 64)
	case *time.Duration:
		kind, example = "duration", " (such as 150ms, 2s, 12h, 30d)"
		*into, err = Duration(value)
	}
	isBelowZero := strings.HasPrefix(strings.TrimSpace(value), "-") // also -0: no setting is negative
	if err != nil || isBelowZero || !(n >= f.low && n <= f.high) {  // this form refuses NaN
		return fmt.Errorf("%q is not a %s from %v to %v%s", value, kind, f.low, f.high, example)
	}
	*f.at(c) = n
	return nil
}

func (f bounded[T]) get(c *Config) string { return fmt.Sprint(*f.at(c)) }

// Duration parses a length of time as people write it: in days, such as 30d, or in Go's notation, such as 12h, in any case and with blanks.
func Duration(text string) (time.Duration, error) {
	text = strings.ToLower(strings.Join(strings.Fields(text), ""))
	number, isDays := strings.CutSuffix(text, "d")
	if !isDays {
		return time.ParseDuration(text)
	}
	days, err := strconv.ParseUint(number, 10, 16)
	return time.Duration(days) * 24 * time.Hour, err
}
