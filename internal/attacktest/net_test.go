package attacktest

import (
	"testing"
	"net/http"
)

func TestSmoke(t *testing.T) {
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) { rw.Write([]byte("hello")) })
	l := newLab(t, setup{
		tools: map[string]string{"script": "[[permissions.net]]\nurl = \"http://api.example.com/\"\n"},
		operator: "[grants]\nallow = [\"net:http://api.example.com/\"]\n[tools.script]\nauto_execute = true\n",
		http: w.options(),
	})
	t.Logf("%+v", l.play(t, get("http://api.example.com/x"), step{Do: "body", Handle: -1}))
	t.Logf("%+v", l.noted())
}
