// Package lint holds the rules of how millrace is built, as tests.
//
// # Goals
//
// A rule that nobody checks is forgotten; one that a test checks is read by whoever breaks it.
//
// # How it works
//
// The tests read the source tree. They check who may import whom and which library, what may stand
// at package level, that a large type says why it is large, that a table is named only by its
// owner, that tests wait on events, that drop reasons and fields of records have words, that
// comments are wrapped and package comments have their headings, and that documents name only what
// is there.
//
// # Promises
//
// A failure names the place, the rule, and what to do instead. Each test fails when it finds
// nothing to check.
//
// # On failure
//
// A file that does not parse fails the tests that read it.
//
// # Limits
//
// Package-level variables are judged by their declarations and by assignments in the same package;
// a pointer that escapes is not seen. The commands below this folder count (sizes, story) and wrap
// (wrap); they judge nothing.
package lint
