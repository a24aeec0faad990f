package memory

import (
	"reflect"
	"time"
)

// Cleaned returns a copy of a value in which every text, at any depth, is cleaned.
func Cleaned[T any](value T, clean func(string) string) T {
	cleanIn(reflect.ValueOf(&value).Elem(), func(Holds) func(string) string { return clean }, clean)
	return value
}

// CleanedTexts cleans like Cleaned, but only the texts that a person, a model or a tool wrote.
func CleanedTexts[T any](value T, clean func(string) string) T {
	cleanIn(reflect.ValueOf(&value).Elem(), func(h Holds) func(string) string { return h.Cleaner(clean) }, nil)
	return value
}

// cleanIn cleans the texts of a value. It copies parts that are shared with other values first. clean cleans the value's own
// text; nil leaves it. cleanerOf returns the function that cleans fields with a Holds.
func cleanIn(v reflect.Value, cleanerOf func(Holds) func(string) string, clean func(string) string) {
	switch v.Kind() {
	case reflect.String:
		if text := v.String(); text != "" && clean != nil {
			v.SetString(clean(text))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			own := reflect.New(v.Type().Elem())
			own.Elem().Set(v.Elem())
			cleanIn(own.Elem(), cleanerOf, clean)
			v.Set(own)
		}
	case reflect.Interface: // a field of a row
		if !v.IsNil() {
			own := reflect.New(v.Elem().Type()).Elem()
			own.Set(v.Elem())
			cleanIn(own, cleanerOf, clean)
			v.Set(own)
		}
	case reflect.Slice:
		if v.Len() > 0 {
			own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(own, v)
			for i := range own.Len() {
				cleanIn(own.Index(i), cleanerOf, clean)
			}
			v.Set(own)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Field(i); field.CanSet() && v.Type() != reflect.TypeFor[time.Time]() {
				cleanIn(field, cleanerOf, cleanerOf(holdsOf(v.Type().Field(i))))
			}
		}
	default: // has no text
	}
}
