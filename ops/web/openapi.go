package web

import (
	"millrace/ops/asyncapi"
	"net/http"
	"reflect"
	"regexp"
	"strings"
)

// object is a JSON schema, or another object of OpenAPI.
type object map[string]any

// parameter is a parameter of a call.
type parameter struct {
	name, about string
	kind        object
	required    bool
}

func (o Options) searchParameters() []parameter {
	number := func(least, most, preset int) object {
		return object{"type": "integer", "minimum": least, "maximum": most, "default": preset}
	}
	return []parameter{
		{"q", "the query, as on the search page", object{"type": "string", "maxLength": o.MaxQueryBytes}, true},
		{"from", "results to skip; together with size at most " + count(o.PageDepth), number(0, o.MaxFrom, 0), false},
		{"size", "results to give", number(1, o.MaxSize, defaultSize), false},
		{"sort", "the order: the best first, or the newest", object{"type": "string", "enum": []string{"relevance", "date"}}, false},
		{"per_site", "results of one site that come before those of others; 0 = no matter; usually 2", number(0, o.MaxSize, 2), false},
		{"facets", "count the results by site, language, type and year", object{"type": "boolean"}, false},
		{"seen", "from the link next of the page before: what was shown is not shown again", object{"type": "string", "maxLength": maxSeenBytes}, false},
		{"exact", "never answer another query where this one finds nothing", object{"type": "boolean"}, false},
		{"explain", "say what each score consists of", object{"type": "boolean"}, false},
		{"cursor", `walk over all results: begin with *, go on with next_cursor of each answer`, object{"type": "string", "maxLength": maxCursorBytes}, false},
	}
}

// described returns the parameters and the type of the answer of the calls that are documented in
// full. Other calls have a sentence and the names of their parameters.
func (o Options) described(pattern string) ([]parameter, any) {
	switch pattern {
	case "GET /api/v1/search":
		return o.searchParameters(), apiResults{}
	case "GET /api/v1/suggest":
		return []parameter{{"q", "what was typed so far", object{"type": "string", "maxLength": o.MaxQueryBytes}, true}}, apiSuggestions{}
	case "GET /api/v1/text":
		return []parameter{{"url", "the address, as a result has it", object{"type": "string", "maxLength": maxURLBytes}, true}}, apiText{}
	case "GET /api/v1/why":
		return []parameter{{"url", "the address", object{"type": "string", "maxLength": maxURLBytes}, true}}, Story{}
	case "GET /api/v1/rebuild":
		return nil, Rebuild{}
	}
	return nil, nil
}

func (a *api) openAPI(w http.ResponseWriter, _ *http.Request) error {
	a.writeJSON(w, http.StatusOK, a.opts.document())
	return nil
}

// asyncAPI answers with the topics, for tools of message brokers.
func (a *api) asyncAPI(w http.ResponseWriter, _ *http.Request) error {
	a.writeJSON(w, http.StatusOK, asyncapi.Document())
	return nil
}

// document returns the API as an OpenAPI 3.1 document, made from the routes and the types of the
// answers.
func (o Options) document() object {
	paths := object{}
	for _, r := range Routes() {
		method, path, _ := strings.Cut(r.Pattern, " ")
		if !strings.HasPrefix(path, "/api/") {
			continue
		}
		path = strings.TrimSuffix(path, "{$}")
		item, ok := paths[path].(object)
		if !ok {
			item = object{}
			paths[path] = item
		}
		item[strings.ToLower(method)] = o.operation(r, path)
	}
	return object{
		"openapi": "3.1.0",
		"info":    object{"title": "millrace", "version": "1", "description": "Search, and what the crawl does. Errors are {\"error\": \"...\"}."},
		"paths":   paths,
		"components": object{
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}},
			"responses": object{"error": object{"description": "what is wrong, and what to do", "content": jsonOf(object{
				"type": "object", "required": []string{"error"}, "properties": object{"error": object{"type": "string"}},
			})}},
		},
	}
}

func jsonOf(s object) object { return object{"application/json": object{"schema": s}} }

func (o Options) operation(r Route, path string) object {
	params, answer := o.described(r.Pattern)
	list := []object{}
	for _, m := range inPath.FindAllStringSubmatch(path, -1) {
		list = append(list, object{"name": m[1], "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	for _, p := range params {
		list = append(list, object{"name": p.name, "in": "query", "required": p.required, "description": p.about, "schema": p.kind})
	}
	if params == nil {
		names, _ := takes(r.Pattern)
		for _, name := range names {
			list = append(list, object{"name": name, "in": "query", "schema": object{"type": "string"}})
		}
	}
	ok := object{"description": "the answer"}
	if answer != nil {
		ok["content"] = jsonOf(schemaOf(reflect.TypeOf(answer)))
	}
	out := object{
		"summary": r.About, "parameters": list,
		"responses": object{"200": ok, "default": object{"$ref": "#/components/responses/error"}},
	}
	if strings.HasPrefix(r.Pattern, "POST ") {
		out["requestBody"] = object{"required": true, "content": jsonOf(object{"type": "object"})}
		out["responses"] = object{"202": ok, "default": object{"$ref": "#/components/responses/error"}}
	}
	if r.Access == Changing {
		out["security"] = []object{{"token": []string{}}}
	}
	return out
}

var inPath = regexp.MustCompile(`\{(\w+)\}`)

// schemaOf returns the JSON schema of a type as encoding/json writes it. Only fields with omitempty
// or omitzero may be missing; other fields than those of the type never occur.
func schemaOf(t reflect.Type) object {
	switch {
	case t.Kind() == reflect.Pointer:
		s := schemaOf(t.Elem())
		s["type"] = []any{s["type"], "null"}
		return s
	case t.PkgPath() == "time" && t.Name() == "Time":
		return object{"type": "string", "format": "date-time"}
	}
	switch t.Kind() {
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Slice:
		return object{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Array:
		return object{"type": "array", "items": schemaOf(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Struct:
		return structSchema(t)
	}
	return object{"type": "string"}
}

func structSchema(t reflect.Type) object {
	properties, required := object{}, []string{}
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		properties[name] = schemaOf(t.Field(i).Type)
		if !strings.HasPrefix(options, "omit") {
			required = append(required, name)
		}
	}
	return object{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}
