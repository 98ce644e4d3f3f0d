package tree

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestTheTreeIsThatOfTheStandardsParser compares the trees of pages that break rules in the ways
// that the tokenizer has to know.
func TestTheTreeIsThatOfTheStandardsParser(t *testing.T) {
	for _, page := range oddPages() {
		equalTrees(t, page)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		equalTrees(t, randomPage(r))
	}
}

// TestTagsThatInteractMakeTheTreeOfTheStandardsParser compares the trees of pages made of few tags
// of the kinds that move each other: tables, formatting, templates, foreign elements.
func TestTagsThatInteractMakeTheTreeOfTheStandardsParser(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var some []string
	for i := range 20_000 {
		if i%20 == 0 {
			some = someTags(r)
		}
		equalTrees(t, interacting(r, some))
	}
}

// TestTheDeepestTreesAreThoseOfTheStandardsParser protects the limit of open elements, whatever
// comes at it.
func TestTheDeepestTreesAreThoseOfTheStandardsParser(t *testing.T) {
	for _, head := range []string{"", "<b><i>", "<table>"} {
		for _, tail := range []string{"", "x", "<br>", "<b>x", "<p>x", "<svg/>", "<table><td>", "<template>", "</div><br>"} {
			for _, element := range []string{"<div>", "<b>", "<svg>", "<table><td>"} {
				most := 512
				if element == "<table><td>" {
					most /= 4 // tbody and tr are implied
				}
				for n := most - 6; n <= most; n++ {
					equalTrees(t, head+strings.Repeat(element, n)+tail)
				}
			}
		}
	}
}

// TestTextInPiecesTakesLinearTime protects against a text to which each of many end tags that are
// left out adds a piece: copied with each, it would be 20 GB.
func TestTextInPiecesTakesLinearTime(t *testing.T) {
	n, err := Parse(strings.Repeat("a</q>", 200_000))
	if err != nil {
		t.Fatal(err)
	}
	if text := n.LastChild.LastChild.FirstChild; text.NextSibling != nil || text.Data != strings.Repeat("a", 200_000) {
		t.Errorf("a text of %d bytes", len(text.Data))
	}
}

func FuzzTree(f *testing.F) {
	for _, page := range oddPages() {
		f.Add(page)
	}
	f.Fuzz(func(t *testing.T, page string) { equalTrees(t, page) })
}

func oddPages() []string {
	return []string{
		"", "a", "<", "a<", "</", "a</", "<!", "<!>", "<!x", "<?", "<?php a>b", "</>", "a</>b", "</3>b", "<3>", "<a", "<a ", "<a b", "<a b=", "<a b=c", `<a b="`, "</a", "</a ",
		"<p a=/>x", "<br/>", "<br/ >", "<br a/>", "<br a=b/>", `<br a="b"/>`, "<a =b>", "<a b=>", "<a / b / c>", "<a b=1 B=2 b=3>", "<A B\r\n=\r'c\rd'>e\rf\r\n",
		"<title>a&amp;b</title", "<title></titles></title >c", "<textarea>\n\na</TEXTAREA/>", "<style></sty</style></style>", "<xmp><b></xmp><b>", "<plaintext></plaintext>a", "<noscript><p>a</noscript>b",
		"<script><!-- <script></script> --></script>a", "<script><!--<script </script>x--></script>", "<script><!--->a<b></script>c", "<script><!-- <sc</script>a", "<script><!-", "<script><!--</scripty></script>a",
		"<script><!--<script></script\n>-->a</script>b", "<script><!--<script>--></script>c", "<script>a<!b</script>", "<script><!--a--b->--></script>",
		"<!---->a", "<!-->a", "<!--->a", "<!--a--!>b", "<!--a--!-->b", "<!--a--!x-->b", "<!--a--", "<!--a-", "<!--a--!", "<!--a", "<!doctype html>a", "<!DOCTYPE", "<!docty", "<!doctype html PUBLIC \"a\" 'b'>",
		"<svg><![CDATA[a]]]>&amp;b]]>c</svg><![CDATA[d]]>", "<svg><![CDATA[a", "<svg><title><b></title><script>a</script></svg>", "<math><mi>a<p>b", "<svg><a xlink:href=b viewbox=1><foreignobject><p>c",
		"&amp;&lt&notit;&not&#65abc;&#x41;&#xZ;&#0;&#128;&;&semi;&unknown;&acE;&", `<a b="?a=1&copy=2&copy;&copy&copy2&notit;&not;&amp&#65abc;&semi;&bsemi;&#x;&&amp;&lt=&AMP">`,
		"a\x00b<p\x00 c\x00=d\x00 c\ufffd=e>\x00<!--\x00--><script>\x00</script><svg>\x00<![CDATA[\x00]]>",
		"<table>a<tr>b<td>c</table>d", "<b><p>a</b>b<i>c", "<a>a<a>b", "<select><option>a<p>b", "<template><td>a</template>b", "<frameset><frame></frameset>", "<li>a<li>b<p>c<div>d",
		"<svg><table><math><template><mi><tbody><svg><table>", "<table><tbody><svg><html><title></tbody><tfoot>", "<table><tbody><svg><html><title><tfoot>", "<p><math><annotation-xml></p>x", "<form><svg><rp></form><svg>", "<math><mi><template><mglyph></p></>",
		"<b a=1 c=2><p><b c=2 a=1><b c=2 a=1><b a=1 c=2></p>x", strings.Repeat("<div>", 600), "<p " + strings.Repeat("a b c=d ", 30) + manyAttributes() + ">",
	}
}

