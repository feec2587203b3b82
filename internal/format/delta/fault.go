package delta

import "github.com/tarnlake/tarn/internal/sqlerr"

func errLogFile(name string, line int, err error) error {
	return sqlerr.DeltaLogMalformed(name, line, err.Error())
}
