package main

import (
	"runtime"
	"time"
)

// What lives on the heap after a collection; two of them also end what the first one has begun.
func liveBytes() (bytes, mallocs uint64) {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc, stats.Mallocs
}

func memoryUse(of benchCase) figures {
	timers := make(pending, 0, of.n+1) // so that each can be proved pending; is not counted
	timers = append(timers, time.AfterFunc(30*time.Minute, doNothing))
	r := random{1}
	withTheFirst, mallocs := liveBytes()
	for i := 0; i < of.n; i++ {
		timer := time.AfterFunc(inOneToTwoHours(&r), doNothing)
		if of.workload == "after_cancel" {
			prove(timer.Stop(), "a pending timer was not cancelled")
		} else {
			timers = append(timers, timer)
		}
	}
	all, mallocsThen := liveBytes()
	timers.stop()
	return figures{
		"bytes_per_timer":           (float64(all) - float64(withTheFirst)) / float64(of.n),
		"allocations_per_operation": float64(mallocsThen-mallocs) / float64(of.n),
		"operations":                of.n,
	}
}

func measureMemory(of benchCase) figures {
	memoryUse(of) // The second time the runtime has all that it makes once.
	return memoryUse(of)
}
