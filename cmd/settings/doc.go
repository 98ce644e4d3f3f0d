// Package settings fills a struct with what a user set, by flags, by environment variables and by a
// YAML file, over the defaults that stand in the struct. It also turns the struct into help texts
// and into an example file.
//
// # Goals
//
// Names, helps and defaults are written down once, in tags and one literal:
//
//	type Config struct {
//		MaxDepth int `name:"max-depth" help:"links from a seed at most"`
//	}
//
// is set by --max-depth 3, by MILLRACE_MAX_DEPTH=3 and by "max-depth: 3".
//
// # How it works
//
// Flags win over variables, and variables over the file. A tag short:"n" gives the flag a second
// name of one letter. A tag secret:"yes" keeps it off command lines, where other people of the
// machine see it: it is set by its variable or in the file, and a flag of its name is an error that
// says so. Without variables and file, an empty flag is an error: --host "$HOST" with HOST not set
// must not mean every host. A tag empty:"yes" allows it. The fields of an embedded struct are
// settings like the others.
//
// # Promises
//
// A name that nobody knows is an error with the nearest one that is known. A value that cannot be
// says what was expected and where it came from (flag, variable, or line of the file). A source of
// lower rank never changes what one of higher rank has set.
//
// # On failure
//
// The struct may have been filled in part; do not use it.
//
// # Limits
//
// Fields are strings, bools, ints, int64s, durations and lists of strings; keys of the file are not
// nested. Elements of a list hold no comma. An empty variable counts as not set. Of the variables
// with our prefix only near misses are errors: Kubernetes gives a container MILLRACE_SERVICE_HOST
// and the like if a service has our name.
package settings
