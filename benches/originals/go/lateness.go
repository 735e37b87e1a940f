package main

import (
	"math"
	"sort"
	"sync/atomic"
	"time"
)

// When timers are to be scheduled and when they are due, from the beginning and in the order of the
// calls. Of what is due in the window the figures are; what is due after it stays pending.
type plan struct {
	calls, dues            []time.Duration
	windowBegin, windowEnd time.Duration
}

func planAhead(n int, lead, within time.Duration) plan {
	r := random{3}
	calls, dues := make([]time.Duration, n), make([]time.Duration, n)
	p := plan{calls: calls, dues: dues, windowEnd: math.MaxInt64}
	for i := range p.dues {
		p.dues[i] = lead + time.Duration(float64(within)*r.uniform())
	}
	return p
}

func steadyPlan(
	callsASecond int, delay func(*random) time.Duration, lead, length time.Duration,
) plan {
	const past = time.Second // Hardly a delay is longer.
	r := random{0}
	p := plan{windowBegin: lead + 100*time.Millisecond}
	p.windowEnd = p.windowBegin + length
	for i := 0; ; i++ {
		call := lead - past + time.Second*time.Duration(i)/time.Duration(callsASecond)
		if call >= p.windowEnd {
			return p
		}
		due := call + delay(&r)
		if due < lead {
			continue // It has run.
		}
		if call < lead {
			call = 0
		}
		if due >= p.windowEnd {
			due += time.Hour
		}
		p.calls, p.dues = append(p.calls, call), append(p.dues, due)
	}
}

func planOf(of benchCase, lead time.Duration) plan {
	const million = 1_000_000
	length, ofBallast := 400*time.Millisecond, 400*time.Millisecond
	if of.n >= million {
		length = 2 * time.Second
	}
	if of.n >= 10*million {
		ofBallast = 2 * time.Second
	}
	switch of.workload {
	case "uniform":
		return steadyPlan(of.n, uniformDelay, lead, length)
	case "exponential":
		return steadyPlan(of.n, exponentialDelay, lead, length)
	case "ballast":
		return steadyPlan(10_000, uniformDelay, lead, ofBallast)
	case "burst":
		const tick = 100 * time.Millisecond
		return planAhead(of.n, (lead/tick+1)*tick+55_500*time.Microsecond, 0)
	case "within_3s":
		return planAhead(of.n, lead, 3*time.Second)
	}
	prove(false, "there is no workload %s", of.workload)
	return plan{}
}

// What became of a timer: times from the beginning. One that did not start has 0.
type planned struct{ due, started, lag time.Duration }

// Runs a plan, which stands whatever the runtime does. Returns the timers that were due in the
// window, the lags of the calls in it, and its processor time. Nothing if something was due before
// all was in that was to be scheduled at once.
func runPlan(p plan) (runs []planned, lags []time.Duration, lagged bool, nanos int64) {
	all := make([]planned, len(p.calls))
	var ran, ranAgain, toRun int64
	var staying pending
	firstDue := time.Duration(math.MaxInt64)
	isInWindow, beganInTime := false, true
	begin := time.Now()
	for i := range all {
		if !isInWindow && p.calls[i] >= p.windowBegin {
			isInWindow = true
			nanos = nanosOfOthers()
		}
		timer := &all[i]
		timer.due = p.dues[i]
		for left := p.calls[i] - time.Since(begin); left > 0; left = p.calls[i] - time.Since(begin) {
			time.Sleep(left)
		}
		handle := time.AfterFunc(timer.due-time.Since(begin), func() {
			now := time.Since(begin)
			if timer.started != 0 {
				atomic.AddInt64(&ranAgain, 1)
			}
			timer.started = now
			atomic.AddInt64(&ran, 1)
		})
		now := time.Since(begin)
		timer.lag = now - p.calls[i]
		lagged = lagged || now > timer.due
		if timer.due >= p.windowEnd {
			staying = append(staying, handle)
		} else {
			toRun++
		}
		if timer.due < firstDue {
			firstDue = timer.due
		}
	}
	hasEnd := p.windowEnd != math.MaxInt64
	if hasEnd {
		time.Sleep(p.windowEnd - time.Since(begin))
		nanos = nanosOfOthers() - nanos
	}
	waitFor(toRun, &ran)
	if !hasEnd {
		waitUntilOthersSleep()
		nanos = nanosOfOthers() - nanos
	}
	staying.stop()
	prove(atomic.LoadInt64(&ran) == toRun && ranAgain == 0,
		"of %d timers %d ran, and %d ran again", toRun, ran, ranAgain)
	for i, timer := range all {
		beganInTime = beganInTime && (p.calls[i] > 0 || timer.lag <= firstDue)
		if p.calls[i] >= p.windowBegin {
			lags = append(lags, timer.lag)
		}
		if timer.due >= p.windowBegin && timer.due < p.windowEnd {
			prove(timer.started >= timer.due, "a timer ran %v before its deadline", timer.due-timer.started)
			runs = append(runs, timer)
		}
	}
	if !beganInTime {
		return nil, nil, false, 0
	}
	return runs, lags, lagged, nanos
}

