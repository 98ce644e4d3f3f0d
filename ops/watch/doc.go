// Package watch turns what a process knows of the pipeline (positions in the log,
// its meter, the frontier, the index) into one Report: per group how much it is
// behind, how fast it goes, when it will be done, and in words why.
//
// Every printer of the project's state reads this one Report: dashboard, JSON,
// Prometheus, `millrace lag`, the progress line.
//
// Promises: rates come from positions in the log, so they hold for a group over
// all of its processes; at most one read is under way, and a Report is at most
// Options.Fresh old; memory is bounded (ten minutes at full resolution, a day by
// the minute).
//
// On failure: what cannot be read is missing from the Report and named in its
// Errors; the rest stands.
//
// Limits: history begins with the process, and so do ages of records. Counters of drops are those
// of all processes; after kill -9 those of the last two seconds are missing. Transaction markers
// are offsets, so rates of a transactional topic are a little high; lag is not.
package watch
