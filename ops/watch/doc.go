// Package watch turns what a process knows of the pipeline (positions in the log, its counters, the
// frontier, the index) into one Report: for each group how far it is behind, how fast it is, when
// it will have caught up, and in words why.
//
// # Goals
//
// Every printer of the project's state shows the same numbers: dashboard, JSON, Prometheus,
// `millrace lag` and the progress line all read a Report.
//
// # How it works
//
// A Watch reads its Sources when a Report is asked for, and samples the positions every two seconds
// into a history, from which it computes rates. judge gives each group a State and a sentence.
//
// # Promises
//
// Rates come from positions in the log, so they are right for a group over all of its processes. At
// most one reading is in progress, and a Report is at most Options.Fresh old. Memory is bounded:
// ten minutes of all samples, a day of one sample per minute.
//
// # On failure
//
// What cannot be read is missing from the Report and named in its Errors; the rest is there.
//
// # Limits
//
// The history begins with the process, and so do the ages of records. Counters of drops are those
// of all processes; after kill -9 those of the last two seconds are missing. Transaction markers
// have offsets, so rates of a transactional topic are a little high; lag is not.
package watch
