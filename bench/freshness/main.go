package main

import (
	"flag"
	"fmt"
)

type scenario struct {
	name  string
	model model
}

func scenarios() []scenario {
	with := func(name string, change func(*model)) scenario {
		m := defaultModel()
		change(&m)
		return scenario{name, m}
	}
	return []scenario{
		with("uniform weights", func(m *model) {}),
		with("Pareto weights", func(m *model) { m.Pareto = true }),
		with("5 % restless", func(m *model) { m.Restless = .05 }),
		with("20 % daily", func(m *model) { m.Daily = .2 }),
		with("honest dates, half", func(m *model) { m.Honest = .5 }),
		with("honest dates, all", func(m *model) { m.Honest = 1 }),
		with("lies only", func(m *model) { m.Lies = 1 }),
		with("half + .2 lies", func(m *model) { m.Honest, m.Lies = .5, .2 }),
	}
}

func main() {
	seeds := flag.Int("seeds", 1, "made-up webs")
	flag.Parse()
	for _, sc := range scenarios() {
		m := sc.model
		for _, mk := range []func() rule{func() rule { return &shipped{} }} {
			fmt.Printf("%-20s %-20s", sc.name, mk().name())
			for _, x := range []float64{.2, .5, 1, 2} {
				var fresh, best, age, used, wrong float64
				n := 0.0
				for seed := range *seeds {
					for k := range m.Hosts {
						h := newHost(&m, uint64(seed), uint64(k), x)
						f, all := bestFreshness(h)
						best += f / all
						t := simulate(mk(), h)
						fresh += t.fresh / t.all
						age += t.age / t.all
						used += t.fetches / (h.budget * (m.Days - m.From))
						wrong += t.wrong / t.fetches
						n++
					}
				}
				fmt.Printf(" %.3f (age %.2f used %.2f wrong %.2f)", fresh/best, age/n, used/n, wrong/n)
			}
			fmt.Println()
		}
	}
}
