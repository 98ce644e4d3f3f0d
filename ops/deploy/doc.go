// Package deploy holds what runs millrace elsewhere: a Dockerfile, systemd units, plain Kubernetes
// manifests with KEDA, and alert rules for Prometheus. It has no code, only a test that they name
// groups and metrics that exist.
//
// Goals: a start that works, to be read and changed.
//
// How it works: docs/deploy.md says how each is used, and with which tools it was checked.
//
// Promises: every group of the map has a workload; every metric in a rule is one of ours.
//
// On failure: the test says which name is wrong.
//
// Limits: there is no Helm chart and no Grafana dashboard yet.
package deploy
