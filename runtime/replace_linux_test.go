package runtime

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

// Replacing a file accepts the answer of files_stat or files_read, regardless of the file's time.
func TestReplacingAcceptsEarlierAnswer(t *testing.T) {
	r := newRuntime(t, Options{})
	for _, year := range []int{1969, 1970, 2026, 2300} {
		for look, asks := range map[string]func(b files.Batch, room []byte) []files.Answer{
			"stat": func(b files.Batch, _ []byte) []files.Answer { return b.Stat() },
			"read": func(b files.Batch, room []byte) []files.Answer { return b.Read(len(room), room) },
		} {
			w, grant := editable(t)
			file, at := filepath.Join(w, "f"), time.Date(year, 1, 1, 0, 0, 0, 123_456_789, time.Local)
			// Package os counts times in nanoseconds, which allow no time after the year 2262.
			if err := unix.UtimesNanoAt(unix.AT_FDCWD, file, []unix.Timespec{{Sec: at.Unix()}, {Sec: at.Unix(), Nsec: int64(at.Nanosecond())}}, 0); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(file); err != nil || info.ModTime().Year() != year {
				t.Skipf("files have no such time here: %v", err)
			}
			s := requests(r, bind(t, grant))
			defer s.End()
			room := make([]byte, 100)
			if n := s.Answer(s.Batch([]byte("/w/f\x00"), room, asks)); n != 1 {
				t.Fatalf("%s, %d: %d answers", look, year, n)
			}
			seen := room[:answerSize]
			if errno, err := s.ReplaceFile([]byte("/w/f"), seen, []byte("mine")); errno != 0 || err != nil {
				t.Errorf("%s, %d: got %d, %v", look, year, errno, err)
			}
			// Replacing is refused, because the file has changed since the answer.
			if errno, err := s.ReplaceFile([]byte("/w/f"), seen, []byte("more")); errno != 72 || err != nil {
				t.Errorf("%s, %d, again: got %d, %v", look, year, errno, err)
			}
			requireFiles(t, w, map[string]string{"f": "mine", "d/g": "old"})
		}
	}
}
