package settings

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// field is one setting.
type field struct {
	name, short, help string
	secret            bool // never a flag: see AddFlags
	mayBeEmpty        bool // an empty text means something: see Load
	value             reflect.Value
}

// fieldsOf lists the fields of the struct that target points to.
func fieldsOf(target any) ([]field, error) {
	v := reflect.ValueOf(target)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return nil, fmt.Errorf("settings: %T is no pointer to a struct", target)
	}
	return fieldsIn(v.Elem(), target)
}

// fieldsIn lists the fields of a struct; those of embedded structs stand in their place.
func fieldsIn(v reflect.Value, target any) ([]field, error) {
	var out []field
	for i := range v.NumField() {
		if v.Type().Field(i).Anonymous {
			inner, err := fieldsIn(v.Field(i), target)
			if err != nil {
				return nil, err
			}
			out = append(out, inner...)
			continue
		}
		tag := v.Type().Field(i).Tag
		f := field{
			name: tag.Get("name"), short: tag.Get("short"), help: tag.Get("help"),
			secret: tag.Get("secret") != "", mayBeEmpty: tag.Get("empty") != "", value: v.Field(i),
		}
		if f.name == "" || f.help == "" {
			return nil, fmt.Errorf("settings: field %s of %T lacks a name or a help", v.Type().Field(i).Name, target)
		}
		if _, err := f.parse(f.text()); errors.Is(err, errKind) {
			return nil, fmt.Errorf("settings: field %s of %T: %w", v.Type().Field(i).Name, target, err)
		}
		out = append(out, f)
	}
	return out, nil
}

var errKind = errors.New("not a kind that can be set")

func (f field) isBool() bool { return f.value.Kind() == reflect.Bool }
func (f field) isList() bool { return f.value.Kind() == reflect.Slice }

// set fills the field. A list takes all texts, each with its commas; anything
// else the last one, as the last of several equal flags wins.
func (f field) set(texts []string) error {
	if f.isList() {
		list := []string{}
		for _, t := range texts {
			list = append(list, elements(t)...)
		}
		f.value.Set(reflect.ValueOf(list))
		return nil
	}
	v, err := f.parse(texts[len(texts)-1])
	if err == nil {
		f.value.Set(reflect.ValueOf(v).Convert(f.value.Type()))
	}
	return err
}

// elements splits a list at its commas.
func elements(text string) []string {
	var out []string
	for e := range strings.SplitSeq(text, ",") {
		if e = strings.TrimSpace(e); e != "" {
			out = append(out, e)
		}
	}
	return out
}

// parse turns a text into a value of the field's type.
func (f field) parse(text string) (any, error) {
	switch f.value.Interface().(type) {
	case string:
		return text, nil
	case []string:
		return elements(text), nil
	case bool:
		b, err := strconv.ParseBool(text)
		return b, expect(err, text, "true or false")
	case int:
		n, err := strconv.Atoi(text)
		return n, expect(err, text, "a whole number")
	case int64:
		n, err := strconv.ParseInt(text, 10, 64)
		return n, expect(err, text, "a whole number")
	case time.Duration:
		d, err := time.ParseDuration(text)
		return d, expect(err, text, "a duration such as 500ms, 2s or 1m30s")
	}
	return nil, errKind
}

func expect(err error, text, what string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%q is not %s", text, what)
}

// text is the value as a user would write it.
func (f field) text() string {
	switch v := f.value.Interface().(type) {
	case []string:
		return strings.Join(v, ",")
	case time.Duration:
		return short(v)
	default:
		return fmt.Sprint(v)
	}
}

// short writes a duration without its zero parts: 1m, not 1m0s.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
