//go:build !race

package main

// everyPage: the distance of the pages that are read.
const everyPage = 1
