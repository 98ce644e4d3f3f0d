package filltest

import (
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type inner struct{ X int32 }

type outer struct {
	A, B  string
	Times []time.Time
	In    *inner
	List  []inner
	own   int
}

func TestEveryFieldIsFilledAndAForgottenOneIsFound(t *testing.T) {
	var x outer
	Fill(t, &x)
	if e := Empty(&x); len(e) > 0 || x.own != 0 || x.In.X == 0 || x.List[0].X == 0 || x.Times[0].IsZero() || x.A == x.B {
		t.Errorf("%v is empty in %+v", e, x)
	}
	copied := func() any { return outer{A: x.A, In: x.In, List: x.List} }
	if m := Matter(&x, copied); !slices.Equal(m, []string{"A", "In", "List"}) {
		t.Errorf("%v matter", m)
	}
	y := outer{A: x.A}
	if e := Empty(&y); !slices.Equal(e, []string{"B", "Times", "In", "List"}) {
		t.Errorf("%v is empty", e)
	}
}
