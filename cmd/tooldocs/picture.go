package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// columns is the width of the terminal in pictures.
const columns = 84

// picture is a terminal in which commands ran.
type picture struct {
	name  string            // the file name of the picture, without ".svg"
	files map[string]string // the files of the working directory
	steps []step
}

// step is a command that is typed into the terminal, and the answer to its question, if it asks.
type step struct{ command, answer string }

// terminalPictures are the pictures in docs/images that show a terminal. Their commands print no
// times and no paths of the machine, and reach no server.
var terminalPictures = []picture{
	{
		name: "call",
		files: map[string]string{
			"server.go": "package main\n\nfunc main() {\n\tserve(\":8080\")\n}\n",
			".env":      "TOKEN=1\n",
		},
		steps: []step{
			{command: "wasmtool run grep pattern='func main' path=."},
			{command: "wasmtool run grep pattern=root path=/etc"},
			{command: "wasmtool search 'replace text'"},
		},
	},
	{
		name:  "question",
		files: map[string]string{"notes.txt": "Ship it on Friday.\n"},
		steps: []step{
			{command: "wasmtool run edit file_path=notes.txt old_string=Friday new_string=Monday", answer: "y"},
			{command: "cat notes.txt"},
		},
	},
	{
		name: "failure",
		files: map[string]string{
			"divide/tool.toml": "manifest = 1\nname = \"divide\"\nversion = \"0.1.0\"\ndescription = \"Divides by zero.\"\nmodule.path = \"tool.wasm\"\n\n" +
				"[[examples]]\ntitle = \"One by zero\"\narguments = {}\noutput = \"no number\"\n",
			// The program of docs/debugging.md.
			"divide/tool.wasm": "\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x07\x0a\x01\x06_start\x00\x00\x0a\x0a\x01\x08\x00\x41\x01\x41\x00\x6d\x1a\x0b\x00\x10\x04name\x01\x09\x01\x00\x06divide",
		},
		steps: []step{
			{command: "wasmtool validate ./divide"},
			{command: "wasmtool test ./divide"},
		},
	},
}

// site is the working directory of the commands. A question shows its path.
const site = "/tmp/site"

// draw runs the commands of a picture and returns it as SVG. The directory dir has the program
// wasmtool, and cache has compiled modules.
func (p picture) draw(dir, cache string) (string, error) {
	home, err := os.MkdirTemp("", "tooldocs-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(home)
	if err := os.Mkdir(site, 0o700); err != nil {
		return "", err
	}
	defer os.RemoveAll(site)
	for name, text := range p.files {
		path := filepath.Join(site, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			return "", err
		}
	}
	var shown screen
	for _, s := range p.steps {
		env := []string{"HOME=" + home, "WASMTOOL_CACHE=" + cache, "PATH=" + dir + ":/usr/bin:/bin", "TERM=xterm-256color", "LC_ALL=C.UTF-8"}
		output, err := s.run(env)
		if err != nil {
			return "", fmt.Errorf("%s: %w", s.command, err)
		}
		shown.write("\x1b[1m$ " + s.command + "\x1b[0m\r\n")
		if err := shown.write(output); err != nil {
			return "", fmt.Errorf("%s: %w", s.command, err)
		}
	}
	return shown.svg(), nil
}

// run runs the command in a terminal, which the program script of util-linux creates, and returns
// what the terminal got.
func (s step) run(env []string) (string, error) {
	cmd := exec.Command("script", "-qec", fmt.Sprintf("stty cols %d rows 50; %s", columns, s.command), "/dev/null")
	cmd.Dir, cmd.Env = site, env
	input, err := cmd.StdinPipe()
	if err != nil {
		return "", err
	}
	var output bytes.Buffer
	cmd.Stdout = writer(func(b []byte) (int, error) {
		n, _ := output.Write(b)
		if s.answer != "" && strings.HasSuffix(output.String(), "]o: ") {
			_, err := input.Write([]byte(s.answer + "\n"))
			return n, err
		}
		return n, nil
	})
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) { // the commands may fail
		return "", err
	}
	return output.String(), nil
}

// writer is a function as an io.Writer.
type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }
