package main

import (
	"math"
	"sort"
	"time"
)

// Sorted.
type spans []time.Duration

func spansOf(times []time.Duration) spans {
	prove(len(times) > 0, "nothing was timed")
	sorted := append(spans{}, times...)
	sort.Slice(sorted, func(a, b int) bool { return sorted[a] < sorted[b] })
	return sorted
}

func (of spans) at(share float64) time.Duration {
	return of[int(share*float64(len(of)-1))]
}

// Each bin in which there is something: its lower edge in ns, and how many are in it. A bin is 4.9%
// wide; the first one takes all below 1 µs, the last one all from 100 s.
func (of spans) histogram() [][2]int64 {
	const leastEdge, binsADecade, bins = 1e3, 48, 8 * 48
	var counts [bins + 2]int64
	for _, span := range of {
		bin := 0
		if span >= leastEdge {
			bin = 1 + int(math.Min(math.Log10(float64(span)/leastEdge)*binsADecade, bins))
		}
		counts[bin]++
	}
	var filled [][2]int64
	for bin, count := range counts {
		edge := leastEdge * math.Pow(10, float64(bin-1)/binsADecade)
		if bin == 0 {
			edge = 0
		}
		if count > 0 {
			filled = append(filled, [2]int64{int64(math.Round(edge)), count})
		}
	}
	return filled
}

// Of an even number of values, the mean of the two in the middle.
func median(values []float64) float64 {
	sorted := append([]float64{}, values...)
	sort.Float64s(sorted)
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
