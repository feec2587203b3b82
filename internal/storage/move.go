package storage

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
)

// Mover is implemented by drivers whose store renames single files and directories in one step. What its methods did is
// durable only after Sync: a commit makes thousands of moves and syncs once. Keys of directories may end with '/', except in
// Move.
type Mover interface {
	// Move renames a file or a directory (both keys without a trailing '/'). It never replaces: a taken dst is AlreadyExists. The
	// directory above dst exists, else it is NotFound. A place that the store cannot move to (another file system) is
	// Unsupported, one inside of src BadLocation. Symbolic links are moved themselves.
	Move(ctx context.Context, src, dst string) error
	// Exchange swaps the names of two existing directories in one step: NotFound when one is missing, NotADirectory when one is
	// anything else, a symbolic link too, BadLocation when one holds the other, Unsupported where the store or the file system
	// cannot. It undoes itself when repeated: after a failure the caller must look which of the two is where.
	Exchange(ctx context.Context, a, b string) error
	// EnsureDir makes a directory and those above it; existing ones are fine, a file in the way is NotADirectory.
	EnsureDir(ctx context.Context, key string) error
	// RemoveDir removes an empty directory: NotEmpty when it is not, NotADirectory for anything else of that name. A missing one
	// is fine.
	RemoveDir(ctx context.Context, key string) error
	// Sync makes the contents of files and the names in dirs (keys that end with '/', or "") durable; missing ones are fine. When
	// it fails, a repeat that succeeds proves nothing, since systems drop what they could not write: write the files anew.
	Sync(ctx context.Context, files, dirs []string) error
}

// Outcome says how a move or a deletion of one certain object ended.
type Outcome uint8

// The outcomes.
const (
	// Failed comes with an error: the object is where it was, or could not be looked at.
	Failed Outcome = iota
	// Done: this call did it.
	Done
	// AlreadyDone: it had been done before.
	AlreadyDone
	// Conflict: another object is in the place, and was left alone.
	Conflict
	// SourceGone: the object is neither where it was nor where it should go.
	SourceGone
)

// String names the outcome.
func (o Outcome) String() string {
	switch o {
	case Done:
		return "done"
	case AlreadyDone:
		return "already done"
	case Conflict:
		return "conflict"
	case SourceGone:
		return "source gone"
	default:
		return "failed"
	}
}

// Same reports whether a and b, as a listing, Stat, Read or Put told them, are one object with one content, whatever their
// keys are. Moves and deletions of what a commit planned go by it, so it errs towards false: what cannot be proven is not the
// same.
//
//   - The sizes must be equal, and neither may be a directory.
//   - Where both have an ETag, that decides: it names the content and outlives a move.
//   - Else (a local listing has no ETags) the numbers of the files and their times must be equal, to the nanosecond: a number
//     alone is given again when a file is gone. Devices are not compared, since they are numbered anew when a system starts.
func Same(a, b Object) bool {
	switch {
	case a.Size != b.Size, a.IsPrefix, b.IsPrefix:
		return false
	case a.ETag != "" && b.ETag != "":
		return a.ETag == b.ETag
	default:
		return a.ID.Number != 0 && a.ID.Number == b.ID.Number && a.ModTime.Equal(b.ModTime)
	}
}

// CanMove reports whether the store has the abilities of Mover, but for Exchange: see CanExchange.
func (b *Bucket) CanMove() bool { return b.mover != nil }

// Move renames a file or a directory, without a promise that it lasts: see Mover.Move.
func (b *Bucket) Move(ctx context.Context, src, dst string) error {
	if b.mover == nil {
		return b.fail("move", src, Unsupported, errCannotMove)
	}
	return b.mover.Move(ctx, src, dst)
}

var errCannotMove = errors.New("the store cannot move what it holds")

// MoveFile moves the object want (its key does not matter) from src to dst, and does nothing when another object is at src. It
// can be repeated, by several processes at once, until it does not fail: when the move fails, it looks and decides by identity,
// so a move whose answer was lost, or that another process made, is found out. An error comes with Failed only. A file that replaces src between the look at it and the move is moved; names that never repeat have no such
// file.
func (b *Bucket) MoveFile(ctx context.Context, src, dst string, want Object) (Outcome, error) {
	if b.mover == nil {
		return Failed, b.fail("move", src, Unsupported, errCannotMove)
	}
	found, err := b.look(ctx, src, want)
	if err != nil {
		return Failed, err
	}
	cause := b.fail("move", src, PreconditionFailed, errors.New("the file came and went"))
	if found == same {
		if cause = b.mover.Move(ctx, src, dst); cause == nil {
			return Done, nil
		}
	}
	// A move that was interrupted may have been made all the same, so the end of ctx does not keep from looking.
	return b.moved(context.WithoutCancel(ctx), src, dst, want, cause)
}

