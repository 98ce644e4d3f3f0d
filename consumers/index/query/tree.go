package query

import (
	"strings"
	"time"
)

// Node is one node of the tree: And, Or, Not, Word, Phrase, Site, Lang, Type, Since or Until.
type Node interface{ write(*strings.Builder) }

type (
	// And holds if all its nodes do. It has at least two.
	And []Node
	// Or holds if one of its nodes does. It has at least two.
	Or []Node
	// Not holds if its node does not.
	Not struct{ Node Node }
	// Word is one word as typed; with Prefix every word that begins with it.
	Word struct {
		Text   string
		In     Place
		Prefix bool
	}
	// Phrase is the words between quotes.
	Phrase struct {
		Text string
		In   Place
	}
	// Site is a host or domain in lower case, and the beginning of a path, or "".
	Site struct{ Host, Path string }
	// Type is the type of a file in lower case: html, pdf.
	Type struct{ Name string }
	// Lang is a language code in lower case.
	Lang struct{ Code string }
	// Since holds from this day on.
	Since struct{ Day Day }
	// Until holds before this day.
	Until struct{ Day Day }
)

// Place is the part of a page in which a word must be.
type Place int

// The places, with the operators that ask for them.
const (
	Anywhere Place = iota
	Title          // intitle:, title:
	Address        // inurl:
	Author         // author:
)

// operator returns the operator that asks for the place.
func (p Place) operator() string {
	return [...]string{"", "intitle:", "inurl:", "author:"}[p]
}

// Day counts days since 1970-01-01 UTC.
type Day int32

// DayOf is the day of a time in UTC.
func DayOf(t time.Time) Day { return DayOfMillis(t.UnixMilli()) }

// DayOfMillis is the day of a Unix time in milliseconds.
func DayOfMillis(ms int64) Day {
	const day = 24 * 60 * 60 * 1000
	if ms < 0 {
		return Day((ms - day + 1) / day)
	}
	return Day(ms / day)
}

// Time is the first moment of the day.
func (d Day) Time() time.Time { return time.Unix(int64(d)*24*60*60, 0).UTC() }

// String is the day as 2024-05-01.
func (d Day) String() string { return d.Time().Format(time.DateOnly) }

// String writes a node so that Parse reads the same node back.
func String(n Node) string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n And) write(b *strings.Builder) { join(b, n, " ") }
func (n Or) write(b *strings.Builder)  { join(b, n, " OR ") }

func join(b *strings.Builder, nodes []Node, between string) {
	for i, n := range nodes {
		if i > 0 {
			b.WriteString(between)
		}
		group(b, n)
	}
}

// group writes a node in parentheses if it is itself a list.
func group(b *strings.Builder, n Node) {
	_, and := n.(And)
	_, or := n.(Or)
	if and || or {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	n.write(b)
}

func (n Not) write(b *strings.Builder) {
	b.WriteByte('-')
	group(b, n.Node)
}

func (n Word) write(b *strings.Builder) {
	b.WriteString(n.In.operator() + n.Text)
	if n.Prefix {
		b.WriteByte('*')
	}
}

func (n Phrase) write(b *strings.Builder) {
	b.WriteString(n.In.operator() + `"` + n.Text + `"`)
}

func (n Site) write(b *strings.Builder)  { b.WriteString("site:" + n.Host + n.Path) }
func (n Type) write(b *strings.Builder)  { b.WriteString("filetype:" + n.Name) }
func (n Lang) write(b *strings.Builder)  { b.WriteString("lang:" + n.Code) }
func (n Since) write(b *strings.Builder) { b.WriteString("after:" + n.Day.String()) }
func (n Until) write(b *strings.Builder) { b.WriteString("before:" + n.Day.String()) }
