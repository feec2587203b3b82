//go:build unix

// Package unprivileged lets tests of file permissions hold when the tests run as root, whom permissions do not bind: they
// run once more as nobody.
package unprivileged

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// nobody is the user and group without rights of its own on Linux.
const nobody = 65534

// Credential is who a process must be for permissions to bind it; nil when that is who runs the tests.
func Credential() *syscall.Credential {
	if os.Geteuid() != 0 {
		return nil
	}
	return &syscall.Credential{Uid: nobody, Gid: nobody}
}

// Dir is a temporary directory that belongs to who Credential is and that it can reach.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "tarn-unprivileged")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if who := Credential(); who != nil {
		if err := os.Chown(dir, int(who.Uid), int(who.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Copy puts an executable into dir, since the directory it was built in may be closed to others.
func Copy(t testing.TB, executable, dir string) string {
	t.Helper()
	from, err := os.Open(executable)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.OpenFile(dir+"/executable", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return to.Name()
}

// Here reports whether permissions bind this process. Where they do not, it has run the calling test in a process of its
// own, as nobody, and failed t when that one failed: the caller returns.
func Here(t *testing.T) bool {
	t.Helper()
	who := Credential()
	if who == nil {
		return true
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := Dir(t)
	cmd := exec.Command(Copy(t, self, dir), "-test.v", "-test.run", "^"+t.Name()+"$")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: who}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()+" ") {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
	return false
}
