package main

import (
	"runtime"
	"sync/atomic"
	"time"
)

const within = 250 * time.Millisecond

// The processor time from when all are filed until all have run. Nothing if a timer was due before
// all were in.
func dispatch(n int, lead time.Duration) figures {
	left, sum := int64(n), int64(0)
	allRan := make(chan struct{})
	r := random{3}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin := time.Now().Add(lead)
	for i := 1; i <= n; i++ {
		task := int64(i)
		later := time.Duration(float64(within) * r.uniform())
		time.AfterFunc(time.Until(begin.Add(later)), func() {
			atomic.AddInt64(&sum, task)
			if atomic.AddInt64(&left, -1) == 0 {
				close(allRan)
			}
		})
	}
	runtime.ReadMemStats(&after)
	waitUntilOthersSleep()
	nanos := nanosOfOthers()
	isInTime := time.Now().Before(begin)
	select {
	case <-allRan:
	case <-time.After(time.Until(begin.Add(within + 10*time.Second))):
	}
	waitUntilOthersSleep()
	nanos = nanosOfOthers() - nanos
	prove(atomic.LoadInt64(&left) == 0 && sum == int64(n)*int64(n+1)/2,
		"not each of the timers ran once: %d of %d are left", atomic.LoadInt64(&left), n)
	if !isInTime {
		return nil
	}
	return figures{
		"ns_per_operation":             float64(nanos) / float64(n),
		"operations":                   n,
		"allocations_per_schedule":     float64(after.Mallocs-before.Mallocs) / float64(n),
		"allocated_bytes_per_schedule": float64(after.TotalAlloc-before.TotalAlloc) / float64(n),
	}
}

func measureDispatch(of benchCase) figures {
	const timersAtWarmUp = 100_000
	var told figures
	for _, n := range []int{timersAtWarmUp, of.n} {
		lead := 300*time.Millisecond + time.Duration(n)*2*time.Microsecond
		for told = dispatch(n, lead); told == nil; told = dispatch(n, lead) {
			lead *= 2
		}
	}
	return told
}
