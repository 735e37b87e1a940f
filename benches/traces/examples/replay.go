// A timer queue on container/heap, which replays the trace on its standard input: go run replay.go TICK_NS
package main

import (
	"bufio"
	"container/heap"
	"fmt"
	"os"
	"strconv"
)

type timer struct{ line, turn int } // its turn is 0 while it is not pending

type entry struct {
	deadline, turn int
	timer          *timer
}

// Of equal deadlines, the one that was set first has the smaller turn, and expires first.
type entries []entry

func (e entries) Len() int      { return len(e) }
func (e entries) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e entries) Less(i, j int) bool {
	return e[i].deadline < e[j].deadline || e[i].deadline == e[j].deadline && e[i].turn < e[j].turn
}
func (e *entries) Push(x any) { *e = append(*e, x.(entry)) }
func (e *entries) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// To cancel or re-arm leaves an entry behind: one counts if its timer still has its turn.
type timerQueue struct {
	entries
	now, turns int
}

func (q *timerQueue) arm(t *timer, deadline int) {
	q.turns++
	t.turn = q.turns
	heap.Push(&q.entries, entry{max(deadline, q.now+1), t.turn, t})
}

func (q *timerQueue) expire(now int) {
	q.now = max(q.now, now)
	for len(q.entries) > 0 && q.entries[0].deadline <= q.now {
		if first := heap.Pop(&q.entries).(entry); first.timer.turn == first.turn {
			first.timer.turn = 0
			fmt.Println("e", first.timer.line, first.deadline, q.now)
		}
	}
}

func main() {
	tick, _ := strconv.Atoi(os.Args[1])
	queue, timers, latest := timerQueue{}, map[int]*timer{}, 0
	trace := bufio.NewScanner(os.Stdin)
	for line := 1; trace.Scan(); line++ {
		var time, id, deadline int
		var verb string
		if read, _ := fmt.Sscan(trace.Text(), &time, &verb, &id, &deadline); read < 3 {
			continue // a line of the header
		}
		deadline = max(deadline, 0)
		deadline = deadline/tick + min(deadline%tick, 1) // rounded up
		latest = max(latest, deadline)
		queue.expire(time / tick) // rounded down
		if verb == "r" || verb == "c" {
			answer := min(timers[id].turn, 1)
			fmt.Println(verb, line, answer)
			if verb == "c" {
				timers[id].turn = 0
			} else if answer == 0 {
				timers[id] = &timer{line: line}
			}
		}
		if verb == "s" {
			timers[id] = &timer{line: line}
		}
		if verb == "s" || verb == "r" {
			queue.arm(timers[id], deadline)
		}
	}
	queue.expire(max(latest, queue.now+1))
}
