// The timers of Go's runtime, measured as the originals in Java are, by the same words:
//
//	go_timers --measure BENCH SYSTEM WORKLOAD N SECONDS
//
// It prints the figures as JSON. What each bench does is said in ../java/benches, and in
// ../../services. A timer is time.AfterFunc, whose task is a goroutine; Stop cancels it.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
)

type figures map[string]any

// A workload with n timers, and how long it may be measured; it is measured once at least.
type benchCase struct {
	workload string
	n        int
	seconds  float64
}

var benches = map[string]func(benchCase) figures{
	"contention":     measureContention,
	"dispatch":       measureDispatch,
	"lateness":       measureLateness,
	"idle":           measureIdle,
	"service_memory": measureMemory,
}

func main() {
	runtime.LockOSThread() // so that the time of this thread can be told from that of the others
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// What a measurement proved wrong, it panics with.
func run(words []string) (err error) {
	defer func() {
		if wrong, ok := recover().(error); ok {
			err = wrong
		}
	}()
	if len(words) != 6 || words[0] != "--measure" || benches[words[1]] == nil {
		return fmt.Errorf("usage: go_timers --measure BENCH SYSTEM WORKLOAD N SECONDS")
	}
	n, err := strconv.Atoi(words[4])
	check(err)
	seconds, err := strconv.ParseFloat(words[5], 64)
	check(err)
	said := map[string]any{
		"figures":  benches[words[1]](benchCase{words[3], n, seconds}),
		"versions": map[string]string{"go": runtime.Version()},
	}
	return json.NewEncoder(os.Stdout).Encode(said)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func prove(isRight bool, otherwise string, of ...any) {
	if !isRight {
		panic(fmt.Errorf(otherwise, of...))
	}
}
