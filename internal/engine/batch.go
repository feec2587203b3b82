package engine

import "github.com/tarnlake/tarn/internal/vector"

// Batch is a block of result rows.
type Batch = vector.Batch
