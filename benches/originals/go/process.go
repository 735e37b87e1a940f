package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The threads of this process, but the calling one.
func otherThreads() []string {
	threads, err := filepath.Glob("/proc/self/task/*")
	check(err)
	self := "/proc/self/task/" + strconv.Itoa(syscall.Gettid())
	others := threads[:0]
	for _, thread := range threads {
		if thread != self {
			others = append(others, thread)
		}
	}
	return others
}

// Whether a thread is on a core, or waits for one. One that has just ended is not.
func isAtWork(thread string) bool {
	stat, _ := os.ReadFile(thread + "/stat")
	nameEnd := bytes.LastIndex(stat, []byte(") "))
	return nameEnd >= 0 && strings.ContainsRune("RD", rune(stat[nameEnd+2]))
}

// Waits until no other thread is at work: then all is done, and processor times are exact.
func waitUntilOthersSleep() {
	for anyAtWork := true; anyAtWork; {
		time.Sleep(50 * time.Microsecond)
		anyAtWork = false
		for _, thread := range otherThreads() {
			anyAtWork = anyAtWork || isAtWork(thread)
		}
	}
}

// The processor time of all but the calling thread, in ns. Exact while they sleep.
func nanosOfOthers() int64 {
	var sum int64
	for _, thread := range otherThreads() {
		if fields := wordsOf(thread + "/schedstat"); len(fields) > 0 {
			nanos, err := strconv.ParseInt(fields[0], 10, 64)
			check(err)
			sum += nanos
		}
	}
	return sum
}

// How often all but the calling thread slept, or had to leave their core.
func switchesOfOthers() (voluntary, involuntary int64) {
	for _, thread := range otherThreads() {
		fields := wordsOf(thread + "/status")
		for i, word := range fields {
			switch word {
			case "voluntary_ctxt_switches:":
				voluntary += number(fields[i+1])
			case "nonvoluntary_ctxt_switches:":
				involuntary += number(fields[i+1])
			}
		}
	}
	return voluntary, involuntary
}

func wordsOf(file string) []string {
	content, _ := os.ReadFile(file)
	return strings.Fields(string(content))
}

func number(text string) int64 {
	value, err := strconv.ParseInt(text, 10, 64)
	check(err)
	return value
}
