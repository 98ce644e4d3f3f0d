package documents

import "strings"

// word executes a control word. Words that only format the text are ignored.
func (r *rtf) word(word string, n int, has bool) {
	if r.group.star && !shownGroup(word) {
		r.hide()
		return
	}
	r.group.star = false
	if r.enter(word) {
		return
	}
	switch word {
	case "par", "sect", "page", "line", "row":
		r.paragraph()
	case "mden": // of a fraction
		r.put("/")
	case "tab", "cell", "nestcell":
		r.flush()
		r.space()
	case "u":
		r.unicode(n)
	case "uc":
		r.group.uc = min(max(n, 0), 16)
	case "ansicpg":
		r.page = codePage(n)
	case "mac":
		r.page = codePage(10000)
	case "pc":
		r.page = codePage(437)
	case "pca":
		r.page = codePage(850)
	case "f":
		r.font(n)
	case "fcharset":
		if r.group.dest == "fonttbl" && len(r.fonts) < 10_000 {
			if page := charsetPage(n); page != 0 {
				r.fonts[r.group.font] = codePage(page)
			}
		}
	case "cpg":
		if r.group.dest == "fonttbl" && has && len(r.fonts) < 10_000 {
			r.fonts[r.group.font] = codePage(n)
		}
	case "v":
		r.flush()
		r.group.hidden = !has || n != 0
	case "deleted":
		r.flush()
		r.group.deleted = !has || n != 0
	case "plain":
		r.flush()
		r.group.hidden, r.group.deleted = false, false
	case "deff":
	case "pard":
		r.heading = false
	case "outlinelevel":
		r.heading = n < 6
	case "bin":
		if has && n > 0 {
			r.at = min(len(r.body), r.at+n)
		}
	default:
		r.special(word, n)
	}
}

// special handles characters that have a name, and the parts of dates.
func (r *rtf) special(word string, n int) {
	if s := map[string]string{"emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
		"bullet": "•", "emspace": " ", "enspace": " ", "qmspace": " "}[word]; s != "" {
		r.named(s)
		return
	}
	for i, part := range []string{"yr", "mo", "dy", "hr", "min", "sec"} {
		if word == part {
			r.stamp[i] = n
		}
	}
}

// hide ignores the rest of the group.
func (r *rtf) hide() {
	r.flush()
	r.group.dest, r.group.star = "-", false
}

// font switches to a font; in the font table it says which font the next entry is.
func (r *rtf) font(n int) {
	r.flush()
	r.group.font = n
	if r.group.dest != "fonttbl" {
		r.group.codec = r.fonts[n]
		r.group.signs = signFont(strings.TrimSuffix(strings.TrimSpace(r.names[n]), ";"))
	}
}

// shownGroup reports whether a destination after \* has text that is shown.
func shownGroup(word string) bool {
	switch word {
	case "fldinst", "shptxt", "nesttableprops", "pntext", "shpinst", "footnote", "annotation", "ud", "do", "dptxbxtext", "atnid", "atnauthor", "moMath", "moMathPara":
		return true
	}
	return false
}

// enter begins a destination.
func (r *rtf) enter(word string) bool {
	switch word {
	case "fonttbl", "colortbl", "stylesheet", "pict", "shprslt", "objclass", "objname", "objdata", "themedata", "colorschememapping", "datastore", "listtable",
		"listoverridetable", "revtbl", "rsidtbl", "generator", "filetbl", "xmlnstbl", "latentstyles", "blipuid", "picprop", "sp", "sn", "sv",
		"keywords", "comment", "operator", "company", "manager", "category", "subject", "doccomm", "hlinkbase", "nonshppict", "fontemb",
		"bkmkstart", "bkmkend", "atntime", "atndate", "atnref", "atnicn", "xe", "tc", "private", "buptim", "printim",
		"falt", "panose", "passwordhash", "protusertbl", "datafield", "formfield", "mmathPr", "wgrffmtfilter", "pgptbl", "pntxta", "pntxtb":
		r.flush()
		r.group.dest = "-"
		if word == "fonttbl" {
			r.group.dest = word
		}
	case "title", "author", "creatim", "revtim", "fldinst", "fldrslt":
		if r.group.dest == "-" {
			return true
		}
		if r.group.dest == "fldinst" { // a field in what another one does is not shown
			r.hide()
			return true
		}
		r.flush()
		r.info.Reset()
		r.group.dest = word
	case "info", "object", "do": // of an object and an old drawing only parts are shown: see below
		if r.group.dest != "-" {
			r.flush()
			r.group.dest = word
		}
	case "result": // what an object looks like
		r.flush()
		if r.group.dest == "object" {
			r.group.dest = ""
		}
	case "upr": // a text, and again in Unicode
		r.flush()
		r.group.outer, r.group.dest = r.group.dest, "upr"
	case "ud":
		r.flush()
		if r.group.dest == "upr" {
			r.group.dest = r.group.outer
		}
	case "shptxt", "dptxbxtext", "footnote", "annotation", "header", "footer", "headerl", "headerr", "headerf", "footerl", "footerr", "footerf", "pntext", "atnid", "atnauthor":
		r.flush()
		if r.group.dest == "-" && word != "shptxt" || word == "dptxbxtext" && r.group.dest != "do" {
			return true
		}
		r.group.dest = ""
		if inParagraph(word) {
			r.space()
		} else if !r.group.aside {
			r.group.aside = true
			r.beside()
		}
	default:
		if isMathProperty(word) {
			r.hide()
			return true
		}
		return false
	}
	return true
}

// inParagraph reports whether the text of a destination is a part of the paragraph around it: a
// label, or an annotation, of which three destinations say who wrote it and what.
func inParagraph(word string) bool {
	return word == "pntext" || word == "atnid" || word == "atnauthor" || word == "annotation"
}

// isMathProperty reports destinations with properties of formulas: mfPr, mdPr.
func isMathProperty(word string) bool {
	return len(word) > 3 && word[0] == 'm' && strings.HasSuffix(word, "Pr")
}

// charsetPage returns the code page of a font's character set (fcharset); 0 for that of the
// document.
func charsetPage(n int) int {
	switch n {
	case 0:
		return 1252
	case 77:
		return 10000
	case 128:
		return 932
	case 129, 130:
		return 949
	case 134:
		return 936
	case 136:
		return 950
	case 161:
		return 1253
	case 162:
		return 1254
	case 163:
		return 1258
	case 177:
		return 1255
	case 178:
		return 1256
	case 186:
		return 1257
	case 204:
		return 1251
	case 222:
		return 874
	case 238:
		return 1250
	case 255:
		return 437
	}
	return 0
}
