package partition

import (
	"math/bits"
	"slices"
)

// packKeys gives each row one integer such that the order of the integers is the order of the rows' codes, column by
// column, and equal integers mean equal rows. sizes[c] bounds the codes of column c.
func packKeys(columns [][]uint32, sizes []int, n int) []uint64 {
	keys := make([]uint64, n)
	if keyBits(sizes) <= 64 {
		// A chunk at a time, so that it stays in the cache for all columns.
		for lo := 0; lo < n; lo += keyChunk {
			packChunk(keys[lo:min(lo+keyChunk, n)], columns, sizes, lo)
		}
		return keys
	}
	used := 0
	for c, column := range columns {
		width := codeBits(sizes[c])
		if used+width > 64 {
			used = rankKeys(keys)
		}
		for i := range keys {
			keys[i] = keys[i]<<width | uint64(column[i])
		}
		used += width
	}
	return keys
}

const keyChunk = 4096

func codeBits(size int) int { return bits.Len(uint(max(size-1, 0))) }

func keyBits(sizes []int) int {
	total := 0
	for _, size := range sizes {
		total += codeBits(size)
	}
	return total
}

// packChunk fills keys for the rows from lo on.
func packChunk(keys []uint64, columns [][]uint32, sizes []int, lo int) {
	for c, column := range columns {
		width, column := codeBits(sizes[c]), column[lo:lo+len(keys)]
		if c == 0 {
			for i, code := range column {
				keys[i] = uint64(code)
			}
			continue
		}
		for i, code := range column {
			keys[i] = keys[i]<<width | uint64(code)
		}
	}
}

// inOrder reports whether the rows of columns rise strictly.
func inOrder(columns [][]uint32, sizes []int, n int) bool {
	if keyBits(sizes) > 64 {
		return ascending(packKeys(columns, sizes, n))
	}
	var buf [keyChunk]uint64
	for lo := 0; lo < n; lo += keyChunk {
		keys := buf[:min(keyChunk, n-lo)]
		last := buf[keyChunk-1]
		packChunk(keys, columns, sizes, lo)
		if lo > 0 && last >= keys[0] || !ascending(keys) {
			return false
		}
	}
	return true
}

// rankKeys replaces keys by their ranks, which need few bits, and tells how many.
func rankKeys(keys []uint64) int {
	distinct := slices.Clone(keys)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	for i, k := range keys {
		r, _ := slices.BinarySearch(distinct, k)
		keys[i] = uint64(r)
	}
	return bits.Len(uint(max(len(distinct)-1, 0)))
}

// ascending reports whether keys rise strictly.
func ascending(keys []uint64) bool {
	for i := 1; i < len(keys); i++ {
		if keys[i-1] >= keys[i] {
			return false
		}
	}
	return true
}

// sortRows orders rows by their keys, keeping the order of equal ones. keys[i] belongs to rows[i] and moves with it.
func sortRows(keys []uint64, rows []uint32) {
	n := len(keys)
	if n < 2 || slices.IsSorted(keys) {
		return
	}
	if n < 64 {
		insertionSort(keys, rows)
		return
	}
	var differ uint64
	for _, k := range keys {
		differ |= k ^ keys[0]
	}
	// Least significant digit first. Digits in which all keys agree cost nothing.
	const digit = 11
	otherKeys, otherRows := make([]uint64, n), make([]uint32, n)
	fromKeys, fromRows := keys, rows
	for shift := 0; shift < 64; shift += digit {
		if differ>>shift&(1<<digit-1) == 0 {
			continue
		}
		var at [1 << digit]uint32
		for _, k := range fromKeys {
			at[k>>shift&(1<<digit-1)]++
		}
		sum := uint32(0)
		for d, c := range at {
			at[d] = sum
			sum += c
		}
		for i, k := range fromKeys {
			d := k >> shift & (1<<digit - 1)
			otherKeys[at[d]], otherRows[at[d]] = k, fromRows[i]
			at[d]++
		}
		fromKeys, otherKeys = otherKeys, fromKeys
		fromRows, otherRows = otherRows, fromRows
	}
	if &fromKeys[0] != &keys[0] {
		copy(keys, fromKeys)
		copy(rows, fromRows)
	}
}

func insertionSort(keys []uint64, rows []uint32) {
	for i := 1; i < len(keys); i++ {
		k, r := keys[i], rows[i]
		j := i
		for ; j > 0 && keys[j-1] > k; j-- {
			keys[j], rows[j] = keys[j-1], rows[j-1]
		}
		keys[j], rows[j] = k, r
	}
}

// count is 0, 1, …, n-1.
func count(n int) []uint32 {
	rows := make([]uint32, n)
	for i := range rows {
		rows[i] = uint32(i)
	}
	return rows
}
