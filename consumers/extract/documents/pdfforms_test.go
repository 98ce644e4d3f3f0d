package documents

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"millrace/consumers/extract/documents/documentstest"
)

// formPDF is a PDF with a page that draws the form 6; the forms follow, each with its resources and
// what it draws.
func formPDF(forms ...string) []byte {
	stream := func(dict, s string) string {
		return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(s), s)
	}
	text := func(y int, s string) string { return fmt.Sprintf("BT /F1 12 Tf 72 %d Td (%s) Tj ET", y, s) }
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /XObject << /X 6 0 R >> /Font << /F1 5 0 R >> >> >>",
		stream("", text(700, "page")+" /X Do"), "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	}
	for i := 0; i+1 < len(forms); i += 2 {
		objects = append(objects, stream("/Type /XObject /Subtype /Form /FormType 1 /BBox [0 0 612 792] "+forms[i], strings.Replace(forms[i+1], "TEXT", text(650-20*i, fmt.Sprintf("form%d", i/2)), 1)))
	}
	return documentstest.RawPDF("", objects...)
}

// A form that draws itself, also around others, makes pdfium take all memory that it may have; what
// else is on its page must not be lost by it. Honest forms inside each other are drawn.
func TestAFormThatDrawsItselfDoesNotTakeItsPage(t *testing.T) {
	r := newReader(t, nil)
	const font = "/Font << /F1 5 0 R >> "
	for name, c := range map[string]struct {
		forms []string
		want  []string
	}{
		"itself":      {[]string{"/Resources << " + font + "/XObject << /X 6 0 R >> >>", "TEXT /X Do /X Do"}, []string{"page", "form0"}},
		"each other":  {[]string{"/Resources << " + font + "/XObject << /Y 7 0 R >> >>", "TEXT /Y Do", "/Resources <</XObject<</X\n6 0 R>>/Font<</F1 5 0 R>>>>", "TEXT /X Do"}, []string{"page", "form0", "form1"}},
		"honest ones": {[]string{"/Resources << " + font + "/XObject << /Y 7 0 R /Z 8 0 R >> >>", "TEXT /Y Do", "/Resources << " + font + "/XObject << /Z 8 0 R >> >>", "TEXT /Z Do", "/Resources << " + font + ">>", "TEXT"}, []string{"page", "form0", "form1", "form2"}},
	} {
		body := formPDF(c.forms...)
		before := bytes.Clone(body)
		d, err := readFile(t, r, body)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(d.Text, w) {
				t.Errorf("%s: %q is not in %q", name, w, d.Text)
			}
		}
		if !bytes.Equal(body, before) {
			t.Errorf("%s: the body was changed", name)
		}
		if honest := name == "honest ones"; honest != (len(formLoops(body)) == 0) {
			t.Errorf("%s: %v", name, formLoops(body))
		}
	}
}

func FuzzFormLoops(f *testing.F) {
	f.Add(formPDF("/Resources << /XObject << /X 6 0 R >> >>", "/X Do"))
	f.Add([]byte("6 0 obj<</Form/Resources<</XObject<<6 0 R 6 0 R>>stream"))
	f.Add([]byte("/Form stream R"))
	f.Fuzz(func(t *testing.T, body []byte) {
		if out := withoutLoops(body); len(out) != len(body) {
			t.Fatalf("%d bytes became %d", len(body), len(out))
		}
	})
}
