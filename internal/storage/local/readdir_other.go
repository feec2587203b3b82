//go:build !linux

package local

import (
	"context"

	"github.com/tarnlake/tarn/internal/storage"
)

// ReadDir implements storage.DirReader.
func (d *Driver) ReadDir(ctx context.Context, key string, info bool, yield func(*storage.Entry) error) error {
	return d.readDirPortable(ctx, key, info, yield)
}
