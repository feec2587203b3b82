package format

import (
	"context"
	"errors"

	"github.com/tarnlake/tarn/internal/sqlerr"
	"github.com/tarnlake/tarn/internal/storage"
)

// Failure turns what went wrong with a file into what the user sees; damage says what is wrong with its content where storage
// did not fail.
func Failure(file storage.File, err error, damage string) error {
	var known *sqlerr.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return sqlerr.Canceled()
	case storage.KindOf(err) == storage.NotFound:
		return sqlerr.FileNotExist(file.Location().String())
	case storage.KindOf(err) == storage.PreconditionFailed:
		return sqlerr.FileChanged(file.Location().String(), err)
	}
	var stored *storage.Error
	if errors.As(err, &stored) {
		damage = stored.Err.Error() // the place is in the message already
	}
	return sqlerr.ReadFile(file.Location().String(), damage, err)
}
