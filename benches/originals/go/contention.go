package main

import (
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	callsOfSlice = 3 << 14
	pairs        = 3 // of an untimed slice and a timed one
	slices       = 2*pairs + 1
	callsOfTurn  = slices * callsOfSlice
	warmUpTurns  = 5
	timedOneIn   = 7
)

// Some of the calls.
type part struct{ first, end int }

func sliceAt(number int) part { return part{number * callsOfSlice, (number + 1) * callsOfSlice} }

func (p part) share(sharer, sharers int) part {
	size := p.end - p.first
	return part{p.first + size*sharer/sharers, p.first + size*(sharer+1)/sharers}
}

// Goroutines that make calls at once. Returns from when to when they were at it.
func together(producers int, body func(producer int)) time.Duration {
	var all sync.WaitGroup
	all.Add(producers)
	begins, ends := make([]time.Time, producers), make([]time.Time, producers)
	stillToCome := int64(producers)
	for producer := 0; producer < producers; producer++ {
		go func(producer int) {
			defer all.Done()
			atomic.AddInt64(&stillToCome, -1)
			for atomic.LoadInt64(&stillToCome) > 0 {
				runtime.Gosched()
			}
			begins[producer] = time.Now()
			body(producer)
			ends[producer] = time.Now()
		}(producer)
	}
	all.Wait()
	begin, end := begins[0], ends[0]
	for producer := range begins {
		if begins[producer].Before(begin) {
			begin = begins[producer]
		}
		if ends[producer].After(end) {
			end = ends[producer]
		}
	}
	return end.Sub(begin)
}

// The calls of a turn, which are the same in each.
type calls struct {
	name      string
	producers int
	delays    []time.Duration
	order     []int // random, of a producer within a slice
	timers    []*time.Timer
	refused   int64
}

func newCalls(name string, producers int) *calls {
	c := &calls{name: name, producers: producers,
		delays: make([]time.Duration, callsOfTurn), order: make([]int, callsOfTurn)}
	ofDelays, ofOrder := random{7}, random{11}
	for i := range c.order {
		c.order[i] = i
	}
	for producer := 0; producer < producers; producer++ {
		for slice := 0; slice < slices; slice++ {
			p := sliceAt(slice).share(producer, producers)
			for i := p.first; i < p.end; i++ {
				rank := slice*callsOfSlice + (i-p.first)*producers + producer
				c.delays[i] = c.delay(rank, &ofDelays)
			}
			ofOrder.shuffle(c.order[p.first:p.end])
		}
	}
	return c
}

func (c *calls) delay(rank int, r *random) time.Duration {
	switch c.name {
	case "ascending":
		return 2*time.Hour + time.Duration(rank)*time.Millisecond
	case "descending":
		return 50*time.Minute - time.Duration(rank)*time.Millisecond
	}
	return inOneToTwoHours(r)
}

func (c *calls) schedule(i int) { c.timers[i] = time.AfterFunc(c.delays[i], doNothing) }

// The handle goes, too: then nothing keeps the memory of the timer but the runtime.
func (c *calls) cancel(i int) {
	timer := c.timers[i]
	c.timers[i] = nil
	if !timer.Stop() {
		atomic.AddInt64(&c.refused, 1)
	}
}

func (c *calls) one() func(i int) {
	switch c.name {
	case "schedule", "ascending", "descending":
		return c.schedule
	case "cancel", "cancel_other":
		return func(i int) { c.cancel(c.order[i]) }
	case "schedule_cancel":
		return func(i int) { c.schedule(i); c.cancel(i) }
	}
	prove(false, "there is no workload %s", c.name)
	return nil
}

// Of one call, in ns on average over a slice.
type cost struct{ wall, process float64 }

func (c *calls) costOf(slice part, call func(i int)) cost {
	waitUntilOthersSleep()
	before := nanosOfOthers()
	wall := together(c.producers, func(producer int) {
		p := slice.share(producer, c.producers)
		for i := p.first; i < p.end; i++ {
			call(i)
		}
	})
	waitUntilOthersSleep()
	count := float64(slice.end - slice.first)
	return cost{float64(wall) / count, float64(nanosOfOthers()-before) / count}
}

func (c *calls) p99Of(slice part, call func(i int)) time.Duration {
	times := make([]time.Duration, (slice.end-slice.first-1)/timedOneIn+1)
	c.costOf(slice, func(i int) {
		rank := i - slice.first
		if rank%timedOneIn != 0 {
			call(i)
			return
		}
		begin := time.Now()
		call(i)
		times[rank/timedOneIn] = time.Since(begin)
	})
	return spansOf(times).at(0.99)
}

func (c *calls) turn(ballast int) (costs []cost, p99 time.Duration) {
	c.timers = make([]*time.Timer, callsOfTurn)
	others := newPending(ballast, 3)
	if strings.HasPrefix(c.name, "cancel") {
		for slice := 0; slice < slices; slice++ {
			c.costOf(sliceAt(slice), c.schedule)
		}
	}
	call := c.one()
	for pair := 0; pair < pairs; pair++ {
		c.costOf(sliceAt(2*pair), call)
		costs = append(costs, c.costOf(sliceAt(2*pair+1), call))
	}
	p99 = c.p99Of(sliceAt(2*pairs), call)
	prove(c.refused == 0, "%d timers were not cancelled", c.refused)
	for _, timer := range c.timers {
		if timer != nil {
			others = append(others, timer)
		}
	}
	stays := !strings.Contains(c.name, "cancel")
	prove(len(others) == ballast || (stays && len(others) == ballast+callsOfTurn),
		"%d timers are left of %d calls", len(others)-ballast, callsOfTurn)
	others.stop()
	return costs, p99
}

// A heap in which many timers died in random order. What it returns lives on.
func agedHeap(producers int) pending {
	const count, oneStaysOf = 1_000_000, 16
	timers := make(pending, count)
	together(producers, func(producer int) {
		r := random{uint64(producer)}
		p := part{0, count}.share(producer, producers)
		for i := p.first; i < p.end; i++ {
			timers[i] = time.AfterFunc(inOneToTwoHours(&r), doNothing)
		}
	})
	timers.stop()
	order := make([]int, count)
	for i := range order {
		order[i] = i
	}
	r := random{17}
	r.shuffle(order)
	survivors := make(pending, count/oneStaysOf)
	for i := range survivors {
		survivors[i] = timers[order[i]]
	}
	return survivors
}

func measureContention(of benchCase) figures {
	workload := strings.TrimSuffix(of.workload, "_aged")
	underscore := strings.LastIndexByte(workload, '_')
	producers, err := strconv.Atoi(workload[underscore+1:])
	check(err)
	var memory pending
	if workload != of.workload {
		memory = agedHeap(producers)
	}
	c := newCalls(workload[:underscore], producers)
	for i := 0; i < warmUpTurns; i++ {
		c.turn(1_000)
	}
	var walls, processes, p99s []float64
	sum := 0.0
	for end := time.Now().Add(time.Duration(of.seconds * 1e9)); ; {
		costs, p99 := c.turn(of.n)
		p99s = append(p99s, float64(p99))
		for _, one := range costs {
			walls = append(walls, one.wall)
			processes = append(processes, one.process)
			sum += one.process
		}
		if time.Now().After(end) {
			break
		}
	}
	runtime.KeepAlive(memory)
	return figures{
		"ns_per_operation":          median(walls),
		"cpu_ns_per_operation":      median(processes),
		"mean_cpu_ns_per_operation": sum / float64(len(processes)),
		"p99_ns":                    median(p99s),
		"operations":                len(walls) * callsOfSlice,
		"slices":                    len(walls),
	}
}
