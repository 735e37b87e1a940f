package main

import (
	"sync"
	"time"
)

// Of all threads of the runtime but the one that watches: timers have none of their own.
func measureIdle(of benchCase) figures {
	var some sync.WaitGroup
	for i := 0; i < 8; i++ {
		some.Add(1)
		time.AfterFunc(0, some.Done)
	}
	some.Wait()
	var timers pending
	if of.workload == "one_timer_in_an_hour" {
		timers = pending{time.AfterFunc(time.Hour, doNothing)}
	}
	time.Sleep(200 * time.Millisecond)
	begin, nanos := time.Now(), nanosOfOthers()
	voluntary, involuntary := switchesOfOthers()
	time.Sleep(time.Duration(of.n) * time.Second)
	nanos = nanosOfOthers() - nanos
	voluntaryThen, involuntaryThen := switchesOfOthers()
	seconds := time.Since(begin).Seconds()
	timers.stop()
	return figures{
		"ns_per_operation":                float64(nanos) / seconds,
		"operations":                      seconds,
		"cpu_ms_per_second":               float64(nanos) * 1e-6 / seconds,
		"voluntary_switches_per_second":   float64(voluntaryThen-voluntary) / seconds,
		"involuntary_switches_per_second": float64(involuntaryThen-involuntary) / seconds,
	}
}
