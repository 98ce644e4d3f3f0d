package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"millrace/ops/nearest"
)

// takes lists the parameters that a call of the API reads in the query string. checked is false for
// addresses that programs do not put together: pages may come with parameters of whoever links to
// them, and hubs send their own.
func takes(pattern string) (names []string, checked bool) {
	_, path, _ := strings.Cut(pattern, " ")
	if !strings.HasPrefix(path, "/api/") && path != "/rss" {
		return nil, false
	}
	list := map[string]string{
		"GET /rss":                          "q size sort from per_site",
		"GET /api/v1/search":                "q from size sort per_site facets exact explain seen cursor",
		"GET /api/v1/suggest":               "q",
		"GET /api/v1/text":                  "url",
		"GET /api/v1/why":                   "url",
		"GET /api/v1/rules":                 "host site ended n",
		"GET /api/v1/rules/test":            "rule host site",
		"GET /api/v1/rules/judge":           "url",
		"GET /api/v1/rules/proposals":       "host",
		"GET /api/v1/urls":                  "prefix after n",
		"GET /api/v1/patterns":              "host",
		"GET /api/v1/hosts":                 "sort site n",
		"GET /api/v1/ranks":                 "top by",
		"GET /api/v1/dead-letters":          "limit",
		"GET /api/v1/topics/{topic}":        "from_beginning offset since key where partition n full",
		"GET /api/v1/topics/{topic}/stream": "from_beginning offset since key where partition full",
	}[pattern]
	return strings.Fields(list), true
}

// repeated is the only parameter that may come more than once.
const repeated = "where"

// known checks the names of the parameters of a call. One that nobody reads would be ignored, and
// the answer would be to another question.
func known(pattern, query string) error {
	names, checked := takes(pattern)
	if !checked {
		return nil
	}
	q, err := url.ParseQuery(query)
	if err != nil {
		return refuse(http.StatusBadRequest, "the parameters cannot be read: %v; write %% as %%25, ; as %%3B, & as %%26", err)
	}
	for name, values := range q {
		if !slices.Contains(names, name) {
			return stranger(name, names)
		}
		if len(values) > 1 && name != repeated {
			return refuse(http.StatusBadRequest, "%s is given %d times; give it once", name, len(values))
		}
	}
	return nil
}

// stranger is the error for a parameter that a call does not have.
func stranger(name string, names []string) error {
	short := strings.ToValidUTF8(clip(name, 40), "")
	switch near := nearest.To(name, names); {
	case near != "":
		return refuse(http.StatusBadRequest, "there is no parameter %q: did you mean %s?", short, near)
	case len(names) == 0:
		return refuse(http.StatusBadRequest, "there is no parameter %q: this call takes none", short)
	}
	return refuse(http.StatusBadRequest, "there is no parameter %q: this call takes %s", short, strings.Join(names, ", "))
}
