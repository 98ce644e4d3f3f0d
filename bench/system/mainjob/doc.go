// Package mainjob is the main job on real pages, as a test: millrace crawls sites
// made of Debian documentation packages, and what it fetched is compared with an
// independent walk, what it finds with phrases cut from the pages by other code.
package mainjob
