package write

import (
	"context"
	"sync"
	"time"

	"github.com/tarnlake/tarn/internal/catalog"
	"github.com/tarnlake/tarn/internal/partition"
	"github.com/tarnlake/tarn/internal/storage"
)

// FileLists reads the lists of files that commits recorded. Lists never change, so what was read is kept, up to a bound. It
// is safe for concurrent use.
type FileLists struct {
	Store catalog.Store

	mu    sync.Mutex
	known map[int64]*partition.Fileset
	bytes int
}

// maxLists bounds what FileLists keeps, in bytes of the stored form.
const maxLists = 64 << 20

// get returns file sets by number.
func (l *FileLists) get(ctx context.Context, cols []partition.Column, ids []int64) ([]*partition.Fileset, error) {
	out := make([]*partition.Fileset, len(ids))
	var missing []int
	l.mu.Lock()
	for i, id := range ids {
		if out[i] = l.known[id]; out[i] == nil {
			missing = append(missing, i)
		}
	}
	l.mu.Unlock()
	if len(missing) == 0 {
		return out, nil
	}
	size := 0
	err := l.Store.Read(ctx, func(tx catalog.ReadTx) error {
		for _, i := range missing {
			data, err := tx.Fileset(ids[i])
			if err != nil {
				return err
			}
			if out[i], err = partition.DecodeFileset(cols, data); err != nil {
				return err
			}
			size += len(data)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil || l.bytes+size > maxLists {
		l.known, l.bytes = map[int64]*partition.Fileset{}, 0
	}
	for _, i := range missing {
		l.known[ids[i]] = out[i]
	}
	l.bytes += size
	return out, nil
}

// Of lists the files of registered partitions whose content is recorded: one list a row, in the order of rows.
func (l *FileLists) Of(ctx context.Context, bucket *storage.Bucket, root storage.Location, set *partition.Set, rows []int) ([][]storage.File, error) {
	at := map[int64]int{}
	var ids []int64
	for _, row := range rows {
		for _, id := range set.Content(row).Filesets {
			if _, ok := at[id]; !ok {
				at[id] = len(ids)
				ids = append(ids, id)
			}
		}
	}
	lists, err := l.get(ctx, set.Columns(), ids)
	if err != nil {
		return nil, err
	}
	out := make([][]storage.File, len(rows))
	for i, row := range rows {
		values := set.Values(row)
		for _, id := range set.Content(row).Filesets {
			part, ok := lists[at[id]].Of(values)
			if !ok {
				continue
			}
			prefix := root.Join(part.Dir).DirKey()
			for _, f := range part.Files {
				out[i] = append(out[i], storage.File{Bucket: bucket, Object: storage.Object{Key: prefix + f.Name, Size: f.Size, ModTime: time.Unix(0, f.ModTime)}})
			}
		}
	}
	return out, nil
}

// FilesOf lists the files of one registered partition whose content is recorded.
func (w *Writer) FilesOf(ctx context.Context, t *catalog.Table, set *partition.Set, row int) ([]storage.File, error) {
	root, err := storage.ParseLocation(t.Location, "")
	if err != nil {
		return nil, err
	}
	bucket, _, err := w.Stores.Open(root)
	if err != nil {
		return nil, err
	}
	files, err := w.Lists.Of(ctx, bucket, root, set, []int{row})
	if err != nil {
		return nil, err
	}
	return files[0], nil
}
