package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// field is where a setting's value is kept, and how it is written and read.
type field interface {
	set(c *Config, value string) error
	get(c *Config) string
}

// listable is a field all of whose values can be listed.
type listable interface{ values() []string }

// text is any text.
type text func(*Config) *string

func (at text) set(c *Config, value string) error {
	*at(c) = value
	return nil
}

func (at text) get(c *Config) string { return *at(c) }

// needed is a text that is not empty.
type needed func(*Config) *string

func (at needed) set(c *Config, value string) error {
	if value == "" {
		return fmt.Errorf("it must not be empty")
	}
	return text(at).set(c, value)
}

func (at needed) get(c *Config) string { return *at(c) }

// cron is the cron expression of a job.
type cron string

func (job cron) set(c *Config, value string) error {
	c.Maintenance.Crons[string(job)] = value
	return nil
}

func (job cron) get(c *Config) string { return c.Maintenance.Crons[string(job)] }

// oneOf is one of a few words.
type oneOf struct {
	allowed []string
	at      func(*Config) *string
}

func (f oneOf) set(c *Config, value string) error {
	if !slices.Contains(f.allowed, value) {
		return fmt.Errorf("%q is not one of %s", value, strings.Join(f.allowed, ", "))
	}
	*f.at(c) = value
	return nil
}

func (f oneOf) get(c *Config) string { return *f.at(c) }

func (f oneOf) values() []string { return f.allowed }

// flag is true or false.
type flag func(*Config) *bool

func (at flag) set(c *Config, value string) error {
	on, err := strconv.ParseBool(value)
	if err != nil {
		return fmt.Errorf("%q is neither true nor false", value)
	}
	*at(c) = on
	return nil
}

func (at flag) get(c *Config) string { return strconv.FormatBool(*at(c)) }

func (flag) values() []string { return []string{"true", "false"} }

// integer is a whole number from low to high.
type integer struct {
	low, high int
	at        func(*Config) *int
}

func (f integer) set(c *Config, value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < f.low || n > f.high {
		return fmt.Errorf("%q is not a whole number from %d to %d", value, f.low, f.high)
	}
	*f.at(c) = n
	return nil
}

func (f integer) get(c *Config) string { return strconv.Itoa(*f.at(c)) }

// budget is a token budget, bounded by the client's limit: 10,000 characters.
type budget func(*Config) *int

func (at budget) set(c *Config, value string) error { return integer{0, 10_000, at}.set(c, value) }

func (at budget) get(c *Config) string { return strconv.Itoa(*at(c)) }

// number is a number from low to high.
type number struct {
	low, high float64
	at        func(*Config) *float64
}

func (f number) set(c *Config, value string) error {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || !(n >= f.low && n <= f.high) { // written so that NaN is refused
		return fmt.Errorf("%q is not a number from %g to %g", value, f.low, f.high)
	}
	*f.at(c) = n
	return nil
}

func (f number) get(c *Config) string { return strconv.FormatFloat(*f.at(c), 'g', -1, 64) }

// span is a duration from low to high.
type span struct {
	low, high time.Duration
	at        func(*Config) *time.Duration
}

func (f span) set(c *Config, value string) error {
	d, err := time.ParseDuration(value)
	if err != nil || d < f.low || d > f.high {
		return fmt.Errorf("%q is not a duration from %s to %s (such as 150ms, 2s, 12h)", value, f.low, f.high)
	}
	*f.at(c) = d
	return nil
}

func (f span) get(c *Config) string { return f.at(c).String() }

// deadline is the time that a hook, or a question, may take.
type deadline func(*Config) *time.Duration

func (at deadline) set(c *Config, value string) error {
	return span{time.Millisecond, 30 * time.Second, at}.set(c, value)
}

func (at deadline) get(c *Config) string { return at(c).String() }