// moved tells what became of a move that was not plainly made. Others may be making it at the same time.
func (b *Bucket) moved(ctx context.Context, src, dst string, want Object, cause error) (Outcome, error) {
	from, err := b.look(ctx, src, want)
	if err != nil {
		return Failed, cause
	}
	to, err := b.look(ctx, dst, want)
	if err != nil {
		return Failed, cause
	}
	if from == same && to == same { // moved between the two looks, or two names of one file
		if from, err = b.look(ctx, src, want); err != nil {
			return Failed, cause
		}
	}
	switch {
	case to == same && from != same:
		return AlreadyDone, nil
	case to != absent, from == other:
		return Conflict, nil
	case from == absent:
		return SourceGone, nil
	default:
		return Failed, cause
	}
}

// presence is what a look at the place of an object finds.
type presence uint8

const (
	absent presence = iota
	same
	other
)

func (b *Bucket) look(ctx context.Context, key string, want Object) (presence, error) {
	o, err := b.driver.Stat(ctx, key)
	if err == nil {
		if Same(o, want) {
			return same, nil
		}
		return other, nil
	}
	switch KindOf(err) {
	case NotFound, NotADirectory:
		return absent, nil
	case IsADirectory:
		return other, nil
	default:
		return absent, err
	}
}

// DeleteIf deletes want.Key only while the object there still is want: AlreadyDone when nothing is there, Conflict when another
// object is. It can be repeated until it does not fail. On stores without conditional deletes, an object that replaces want
// between the look and the deletion goes too.
func (b *Bucket) DeleteIf(ctx context.Context, want Object) (Outcome, error) {
	found, err := b.look(ctx, want.Key, want)
	switch {
	case err != nil:
		return Failed, err
	case found == absent:
		return AlreadyDone, nil
	case found == other:
		return Conflict, nil
	}
	if err := b.driver.Delete(ctx, want.Key); err != nil {
		if found, lookErr := b.look(context.WithoutCancel(ctx), want.Key, want); lookErr != nil || found == same {
			return Failed, err
		}
	}
	return Done, nil
}

// EnsureDir makes a directory and those above it, without a promise that they last: see Mover.EnsureDir. Where directories are
// only parts of names it does nothing.
func (b *Bucket) EnsureDir(ctx context.Context, key string) error {
	if b.mover == nil {
		return b.MakeDir(ctx, key)
	}
	return b.mover.EnsureDir(ctx, key)
}

// RemoveDir removes an empty directory: see Mover.RemoveDir. Where the store has no such ability it does nothing.
func (b *Bucket) RemoveDir(ctx context.Context, key string) error {
	if b.mover == nil {
		return nil
	}
	return b.mover.RemoveDir(ctx, key)
}

// Sync makes what was moved, made and written durable: see Mover.Sync. Stores without that ability make everything durable at
// once.
func (b *Bucket) Sync(ctx context.Context, files, dirs []string) error {
	if b.mover == nil {
		return nil
	}
	return b.mover.Sync(ctx, files, dirs)
}

// Exchange swaps two directories: see Mover.Exchange.
func (b *Bucket) Exchange(ctx context.Context, x, y string) error {
	if b.mover == nil {
		return b.fail("exchange", x, Unsupported, errCannotMove)
	}
	return b.mover.Exchange(ctx, x, y)
}

// mount is what decides whether Exchange works: the device, or the directory where the store has no devices.
type mount struct {
	device uint64
	dir    string
}

// CanExchange reports whether directories in dir can be exchanged. It tries with two of its own, whose names are those of IsProbe,
// and remembers the answer for the file system of dir. It is an error when that could not be found out.
func (b *Bucket) CanExchange(ctx context.Context, dir string) (bool, error) {
	if b.mover == nil {
		return false, nil
	}
	if dir != "" {
		dir = strings.TrimSuffix(dir, "/") + "/"
	}
	o, err := b.driver.Stat(ctx, dir)
	if err != nil {
		return false, err
	}
	m := mount{device: o.ID.Device}
	if o.ID == (Identity{}) {
		m.dir = dir
	}
	b.exchangeMu.Lock()
	defer b.exchangeMu.Unlock()
	if known, ok := b.exchange[m]; ok {
		return known, nil
	}
	can, err := b.tryExchange(ctx, dir)
	if err != nil {
		return false, err
	}
	if b.exchange == nil {
		b.exchange = map[mount]bool{}
	}
	b.exchange[m] = can
	return can, nil
}

// tryExchange exchanges a directory that holds another with an empty one, and looks whether they changed places: a store that
// only says so is found out.
func (b *Bucket) tryExchange(ctx context.Context, dir string) (can bool, err error) {
	x := dir + probePrefix + rand.Text()
	y := x + "-2"
	defer func() {
		ctx := context.WithoutCancel(ctx)
		for _, d := range []string{x + "/in", y + "/in", x, y} {
			if removeErr := b.mover.RemoveDir(ctx, d); err == nil {
				err = removeErr
			}
		}
	}()
	for _, d := range []string{x + "/in", y} {
		if err := b.mover.EnsureDir(ctx, d); err != nil {
			return false, err
		}
	}
	switch err := b.mover.Exchange(ctx, x, y); {
	case KindOf(err) == Unsupported:
		return false, nil
	case err != nil:
		return false, err
	}
	left, err := b.Exists(ctx, x+"/in/")
	if err != nil {
		return false, err
	}
	right, err := b.Exists(ctx, y+"/in/")
	return right && !left, err
}
