// Package figures has what reports of several bench programs print: quantiles of times, and how
// busy the machine was.
package figures

import (
	"os"
	"slices"
	"strings"
	"time"
)

// Quantile returns the quantile q (0 to 1) of a list that is not empty, by the nearest rank,
// rounded to 10 ms. It sorts the list.
func Quantile(list []time.Duration, q float64) time.Duration {
	slices.Sort(list)
	return list[min(len(list)-1, int(q*float64(len(list))))].Round(10 * time.Millisecond)
}

// LoadAverage returns the load of the machine over the last 1, 5 and 15 minutes, as Linux has it; a
// question mark elsewhere.
func LoadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if words := strings.Fields(string(text)); err == nil && len(words) >= 3 {
		return strings.Join(words[:3], " ")
	}
	return "?"
}
