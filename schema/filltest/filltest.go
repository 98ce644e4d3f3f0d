// Package filltest fills structs for tests that look for a field that was forgotten on its way: a
// field that is added later is filled, too, without a change of the test.
package filltest

import (
	"fmt"
	"reflect"
	"testing"
	"time"
)

// Fill sets every exported field of the struct that x points to, and of the structs in it, to a
// value that is not zero and differs from that of the other fields of its kind. A field of a kind
// that it does not know fails the test.
func Fill(t testing.TB, x any) {
	t.Helper()
	n := 1
	fill(t, reflect.ValueOf(x).Elem(), reflect.TypeOf(x).Elem().Name(), &n)
}

func fill(t testing.TB, v reflect.Value, name string, n *int) {
	t.Helper()
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("%s %d", name, *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(*n%100 + 1))
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(*n%100 + 1))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(1 / float64(*n+1))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0), name, n)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), name, n)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.UnixMilli(1_714_521_600_000 + int64(*n)).UTC()))
			return
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				fill(t, v.Field(i), f.Name, n)
			}
		}
	default:
		t.Fatalf("%s has the kind %s: let filltest fill it", name, v.Kind())
	}
}

// Fields returns the names of the exported fields of the struct that x points to.
func Fields(x any) (names []string) {
	typ := reflect.TypeOf(x).Elem()
	for i := range typ.NumField() {
		if f := typ.Field(i); f.IsExported() {
			names = append(names, f.Name)
		}
	}
	return names
}

// Empty returns the names of the exported fields of the struct that x points to which are zero.
func Empty(x any) (names []string) {
	v := reflect.ValueOf(x).Elem()
	for _, name := range Fields(x) {
		if v.FieldByName(name).IsZero() {
			names = append(names, name)
		}
	}
	return names
}

// Matter returns the names of the exported fields of the struct that x points to which change what
// look returns, when each is set to zero alone. x is as before afterwards.
func Matter(x any, look func() any) (names []string) {
	v, full := reflect.ValueOf(x).Elem(), look()
	for _, name := range Fields(x) {
		f := v.FieldByName(name)
		was := reflect.New(f.Type()).Elem()
		was.Set(f)
		f.SetZero()
		if !reflect.DeepEqual(look(), full) {
			names = append(names, name)
		}
		f.Set(was)
	}
	return names
}
