//go:build race

package main

// everyPage: the race detector takes ten times as long.
const everyPage = 8
