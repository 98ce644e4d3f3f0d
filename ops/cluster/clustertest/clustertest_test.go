package clustertest

import (
	"regexp"
	"slices"
	"testing"
)

// outcome is a test that remembers how it ended.
type outcome struct{ testing.TB }

func (o *outcome) Helper()               {}
func (o *outcome) Skipf(string, ...any)  { panic("skipped") }
func (o *outcome) Fatalf(string, ...any) { panic("failed") }

func outcomeOf(t *testing.T, f func(testing.TB)) (how string) {
	defer func() {
		if r := recover(); r != nil {
			how = r.(string)
		}
	}()
	f(&outcome{TB: t})
	return "went on"
}

func TestNothingIsSkippedWhereTheClusterIsRequired(t *testing.T) {
	kafka := func(t testing.TB) { Kafka(t) }
	for _, c := range []struct {
		required, addrs string
		kafka, own      string
	}{
		{"", "", "skipped", "skipped"},
		{"1", "", "failed", "went on"},
		{"", "h:1", "went on", "skipped"},
		{"1", "h:1", "went on", "went on"},
	} {
		t.Setenv(RequireVar, c.required)
		t.Setenv(KafkaVar, c.addrs)
		if got := outcomeOf(t, kafka); got != c.kafka {
			t.Errorf("required %q, address %q: Kafka %s, want %s", c.required, c.addrs, got, c.kafka)
		}
		if got := outcomeOf(t, NeedOwn); got != c.own {
			t.Errorf("required %q: NeedOwn %s, want %s", c.required, got, c.own)
		}
	}
}

func TestAddressesAreAList(t *testing.T) {
	t.Setenv(CQLVar, "127.0.0.1:1,127.0.0.2:1")
	if got := CQL(t); !slices.Equal(got, []string{"127.0.0.1:1", "127.0.0.2:1"}) {
		t.Errorf("%q", got)
	}
}

func TestNameIsAKeyspaceAndNeverTheSame(t *testing.T) {
	valid := regexp.MustCompile(`^[a-z][a-z0-9]{0,47}$`)
	a, b := Name(t), Name(t)
	if !valid.MatchString(a) || a == b {
		t.Errorf("%q, %q", a, b)
	}
	t.Run("Über_alles/1", func(t *testing.T) {
		if n := Name(t); !valid.MatchString(n) {
			t.Errorf("%q", n)
		}
	})
}
