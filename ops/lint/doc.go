// Package lint holds the rules of how millrace is built, as tests: who may import
// whom, what may not be at package level, and how long the story of one URL may
// be. It turns the source tree into failures with the rule that was broken.
//
// Caveats: package-level variables are judged by their declarations and by
// assignments in the same package; a pointer that escapes is not seen.
package lint
