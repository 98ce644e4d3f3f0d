package simulator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"millrace/bench/system/simulator/onerun"
	"millrace/bench/system/simulator/plan"
)

// realBound is how long one run may take by the machine's clock, where it waits for something
// outside the simulation. What computes for ever ends sooner, by the processor's time: see package
// onerun.
const realBound = 15 * time.Minute

// Result holds the offences of the run of one plan.
type Result struct {
	plan.Plan
	Offences []string      // none: all invariants hold
	Took     time.Duration // simulated
	CPU      time.Duration // of a processor
	Output   string        // what happened when, if there are offences
}

// Runner runs plans with the program that Build made.
type Runner struct {
	Program string
	Dir     string // for the files of runs
	Verbose bool   // output also of good runs
}

// Run runs one plan in a process of its own, so that a hang or a panic is one run's.
func (r Runner) Run(ctx context.Context, p plan.Plan) (Result, error) {
	dir, err := os.MkdirTemp(r.Dir, "run-")
	if err != nil {
		return Result{}, err
	}
	defer os.RemoveAll(dir)
	b, err := json.Marshal(p)
	if err != nil {
		return Result{}, err
	}
	file := filepath.Join(dir, "plan.json")
	if err := os.WriteFile(file, b, 0o600); err != nil {
		return Result{}, err
	}
	cmd := exec.CommandContext(ctx, r.Program, "-test.run=^TestPlan$", "-test.v", "-test.timeout="+realBound.String())
	cmd.Dir = dir
	// A run lives for two seconds of a processor. Collecting garbage less often saves an eighth of
	// that.
	cmd.Env = append(os.Environ(), "MILLRACE_PLAN="+file, "TMPDIR="+dir, "GOMAXPROCS=1", "GOGC=400", "GOMEMLIMIT=512MiB")
	if r.Verbose {
		cmd.Env = append(cmd.Env, "MILLRACE_PLAN_LOG=1")
	}
	out, failed := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	res, err := judge(p, file+".verdict", string(out), failed)
	if end := cmd.ProcessState; end != nil { // nil: the program did not start
		res.CPU = end.UserTime() + end.SystemTime()
	}
	return res, err
}

// judge reads the verdict. A run that wrote none, or failed after it, ended by a panic, a
// deadlock, a goroutine that is left, or the bound.
func judge(p plan.Plan, file, out string, failed error) (Result, error) {
	res := Result{Plan: p, Output: out}
	b, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		res.Offences = []string{"did not come to an end (hang, panic, or a goroutine that is left): " + why(out)}
		return res, nil
	}
	if err != nil {
		return res, err
	}
	var v onerun.Verdict
	if err := json.Unmarshal(b, &v); err != nil {
		return res, err
	}
	res.Offences, res.Took = v.Offences, v.Took
	if failed != nil && len(res.Offences) == 0 {
		res.Offences = []string{"the run failed after its end: " + why(out)}
	}
	return res, nil
}

// Stacks returns where the run's goroutines stood if it did not end, at most 20 kB; else nothing.
func (r Result) Stacks() string {
	at := strings.Index(r.Output, "SIGXCPU")
	if at < 0 {
		return ""
	}
	return r.Output[at:min(len(r.Output), at+20_000)]
}

// why is the line of a Go program's last words that says most.
func why(out string) string {
	for line := range strings.SplitSeq(out, "\n") {
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") || strings.Contains(line, "DATA RACE") || strings.HasPrefix(line, "SIGXCPU") {
			return line
		}
	}
	return out[max(0, len(out)-300):]
}

// Seeds runs the plans of seeds (plan.New) until the channel is closed or ctx ends, as many at a
// time as there are processors, and calls each with every result.
func (r Runner) Seeds(ctx context.Context, seeds <-chan uint64, each func(Result)) error {
	return r.Plans(ctx, plan.New, seeds, each)
}

// Plans is Seeds with plans that draw makes of seeds.
func (r Runner) Plans(ctx context.Context, draw func(uint64) plan.Plan, seeds <-chan uint64, each func(Result)) error {
	var mu sync.Mutex
	var all sync.WaitGroup
	var failed error
	for range runtime.NumCPU() {
		all.Go(func() {
			for seed := range seeds {
				res, err := r.Run(ctx, draw(seed))
				mu.Lock()
				if err == nil {
					each(res)
				} else if ctx.Err() == nil {
					failed = errors.Join(failed, fmt.Errorf("seed %d: %w", seed, err))
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return failed
}

// Shrink leaves faults out of a plan as long as the same invariant is broken, and then makes
// the rest smaller. log hears of every step.
func (r Runner) Shrink(ctx context.Context, res Result, log func(string)) (Result, error) {
	best := res
	try := func(p plan.Plan) (bool, error) {
		got, err := r.Run(ctx, p)
		if err != nil || !sameKind(res, got) {
			return false, err
		}
		best = got
		log(fmt.Sprintf("still fails with %d faults, %d hosts of %d pages, %d processes", len(p.Faults), p.Hosts, p.Pages, p.Processes))
		return true, nil
	}
	for size := max(1, len(best.Faults)/2); ; size = max(1, size/2) {
		for from := 0; from < len(best.Faults); {
			p := best.Plan
			p.Faults = slices.Delete(slices.Clone(p.Faults), from, min(from+size, len(p.Faults)))
			ok, err := try(p)
			if err != nil {
				return best, err
			}
			if !ok {
				from += size
			}
		}
		if size == 1 {
			break
		}
	}
	return best, smaller(best.Plan, func() plan.Plan { return best.Plan }, try)
}

// smaller tries fewer hosts, pages and partitions.
func smaller(_ plan.Plan, best func() plan.Plan, try func(plan.Plan) (bool, error)) error {
	for _, less := range []func(*plan.Plan){
		func(p *plan.Plan) { p.Hosts = max(1, p.Hosts/2) },
		func(p *plan.Plan) { p.Pages = max(2, p.Pages/2) },
		func(p *plan.Plan) { p.Partitions = max(1, p.Partitions/2) },
		func(p *plan.Plan) { p.Latency = 0 },
	} {
		for range 3 {
			p := best()
			if less(&p); fmt.Sprint(p) == fmt.Sprint(best()) {
				break
			}
			ok, err := try(p)
			if err != nil {
				return err
			}
			if !ok {
				break
			}
		}
	}
	return nil
}

// sameKind reports whether two results break a common invariant: the words up to the first
// colon or parenthesis of an offence.
func sameKind(a, b Result) bool {
	kinds := func(r Result) map[string]bool {
		m := map[string]bool{}
		for _, o := range r.Offences {
			m[o[:max(0, strings.IndexAny(o+":", ":("))]] = true
		}
		return m
	}
	in := kinds(a)
	for k := range kinds(b) {
		if in[strings.TrimSpace(k)] || in[k] {
			return true
		}
	}
	return false
}
