// Package deploy holds what runs millrace elsewhere: a Dockerfile, systemd units, a Helm chart with
// KEDA, alert rules for Prometheus and a dashboard for Grafana. It has no code, only tests.
//
// # Goals
//
// A start that works, to be read and changed.
//
// # How it works
//
// docs/deploy.md says how each is used, and with which tools it was checked.
//
// # Promises
//
// Every group of the map has a workload; every metric in a rule or panel is one of ours; the chart
// follows its values.
//
// # On failure
//
// The test says which name is wrong.
//
// # Limits
//
// Neither a Kubernetes nor a Grafana has run them here.
package deploy
