package web

import (
	"fmt"
	"html"
	"html/template"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// count writes a number with separators.
func count(n any) string {
	var v int64
	switch n := n.(type) {
	case int64:
		v = n
	case int:
		v = int64(n)
	case int32:
		v = int64(n)
	}
	s := strconv.FormatInt(v, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// rate writes records per second; a dash if they are not known.
func rate(perSecond *float64) string {
	switch {
	case perSecond == nil:
		return "–"
	case *perSecond == 0:
		return "0"
	case *perSecond < 0.1:
		return "< 0.1"
	case *perSecond < 10:
		return strconv.FormatFloat(*perSecond, 'f', 1, 64)
	}
	return count(int64(*perSecond + 0.5))
}

// span writes a number of seconds for people.
func span(v any) string {
	var seconds float64
	switch v := v.(type) {
	case float64:
		seconds = v
	case *float64:
		if v == nil {
			return "–"
		}
		seconds = *v
	case time.Duration:
		seconds = v.Seconds()
	}
	switch s := int64(seconds + 0.5); {
	case seconds <= 0:
		return "0 s"
	case seconds < 0.95:
		return "< 1 s"
	case seconds < 9.95:
		return fmt.Sprintf("%.1f s", seconds)
	case s < 120:
		return fmt.Sprintf("%d s", s)
	case s < 2*3600:
		return fmt.Sprintf("%d min", s/60)
	case s < 48*3600:
		return fmt.Sprintf("%d h %d min", s/3600, s/60%60)
	default:
		return fmt.Sprintf("%d days", s/86400)
	}
}

// took writes a response time.
func took(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%.3g ms", max(0.1, float64(d.Microseconds())/1000))
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// percent writes a share.
func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// ago writes how long ago a time was.
func ago(now, t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	if now.Before(t) {
		return "in " + span(t.Sub(now))
	}
	return span(now.Sub(t)) + " ago"
}

// seen writes when another process was last seen. Its clock may be ahead.
func seen(now, t time.Time) string {
	if now.Before(t) {
		return "just now"
	}
	return ago(now, t)
}

func day(t time.Time) string { return t.UTC().Format("2 January 2006") }

func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// stamps matches times in RFC 3339.
func stamps() *regexp.Regexp {
	return regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
}

// times returns the text as HTML, with times in a readable form and everything else escaped.
func times(s string) template.HTML {
	var b strings.Builder
	at := 0
	for _, m := range stamps().FindAllStringIndex(s, -1) {
		t, err := time.Parse(time.RFC3339Nano, s[m[0]:m[1]])
		if err != nil { // no such day or hour
			continue
		}
		b.WriteString(html.EscapeString(s[at:m[0]]))
		fmt.Fprintf(&b, `<time datetime="%s">%s</time>`, s[m[0]:m[1]], moment(t))
		at = m[1]
	}
	b.WriteString(html.EscapeString(s[at:]))
	return template.HTML(b.String())
}
