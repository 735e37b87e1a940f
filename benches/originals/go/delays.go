package main

import (
	"math"
	"time"
)

// Random numbers that are the same everywhere, and those of our benches: SplitMix64.
type random struct{ state uint64 }

func (r *random) next() uint64 {
	r.state += 0x9E3779B97F4A7C15
	mixed := r.state
	mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9
	mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB
	return mixed ^ (mixed >> 31)
}

// Uniform in (0, 1).
func (r *random) uniform() float64 {
	return (float64(r.next()>>12) + 0.5) / (1 << 52)
}

// Brings a list into random order (Fisher and Yates).
func (r *random) shuffle(values []int) {
	for left := len(values); left > 1; left-- {
		other := r.next() % uint64(left)
		values[left-1], values[other] = values[other], values[left-1]
	}
}

const leastDelay = 10 * time.Millisecond

// Uniform from 10 ms to 1 s.
func uniformDelay(r *random) time.Duration {
	return leastDelay + time.Duration(float64(time.Second-leastDelay)*r.uniform())
}

// 10 ms or more, 100 ms on average.
func exponentialDelay(r *random) time.Duration {
	return leastDelay - time.Duration(float64(100*time.Millisecond-leastDelay)*math.Log(r.uniform()))
}

// Uniform from one to two hours: of what is to be pending all along.
func inOneToTwoHours(r *random) time.Duration {
	return time.Hour + time.Duration(float64(time.Hour)*r.uniform())
}

func doNothing() {}

// Timers that are to be pending in the end: the runtime does not count them.
type pending []*time.Timer

func newPending(n int, seed uint64) pending {
	r := random{seed}
	timers := make(pending, n)
	for i := range timers {
		timers[i] = time.AfterFunc(inOneToTwoHours(&r), doNothing)
	}
	return timers
}

// Stops all of them; each must have been pending.
func (timers pending) stop() {
	stopped := 0
	for _, timer := range timers {
		if timer.Stop() {
			stopped++
		}
	}
	prove(stopped == len(timers), "%d timers should be pending in the end, and %d are",
		len(timers), stopped)
}
