// SPDX-License-Identifier: MIT

// Computes on all CPUs, as Go programs do: a static binary that no preloaded library reaches.
package main

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
)

const chunk = 20000

func sum(first uint64) (total uint64) {
	var text [8]byte
	for n := first; n < first+chunk; n++ {
		binary.LittleEndian.PutUint64(text[:], n)
		hash := sha256.Sum256(text[:])
		total += uint64(hash[0])
	}
	return total
}

func main() {
	chunks, err := strconv.ParseUint(os.Args[1], 10, 64)
	if err != nil {
		fmt.Fprintln(os.Stderr, "usage: count CHUNKS")
		os.Exit(2)
	}
	work := make(chan uint64)
	totals := make(chan uint64, runtime.GOMAXPROCS(0))
	var workers sync.WaitGroup
	for i := 0; i < runtime.GOMAXPROCS(0); i++ {
		workers.Add(1)
		go func() {
			defer workers.Done()
			var total uint64
			for first := range work {
				total += sum(first)
			}
			totals <- total
		}()
	}
	for n := uint64(0); n < chunks; n++ {
		work <- n * chunk
	}
	close(work)
	workers.Wait()
	close(totals)
	var total uint64
	for one := range totals {
		total += one
	}
	fmt.Println(total)
}
