package delta

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// loadTable makes a state of the files of a directory, as a log would: with the fallbacks of its segments.
func loadTable(root string, version int64) (*State, []*Remove, error) {
	dir := filepath.Join(root, LogDir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	var files []LogFile
	for _, e := range entries {
		if i, err := e.Info(); err == nil && !e.IsDir() {
			files = append(files, LogFile{e.Name(), i.Size(), i.ModTime().UnixMilli()})
		}
	}
	segments, err := Segments(dir, files, version)
	if err != nil {
		return nil, nil, err
	}
	var first error
	for _, s := range segments {
		state, removes, err := loadSegment(root, dir, s)
		if err == nil {
			return state, removes, nil
		}
		if first == nil {
			first = err
		}
		if !strings.Contains(err.Error(), "_MALFORMED") && !os.IsNotExist(err) {
			break
		}
	}
	return nil, nil, first
}

func loadSegment(root, dir string, s Segment) (*State, []*Remove, error) {
	r, t := NewReplay(s.Version), &Tombstones{}
	for _, f := range slices.Backward(s.Commits) {
		data, err := os.ReadFile(filepath.Join(dir, f.Name))
		if err != nil {
			return nil, nil, err
		}
		actions, err := ParseActions(f.Name, data)
		if err != nil {
			return nil, nil, err
		}
		if err := r.Commit(f.Name, actions); err != nil {
			return nil, nil, err
		}
		removes, err := ParseRemoves(f.Name, data)
		if err != nil {
			return nil, nil, err
		}
		t.Commit(removes)
	}
	for _, f := range s.CheckpointFiles {
		if err := loadCheckpoint(r, t, dir, f.Name); err != nil {
			return nil, nil, err
		}
	}
	state, err := r.State(root)
	if err != nil {
		return nil, nil, err
	}
	return state, t.Of(state, 0), nil
}

func loadCheckpoint(r *Replay, t *Tombstones, dir, name string) error {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	var c *Checkpoint
	if strings.HasSuffix(name, ".json") {
		c, err = ParseCheckpointJSON(name, data, AllFiles)
	} else {
		c, err = ReadCheckpoint(name, bytes.NewReader(data), int64(len(data)), AllFiles)
	}
	if err != nil {
		return err
	}
	r.Checkpoint(c)
	t.Checkpoint(c)
	for _, s := range c.Sidecars {
		if err := loadCheckpoint(r, t, dir, filepath.Join(SidecarDir, DecodePath(s.Path))); err != nil {
			return err
		}
	}
	return nil
}

// TestGolden reads the tables that Spark made for the tests, and writes the state of each as a checkpoint and back. With
// TARN_GOLDEN_DELTA it reads all tables below that directory instead, those that are damaged on purpose among them, and writes
// what each adds up to into its tarn.out, for other programs to compare.
func TestGolden(t *testing.T) {
	dir, foreign := os.LookupEnv("TARN_GOLDEN_DELTA")
	var out io.Writer = io.Discard
	if foreign {
		f, err := os.Create(filepath.Join(dir, "tarn.out"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		out = f
	} else {
		dir = filepath.Join("..", "..", "..", "testdata", "delta")
	}
	tables := 0
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() || d.Name() != LogDir {
			return err
		}
		root := filepath.Dir(p)
		s, removes, err := loadTable(root, Latest)
		if err != nil {
			if !foreign {
				t.Errorf("%s: %v", root, err)
			}
			_, _ = fmt.Fprintf(out, "%s\tERROR\t%v\n", root, err)
			return nil
		}
		tables++
		if err := exercise(root, s, removes); err != nil {
			t.Errorf("%s: %v", root, err)
		}
		_, _ = fmt.Fprintf(out, "%s\t%d\t%d\t%d\t%v\t%d,%d\n", root, s.Version, s.NumFiles(), s.SizeInBytes(), len(s.Schema.Columns()), s.Protocol.MinReader, s.Protocol.MinWriter)
		return nil
	})
	if err != nil || tables < 6 {
		t.Errorf("%d tables below %s: %v", tables, dir, err)
	}
}

// exercise reads all deletion vectors and statistics of a state, and writes it as a checkpoint and back.
func exercise(root string, s *State, removes []*Remove) error {
	var paths [][]string
	for _, f := range s.Schema.Fields {
		paths = append(paths, []string{f.Name})
	}
	for a := range s.Adds() {
		if _, ok := ParseStats(a.Stats); !ok && a.Stats != "" {
			return fmt.Errorf("statistics: %s", a.Stats)
		}
		for _, p := range paths {
			if _, err := NewSkipper(s, IsNull(p), time.UTC).Keep(a); err != nil {
				return err
			}
		}
		if d := a.DeletionVector; d != nil {
			if err := readVector(root, d); err != nil {
				return err
			}
		}
	}
	var b bytes.Buffer
	sum, err := WriteCheckpoint(&b, s, removes, CheckpointOptions{})
	if err != nil {
		return err
	}
	if err := VerifyCheckpoint("c", bytes.NewReader(b.Bytes()), int64(b.Len()), sum); err != nil {
		return err
	}
	c, err := ReadCheckpoint("c", bytes.NewReader(b.Bytes()), int64(b.Len()), AllFiles)
	if err != nil {
		return err
	}
	i := 0
	for a := range s.Adds() {
		want := *a
		want.DataChange = false
		for k, v := range want.Tags {
			if v == "" {
				delete(want.Tags, k)
			}
		}
		x, y := string(Action{Add: c.Adds[i]}.AppendJSON(nil)), string(Action{Add: &want}.AppendJSON(nil))
		if x != y {
			return fmt.Errorf("%s came back as %s", y, x)
		}
		i++
	}
	return nil
}

func readVector(root string, d *DeletionVector) error {
	if d.IsInline() {
		_, err := d.Inline()
		return err
	}
	location, err := d.Location(root)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(strings.TrimPrefix(location, "file:"))
	if err != nil {
		if d.StorageType == VectorAbsolute || os.IsNotExist(err) {
			return nil
		}
		return err
	}
	from, length := d.Range()
	if from+length > int64(len(data)) {
		return fmt.Errorf("%s is short", location)
	}
	_, err = d.Read(location, data[from:from+length])
	return err
}