// Waits until so many ran, for as long as some do each minute.
func waitFor(expected int64, ran *int64) {
	most, lastProgress := int64(-1), time.Now()
	for time.Since(lastProgress) < time.Minute {
		now := atomic.LoadInt64(ran)
		if now == expected {
			return
		}
		if now > most {
			most, lastProgress = now, time.Now()
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// How many timers at most waited at the same time, and slices of 50 ms from the first deadline on:
// their beginnings in ms, how many wait at their end, and the p99 of the lateness of what started.
func backlogs(runs []planned) (most int, overTime [][3]any) {
	dues := make([]time.Duration, len(runs))
	for i, run := range runs {
		dues[i] = run.due
	}
	sort.Slice(dues, func(a, b int) bool { return dues[a] < dues[b] })
	started := append([]planned{}, runs...)
	sort.Slice(started, func(a, b int) bool { return started[a].started < started[b].started })
	for i, done := 0, 0; i < len(dues); i++ {
		for done < len(started) && started[done].started <= dues[i] {
			done++
		}
		if waiting := i + 1 - done; waiting > most {
			most = waiting
		}
	}
	const length = 50 * time.Millisecond
	wereDue, hadStarted := 0, 0
	for begin := time.Duration(0); hadStarted < len(started); begin += length {
		end := dues[0] + begin + length
		var late []time.Duration
		for ; hadStarted < len(started) && started[hadStarted].started < end; hadStarted++ {
			late = append(late, started[hadStarted].started-started[hadStarted].due)
		}
		for wereDue < len(dues) && dues[wereDue] < end {
			wereDue++
		}
		slice := [3]any{begin / time.Millisecond, wereDue - hadStarted, nil}
		if late != nil {
			slice[2] = spansOf(late).at(0.99)
		}
		overTime = append(overTime, slice)
	}
	return most, overTime
}

func measureLateness(of benchCase) figures {
	for i := 0; i < 3; i++ {
		runPlan(planAhead(50_000, 200*time.Millisecond, 200*time.Millisecond))
	}
	var ballast pending
	if of.workload == "ballast" {
		ballast = newPending(of.n, 7)
		waitUntilOthersSleep()
	}
	lead := 50*time.Millisecond + time.Duration(of.n)*2*time.Microsecond
	runs, lags, lagged, nanos := runPlan(planOf(of, lead))
	for ; runs == nil; runs, lags, lagged, nanos = runPlan(planOf(of, lead)) {
		lead *= 2
	}
	ballast.stop()
	late := make([]time.Duration, len(runs))
	for i, run := range runs {
		late[i] = run.started - run.due
	}
	lateness, lag := spansOf(late), spansOf(lags)
	told := figures{
		"ns_per_operation":      lateness.at(0.5),
		"operations":            len(runs),
		"early":                 0,
		"lateness":              lateness.histogram(),
		"generator_lag":         lag.histogram(),
		"generator_lag_p999_ns": lag.at(0.999),
		"generator_lag_max_ns":  lag.at(1),
		"generator_lagged":      0,
		"cpu_ns_per_operation":  float64(nanos) / float64(len(runs)),
	}
	if lagged {
		told["generator_lagged"] = 1
	}
	for name, share := range map[string]float64{
		"p50_ns": 0.5, "p90_ns": 0.9, "p99_ns": 0.99, "p999_ns": 0.999, "p9999_ns": 0.9999, "max_ns": 1,
	} {
		told[name] = lateness.at(share)
	}
	told["max_backlog"], told["over_time"] = backlogs(runs)
	return told
}
