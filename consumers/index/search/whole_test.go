package search_test

import (
	"reflect"
	"testing"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/search"
	"millrace/consumers/index/shard"
	"millrace/schema"
)

// A new field of rank.Page that is forgotten in the shard's files, or in the hit, is an empty field
// of every answer and no error anywhere else.
func TestEveryFieldOfAPageReachesItsHit(t *testing.T) {
	page := rank.Page{}
	v := reflect.ValueOf(&page).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString("wheel " + v.Type().Field(i).Name)
		case reflect.Int64:
			f.SetInt(1_714_521_600_000 + int64(i))
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Slice:
			f.Set(reflect.ValueOf([]int32{0, 2}))
		default:
			t.Fatalf("give the field %s a value here", v.Type().Field(i).Name)
		}
	}
	page.Lang = "en"
	s := filled(t, shard.DefaultOptions())
	sh, shown := s.all[0], page
	shown.Key = ""
	change := shard.Change{Key: page.Key, Document: &shard.Document{Host: "a.test", Hash: shard.Digest(schema.RecordHash("k", nil)), Shown: shown}}
	if _, err := sh.Apply(t.Context(), shard.Batch{Changes: []shard.Change{change}, Next: 1}); err != nil {
		t.Fatal(err)
	}
	r := find(t, searcher(t, s, nil), search.Request{Query: "wheel", Size: 1})
	if len(r.Hits) != 1 {
		t.Fatalf("%d hits", len(r.Hits))
	}
	hit := reflect.ValueOf(r.Hits[0])
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		switch got := hit.FieldByName(name); {
		case name == "Text" || name == "NoSnippet" || name == "PageStarts": // they make the snippet and its page
		case !got.IsValid():
			t.Errorf("a hit has no field %s: add it, or name it here", name)
		case !got.Equal(v.Field(i)):
			t.Errorf("%s is %v in the hit, %v in the page", name, got, v.Field(i))
		}
	}
	if p, ok, err := searcher(t, s, nil).Lookup(t.Context(), page.Key); err != nil || !ok || !reflect.DeepEqual(p, page) {
		t.Errorf("by its key: %+v, %v, %v; want %+v", p, ok, err, page)
	}
	if len(r.Hits[0].Snippet) != 0 {
		t.Errorf("a page that asks not to be quoted has the snippet %v", r.Hits[0].Snippet)
	}
}
