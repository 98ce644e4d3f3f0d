// Package onerun runs one plan of the simulator: the processes of a cluster, as cmd/wire
// puts them together, against a broker, a store and a web in this process.
package onerun
