package memory

import (
	"reflect"
	"time"
)

// Cleaned returns a copy of a value in which every text, at any depth, is cleaned.
func Cleaned[T any](value T, clean func(string) string) T {
	cleanIn(reflect.ValueOf(&value).Elem(), clean)
	return value
}

// cleanIn cleans the texts of a value. It copies parts that are shared with other values first.
func cleanIn(v reflect.Value, clean func(string) string) {
	switch v.Kind() {
	case reflect.String:
		if text := v.String(); text != "" {
			v.SetString(clean(text))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			own := reflect.New(v.Type().Elem())
			own.Elem().Set(v.Elem())
			cleanIn(own.Elem(), clean)
			v.Set(own)
		}
	case reflect.Interface: // of a row
		if !v.IsNil() {
			own := reflect.New(v.Elem().Type()).Elem()
			own.Set(v.Elem())
			cleanIn(own, clean)
			v.Set(own)
		}
	case reflect.Slice:
		if v.Len() > 0 {
			own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(own, v)
			for i := range own.Len() {
				cleanIn(own.Index(i), clean)
			}
			v.Set(own)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Field(i); field.CanSet() && v.Type() != reflect.TypeFor[time.Time]() {
				cleanIn(field, clean)
			}
		}
	default: // has no text
	}
}
