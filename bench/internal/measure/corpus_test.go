package measure

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/bench/internal/peer"
)

// TestProgramsThatAreMissing checks that a program that was not built is listed with the reason,
// and that names select programs.
func TestProgramsThatAreMissing(t *testing.T) {
	corpus := t.TempDir()
	if err := os.WriteFile(filepath.Join(corpus, "c_zstd.missing"), []byte("no network\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	only := regexp.MustCompile("^metering/(c/(zstd|webp)|go/.*/unmetered)")
	prices := Programs(t.Context(), peer.Setup{Corpus: corpus}, Quick(), only.MatchString, func(string) {})
	if len(prices) != 2 || prices[0].Loop != "webp" || prices[1].Loop != "zstd" {
		t.Fatalf("got %+v", prices)
	}
	for i, want := range []string{"run corpus/build.sh first", "no network"} {
		if got := prices[i].Missing; !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", prices[i].Loop, got, want)
		}
	}
}

// TestCorpus checks that there are ten programs of each kind, and a script for each of them that is
// run by an interpreter.
func TestCorpus(t *testing.T) {
	for _, kind := range Corpus() {
		if len(kind.Programs) != 10 {
			t.Errorf("%s: %d programs", kind.Name, len(kind.Programs))
		}
		for _, program := range kind.Programs {
			price := Price{Guest: kind.Name, Loop: program}
			source := filepath.Join("../../corpus", kind.Name, program)
			switch args := price.files("").Args; {
			case len(args) > 0:
				source = filepath.Join("../../corpus/scripts", filepath.Base(args[len(args)-1]))
			case kind.Name == "c":
				source += ".c"
			}
			if _, err := os.Stat(source); err != nil {
				t.Error(err)
			}
		}
	}
}
