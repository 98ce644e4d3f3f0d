package page

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"millrace/consumers/extract/plain"
)

// linked is the description of the page in its JSON-LD.
type linked struct {
	kind      string // schema.org type in lower case
	headline  string
	body      string
	published string
	modified  string
	author    string
	authorID  string // where the author is described, if not here
	lang      string
	about     string
	publisher string
	rank      int
}

// maxJSONDepth bounds the walk; the decoder stops only at 10,000.
const maxJSONDepth = 12

// readLinked returns the best description of the page among its JSON-LD objects.
func readLinked(scripts []string) linked {
	var best linked
	people := map[string]string{}
	for _, s := range scripts {
		var v any
		if !decode(s, &v) {
			continue
		}
		visit(v, maxJSONDepth, func(o map[string]any) {
			if id := stringOf(o["@id"]); id != "" && len(people) < maxPeople {
				people[id] = firstOf(people[id], plain.Clean(stringOf(o["name"])))
			}
			if l := describe(o); l.rank > best.rank {
				best = l
			}
		})
	}
	if best.author == "" {
		best.author = people[best.authorID]
	}
	return best
}

// maxPeople bounds the objects with an address that are kept.
const maxPeople = 1000

// decode accepts common errors of sites: comments around the object, raw line breaks in strings,
// commas after the last element, several objects one after the other.
func decode(s string, v *any) bool {
	s = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(s), "\ufeff"))
	s = strings.TrimSuffix(strings.TrimPrefix(s, "<!--"), "-->")
	s = strings.TrimSuffix(strings.TrimPrefix(s, "//<![CDATA["), "//]]>")
	s = strings.TrimSuffix(strings.TrimPrefix(s, "/*<![CDATA[*/"), "/*]]>*/")
	s = strings.TrimSuffix(strings.TrimSpace(s), ";")
	if json.Unmarshal([]byte(s), v) == nil || several(s, v) {
		return true
	}
	s = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, s)
	return json.Unmarshal([]byte(s), v) == nil || json.Unmarshal(withoutLastCommas(s), v) == nil
}

// several reads objects that follow each other without a list around them.
func several(s string, v *any) bool {
	d := json.NewDecoder(strings.NewReader(s))
	var all []any
	for len(all) < maxPeople {
		var one any
		err := d.Decode(&one)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return false
		}
		all = append(all, one)
	}
	*v = all
	return len(all) > 1
}

// withoutLastCommas removes commas after the last element of a list or object.
func withoutLastCommas(s string) []byte {
	out := make([]byte, 0, len(s))
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\' && i+1 < len(s):
			out = append(out, c)
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && c == ',':
			if rest := strings.TrimLeft(s[i+1:min(len(s), i+200)], " "); strings.HasPrefix(rest, "}") || strings.HasPrefix(rest, "]") {
				continue
			}
		}
		out = append(out, s[i])
	}
	return out
}

func visit(v any, depth int, f func(map[string]any)) {
	if depth == 0 {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			visit(e, depth-1, f)
		}
	case map[string]any:
		f(v)
		for _, key := range []string{"@graph", "mainEntity", "mainEntityOfPage", "itemListElement", "hasPart"} {
			if inner, ok := v[key]; ok {
				visit(inner, depth-1, f)
			}
		}
	}
}

func describe(o map[string]any) linked {
	l := linked{}
	l.kind, l.rank = kindOf(o["@type"])
	if l.rank == 0 {
		return l
	}
	l.headline = plain.Clean(text(o["headline"]))
	if l.headline == "" && l.rank < 10 {
		l.headline = plain.Clean(text(o["name"]))
	}
	l.body = text(o["articleBody"])
	l.published = text(o["datePublished"])
	if l.published == "" {
		l.published = firstOf(text(o["dateCreated"]), text(o["uploadDate"]))
	}
	l.modified = text(o["dateModified"])
	l.author, l.authorID = names(o["author"]), idOf(o["author"])
	l.lang = text(o["inLanguage"])
	l.publisher = names(o["publisher"])
	l.about = plain.Clean(text(o["description"]))
	if l.published != "" {
		l.rank++
	}
	return l
}

// kindOf returns the type of an object in lower case, of several the one that says most, and its
// rank. A type may be an address, or have the prefix of one.
func kindOf(v any) (kind string, rank int) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, e := range list {
		k := strings.ToLower(text(e))
		k = k[strings.LastIndexAny(k, "/#:")+1:]
		if n := rankOf(k); kind == "" || n > rank {
			kind, rank = k, n
		}
	}
	return kind, rank
}

// idOf returns the address of an object, or of the first of a list.
func idOf(v any) string {
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0]
	}
	o, _ := v.(map[string]any)
	return stringOf(o["@id"])
}

// rankArticle is the rank of types that mean an article.
const rankArticle = 20

// rankOf orders types by how surely they describe the page and not its site.
func rankOf(kind string) int {
	switch {
	case strings.HasSuffix(kind, "article") || kind == "blogposting" || kind == "reportagenewsarticle" || kind == "liveblogposting":
		return rankArticle
	case kind == "discussionforumposting" || kind == "qapage" || kind == "question" || kind == "review" || kind == "recipe" || kind == "socialmediaposting":
		return 15
	case kind == "product" || kind == "videoobject" || kind == "event" || kind == "course" || kind == "jobposting":
		return 8
	case strings.HasSuffix(kind, "page"):
		return 4
	case kind == "website":
		return 1
	}
	return 0
}

// text returns a string, the first of a list, or the name or value of an object.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		for _, e := range v {
			if s := text(e); s != "" {
				return s
			}
		}
	case map[string]any:
		return firstOf(stringOf(v["@value"]), stringOf(v["name"]), stringOf(v["@id"]))
	}
	return ""
}

func stringOf(v any) string {
	s, _ := v.(string)
	return s
}

// names joins the names of persons.
func names(v any) string {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	var out []string
	for _, e := range list {
		if m, ok := e.(map[string]any); ok {
			e = m["name"]
		}
		if s := plain.Clean(text(e)); s != "" && !strings.Contains(s, "://") {
			out = append(out, s)
		}
	}
	return strings.Join(out, ", ")
}