func manyAttributes() string {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "k%d=%d K%d=x ", i%25, i, i%30)
	}
	return b.String()
}

// randomPage joins pieces at random, some of them cut.
func randomPage(r *rand.Rand) string {
	pieces := oddPages()
	pieces = pieces[:len(pieces)-2]
	tags := strings.Fields("a b i p div table tr td th tbody caption col select option li ul dd dt h1 form button svg math mi title desc foreignObject script style textarea template noscript pre br img input body html head frameset nobr marquee object ruby rt")
	var b strings.Builder
	for range 1 + r.IntN(14) {
		switch r.IntN(6) {
		case 0, 1:
			b.WriteString("<" + tags[r.IntN(len(tags))] + []string{">", " a=b>", " class='x y'>", "/>", " hidden >", " a&amp;b=\"&lt;&quot\">"}[r.IntN(6)])
		case 2, 3:
			b.WriteString("</" + tags[r.IntN(len(tags))] + ">")
		case 4:
			b.WriteString([]string{"text ", " ", "\n", "a&b", "é", "\r\n", "\x00"}[r.IntN(7)])
		default:
			p := pieces[r.IntN(len(pieces))]
			b.WriteString(p[:r.IntN(len(p)+1)])
		}
	}
	return b.String()
}

const allTags = `a b i nobr font p div li ul ol dd dt dl h1 h2 table tr td th tbody thead tfoot caption col colgroup select option
	optgroup hr input keygen textarea form button svg math mi mo mtext mglyph malignmark annotation-xml title desc foreignObject script
	style template noscript noframes noembed iframe xmp pre listing br img image body html head frameset frame marquee object applet
	ruby rb rt rtc rp span plaintext base link meta main search dialog center menuitem summary isindex param source wbr custom-x code em
	sub var video label`

// someTags returns a few tags, most of the time with foreign ones among them.
func someTags(r *rand.Rand) []string {
	all := strings.Fields(allTags)
	var some []string
	if r.IntN(3) > 0 {
		some = append(some, []string{"svg", "math", "svg", "template", "select"}[r.IntN(5)], []string{"desc", "mi", "annotation-xml", "foreignObject", "title"}[r.IntN(5)])
	}
	for range 3 + r.IntN(10) {
		some = append(some, all[r.IntN(len(all))])
	}
	return some
}

// interacting joins start tags, end tags and other tokens at random.
func interacting(r *rand.Rand, tags []string) string {
	attributes := []string{"", "", "", "", " a=b", " b=c a=b", "/", " type=hidden", " color=red", " encoding=text/html", " xlink:href=1 xml:lang=e xmlns=z definitionurl=t viewbox=1 xml:base=1"}
	others := []string{"text", " ", "\n", "\nx", "\x00", " \x00", "<!--c-->", "<!doctype html>", "<!doctype HTML>", `<!doctype html public "-//w3c//dtd html 3.2//en" "">`, "<!doctype html system ''>", "<![CDATA[x]]>", "&#13;&#10;x", "</>", "\xff", "<svg><table>", "<svg><desc>", "<math><mi>", "<svg><tr>", "<svg><html>", "<math><template>"}
	var b strings.Builder
	for range 1 + r.IntN(16) {
		switch k := r.IntN(11); {
		case k < 5:
			b.WriteString("<" + tags[r.IntN(len(tags))] + attributes[r.IntN(len(attributes))] + ">")
		case k < 9:
			b.WriteString("</" + tags[r.IntN(len(tags))] + ">")
		default:
			b.WriteString(others[r.IntN(len(others))])
		}
	}
	return b.String()
}

func equalTrees(t *testing.T, page string) {
	t.Helper()
	want, wantErr := html.ParseWithOptions(strings.NewReader(page), html.ParseOptionEnableScripting(false))
	got, err := Parse(page)
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%.300q: error %v, of html.Parse %v", page, err, wantErr)
	}
	if err == nil {
		if d := Difference(got, want); d != "" {
			t.Fatalf("%.300q: %s", page, d)
		}
	}
}

func TestATreeCostsFewAllocations(t *testing.T) {
	page := "<body>" + strings.Repeat(`<div class="a b" id=c><p>Some text<a href="/x/y">a link</a>, more text.</div>`, 500)
	n := testing.AllocsPerRun(5, func() {
		if _, err := Parse(page); err != nil {
			t.Fatal(err)
		}
	})
	if n > 300 { // html.Parse: 13,000
		t.Errorf("%.0f allocations for 3,000 nodes", n)
	}
}
