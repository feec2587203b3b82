package sqlerr_test

import (
	"strings"
	"testing"

	"github.com/tarnlake/tarn/internal/sqlerr"
)

// TestConflictNamesPartitions: the message names who won and what it was about, but not hundreds of partitions.
func TestConflictNamesPartitions(t *testing.T) {
	parts := []string{"p=1", "p=2", "p=3", "p=4", "p=5", "p=6", "p=7"}
	for _, c := range []struct {
		why        string
		partitions []string
		says       string
	}{
		{"another writer committed first", nil, "to `t` was not committed: another writer committed first"},
		{"the transaction 01ABC writes there", parts[:2], "to `t` (p=1, p=2) was not committed: the transaction 01ABC"},
		{"x", parts, "(p=1, p=2, p=3, p=4, p=5 and 2 more)"},
		{"x", []string{"*"}, "to `t` was not committed"},
	} {
		e := sqlerr.ConcurrentWriteConflict("`t`", c.why, c.partitions)
		if !strings.Contains(e.Message, c.says) || e.SQLState() != "40001" {
			t.Errorf("%v does not say %q", e, c.says)
		}
	}
}

func TestInsertArityTellsWhichWay(t *testing.T) {
	few := sqlerr.InsertArity("`t`", []string{"`a`", "`b`"}, []string{"`1`"})
	many := sqlerr.InsertArity("`t`", []string{"`a`"}, []string{"`1`", "`2`"})
	if few.Condition != "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS" || many.Condition != "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS" {
		t.Errorf("%v, %v", few, many)
	}
	for _, e := range []*sqlerr.Error{few, many} {
		if e.SQLState() != "21S01" {
			t.Errorf("%s has SQLSTATE %s", e.Condition, e.SQLState())
		}
	}
}

// TestWriteStates are the SQLSTATEs of what a write can end in: those that engines and drivers act upon.
func TestWriteStates(t *testing.T) {
	for _, c := range []struct {
		err   *sqlerr.Error
		state string
		says  string
	}{
		{sqlerr.TransactionStuck("01ABC", "`t`", "two files are in the way"), "55000", "tarn recover 01ABC"},
		{sqlerr.SnapshotExpired("`t`", "7"), "55000", "version 7"},
		{sqlerr.PartitionNameTooLong("`k`", 362, 255), "22001", "too long"},
		{sqlerr.PartitionNameNul("`k`"), "22023", "zero byte"},
		{sqlerr.CannotTruncateExternal("`t`"), "0A000", "external"},
		{sqlerr.ReplaceWhereMismatch("a = 1"), "44000", "a = 1"},
		{sqlerr.PathKeysMismatch("", "y, m", "file:/p"), "22023", "by no keys, and the directories at file:/p are partitioned by (y, m)"},
		{sqlerr.CannotSafelyCast("`t`", "`a`", "STRING", "INT"), "KD000", `"INT"`},
		{sqlerr.CastOverflowInInsert("BIGINT", "INT", "`a`"), "22003", "`a`"},
		{sqlerr.DefaultPlacement(), "42608", "DEFAULT"},
		{sqlerr.StaticPartitionInColumnList("`p`"), "42713", "`p`"},
	} {
		if c.err.SQLState() != c.state || !strings.Contains(c.err.Message, c.says) {
			t.Errorf("%v: want %s and %q", c.err, c.state, c.says)
		}
	}
}
