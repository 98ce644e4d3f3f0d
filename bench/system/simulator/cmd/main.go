// Command cmd runs the simulator.
//
//	go run ./bench/system/simulator/cmd -for 8h        as many seeds as fit, from -from on
//	go run ./bench/system/simulator/cmd -seed 17       one seed, with all that happened
//	go run ./bench/system/simulator/cmd -seed 17 -shrink   with the shortest list of faults
//	go run ./bench/system/simulator/cmd -kinds clock,kill  with faults of these kinds alone
//	go run ./bench/system/simulator/cmd -plan p.json   a plan from a file ("-plan print" prints that of -seed)
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"millrace/bench/system/simulator"
	"millrace/bench/system/simulator/plan"
)

type flags struct {
	seed, from uint64
	n          uint64
	last       time.Duration
	shrink     bool
	plan       string
	kinds      string
}

func main() {
	var f flags
	flag.Uint64Var(&f.seed, "seed", 0, "run this seed alone")
	flag.Uint64Var(&f.from, "from", 1, "first seed")
	flag.Uint64Var(&f.n, "n", 0, "how many seeds; 0: until -for is over")
	flag.DurationVar(&f.last, "for", time.Minute, "how long")
	flag.BoolVar(&f.shrink, "shrink", false, "shorten the list of faults of a seed that fails")
	flag.StringVar(&f.plan, "plan", "", "run the plan in this file; print: print the plan of -seed")
	flag.StringVar(&f.kinds, "kinds", "", "draw faults of these kinds alone, with commas between")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	bad, err := f.run(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil || bad > 0 {
		os.Exit(1)
	}
}

// draw makes the plan of a seed.
func (f flags) draw(seed uint64) plan.Plan {
	if f.kinds == "" {
		return plan.New(seed)
	}
	var kinds []plan.Kind
	for k := range strings.SplitSeq(f.kinds, ",") {
		kinds = append(kinds, plan.Kind(k))
	}
	return plan.Of(seed, kinds)
}

// check refuses kinds that there are not.
func (f flags) check() error {
	for k := range strings.SplitSeq(f.kinds, ",") {
		if k != "" && !slices.Contains(plan.Kinds(), plan.Kind(k)) {
			return fmt.Errorf("-kinds: no kind %q; there are %v", k, plan.Kinds())
		}
	}
	return nil
}

// run returns how many runs broke an invariant.
func (f flags) run(ctx context.Context) (int, error) {
	if err := f.check(); err != nil {
		return 0, err
	}
	if f.plan == "print" {
		b, err := json.MarshalIndent(f.draw(f.seed), "", "  ")
		fmt.Println(string(b))
		return 0, err
	}
	dir := filepath.Join(os.TempDir(), "millrace-simulator")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, err
	}
	own, err := os.MkdirTemp(dir, "runs-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(own)
	program, err := simulator.Build(ctx, dir, own, false)
	if err != nil {
		return 0, err
	}
	r := simulator.Runner{Program: program, Dir: own}
	switch {
	case f.plan != "":
		return f.file(ctx, r)
	case f.seed != 0:
		return f.one(ctx, r, f.draw(f.seed))
	}
	return f.many(ctx, r)
}

func (f flags) file(ctx context.Context, r simulator.Runner) (int, error) {
	b, err := os.ReadFile(f.plan)
	if err != nil {
		return 0, err
	}
	var p plan.Plan
	if err := json.Unmarshal(b, &p); err != nil {
		return 0, fmt.Errorf("%s: %w", f.plan, err)
	}
	return f.one(ctx, r, p)
}

func (f flags) one(ctx context.Context, r simulator.Runner, p plan.Plan) (int, error) {
	r.Verbose = !f.shrink
	res, err := r.Run(ctx, p)
	if err != nil {
		return 0, err
	}
	if f.shrink && len(res.Offences) > 0 {
		if res, err = r.Shrink(ctx, res, func(s string) { fmt.Println(s) }); err != nil {
			return 1, err
		}
	}
	fmt.Print(res.Output)
	return len(res.Offences), show(res)
}

func (f flags) many(ctx context.Context, r simulator.Runner) (int, error) {
	end := time.Now().Add(f.last)
	seeds := make(chan uint64)
	go func() {
		defer close(seeds)
		for s := f.from; f.n == 0 || s < f.from+f.n; s++ {
			if f.n == 0 && time.Now().After(end) {
				return
			}
			select {
			case seeds <- s:
			case <-ctx.Done():
				return
			}
		}
	}()
	done, bad, spent := 0, 0, time.Duration(0)
	var failed error
	err := r.Plans(ctx, f.draw, seeds, func(res simulator.Result) {
		spent += res.CPU
		if done++; len(res.Offences) > 0 {
			bad++
			failed = errors.Join(failed, show(res))
		}
	})
	fmt.Printf("%d runs, %d broke an invariant; %s of a processor\n", done, bad, spent.Round(time.Second))
	return bad, errors.Join(err, failed)
}

// show prints a result as a report of it would be written.
func show(res simulator.Result) error {
	fmt.Printf("%s%s simulated, %d offences\n", res.Plan, res.Took, len(res.Offences))
	for _, o := range res.Offences {
		fmt.Printf("  %.400s\n", o)
	}
	if len(res.Offences) == 0 {
		return nil
	}
	b, err := json.Marshal(res.Plan)
	fmt.Printf("  plan: %s\n\n", b)
	return err
}
