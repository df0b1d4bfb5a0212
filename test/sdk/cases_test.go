package sdk

import "strings"

// step is one call of a program.
type step struct {
	name string
	// tool is "act", whose output is text, "quote" with JSON, "blocks" with a result, or "bare",
	// which is act without permissions.
	tool string
	// arguments is a JSON object. repeat replaces REPEAT in it with that many letters.
	arguments string
	repeat    int
	// silent leaves out what the program reports while it runs.
	silent bool
}

func (s step) input() string {
	return strings.ReplaceAll(s.arguments, "REPEAT", strings.Repeat("x", s.repeat))
}

const web = `"method":"GET","url":"http://api.example.com`

// steps are run in this order, because they share a store.
var steps = []step{
	{name: "text", tool: "act", arguments: `{"do":"echo","text":"one two"}`},
	{name: "an empty text", tool: "act", arguments: `{"do":"echo","text":""}`},
	{name: "characters of all sizes", tool: "act", arguments: `{"do":"echo","text":"é € 😀 \u00e9 \u20ac \ud83d\ude00"}`},
	{name: "escapes", tool: "act", arguments: `{"text":"\"\\\/\b\f\n\r\t\u0000\u001f\u007f|","do":"echo"}`},
	{name: "an escaped name", tool: "act", arguments: `{"\u0064o":"echo","te\u0078t":"x"}`},
	{name: "values before the wanted one", tool: "act", arguments: `{ "any" : [ {"text":"no"}, "]", null, -1.5e3 ] , "do":"echo" , "text" : "yes" }`},
	{name: "a long text", tool: "act", arguments: `{"do":"echo","text":"REPEAT"}`, repeat: 300_000},
	{name: "an error", tool: "act", arguments: `{"do":"fail","text":"first line\nsecond é"}`},

	{name: "a whole number", tool: "quote", arguments: `{"text":"a","n":-9007199254740993}`},
	{name: "the largest whole number", tool: "quote", arguments: `{"text":"a","n":9223372036854775807}`},
	{name: "the smallest whole number", tool: "quote", arguments: `{"text":"a","n":-9223372036854775808}`},
	{name: "a whole number with a point", tool: "quote", arguments: `{"text":"a","n":80.0}`},
	{name: "a whole number with an exponent", tool: "quote", arguments: `{"text":"a","n":8e1}`},
	{name: "JSON with rare characters", tool: "quote", arguments: `{"text":"\u2028\u2029\ufffd\uffff\udbff\udfff","n":-0}`},
	{name: "JSON with escapes", tool: "quote", arguments: `{"text":"\"\\\/\b\f\n\r\t\u0000\u001f\u007f é 😀","n":0}`},

	{name: "blocks", tool: "blocks", arguments: `{"text":"<a> & \"b\" é\n","n":3}`},
	{name: "a result that is an error", tool: "blocks", arguments: `{"do":"fail","text":"no file a.txt"}`},

	{name: "no key", tool: "act", arguments: `{"do":"kv_get","key":"a"}`},
	{name: "put", tool: "act", arguments: `{"do":"kv_put","key":"a","text":"one"}`},
	{name: "get", tool: "act", arguments: `{"do":"kv_get","key":"a"}`},
	{name: "put an empty value", tool: "act", arguments: `{"do":"kv_put","key":"empty","text":""}`},
	{name: "get an empty value", tool: "act", arguments: `{"do":"kv_get","key":"empty"}`},
	{name: "put bytes", tool: "act", arguments: `{"do":"kv_put_binary","key":"b\u00e9"}`},
	{name: "get bytes", tool: "act", arguments: `{"do":"kv_get","key":"bé","hex":true}`},
	{name: "swap an absent key that exists", tool: "act", arguments: `{"do":"kv_swap","key":"a","value":"x"}`},
	{name: "swap another value", tool: "act", arguments: `{"do":"kv_swap","key":"a","old":"two","value":"x"}`},
	{name: "swap", tool: "act", arguments: `{"do":"kv_swap","key":"a","old":"one","value":"two"}`},
	{name: "swap an empty value", tool: "act", arguments: `{"do":"kv_swap","key":"empty","old":"","value":"full"}`},
	{name: "swap to nothing", tool: "act", arguments: `{"do":"kv_swap","key":"a","old":"two"}`},
	{name: "swap from nothing", tool: "act", arguments: `{"do":"kv_swap","key":"a","value":""}`},
	{name: "delete", tool: "act", arguments: `{"do":"kv_delete","key":"a"}`},
	{name: "delete again", tool: "act", arguments: `{"do":"kv_delete","key":"a"}`},
	{name: "a key with NUL", tool: "act", arguments: `{"do":"kv_put","key":"empty\u0000","text":"x"}`},
	{name: "put many keys", tool: "act", arguments: `{"do":"kv_put_many","key":"a key with a name that is not short, so that a list of ten has a kilobyte: it takes 120 characters ","n":10}`},
	{name: "list", tool: "act", arguments: `{"do":"kv_list","key":"a"}`},
	{name: "list the rest", tool: "act", arguments: `{"do":"kv_list","key":"","after":"b"}`},
	{name: "list nothing", tool: "act", arguments: `{"do":"kv_list","key":"zz"}`},
	{name: "too many keys", tool: "act", arguments: `{"do":"kv_put_many","key":"many","n":100}`},
	{name: "a long value", tool: "act", arguments: `{"do":"kv_put_long","key":"empty","n":100000}`},
	{name: "get a long value", tool: "act", arguments: `{"do":"kv_get","key":"empty"}`},
	{name: "too many bytes", tool: "act", arguments: `{"do":"kv_put_long","key":"empty","n":1048576}`},
	{name: "a value that is too long", tool: "act", arguments: `{"do":"kv_put_long","key":"empty","n":1048577}`},
	{name: "a key that is too long", tool: "act", arguments: `{"do":"kv_get","key":"REPEAT"}`, repeat: 513},
	{name: "an empty key", tool: "act", arguments: `{"do":"kv_put","key":"","text":"x"}`},
	{name: "a store that is not granted", tool: "bare", arguments: `{"do":"kv_get","key":"a"}`},
	{name: "a list that is not granted", tool: "bare", arguments: `{"do":"kv_list","key":"a"}`},
	{name: "a swap that is not granted", tool: "bare", arguments: `{"do":"kv_swap","key":"a"}`},

	{name: "a request", tool: "act", arguments: `{"do":"http",` + web + `/echo"}`},
	{name: "a request with a body", tool: "act", arguments: `{"do":"http","method":"POST","url":"http://api.example.com/echo?q=%C3%A9","header":"X-Ask: a \"b\"","text":"é\u0000\n"}`},
	{name: "an answer in bytes", tool: "act", arguments: `{"do":"http",` + web + `/binary","hex":true}`},
	{name: "a large answer", tool: "act", arguments: `{"do":"http",` + web + `/large"}`},
	{name: "an empty answer", tool: "act", arguments: `{"do":"http",` + web + `/empty"}`},
	{name: "a status", tool: "act", arguments: `{"do":"http",` + web + `/missing"}`},
	{name: "many headers", tool: "act", arguments: `{"do":"http",` + web + `/headers"}`},
	{name: "a redirect", tool: "act", arguments: `{"do":"http",` + web + `/away"}`},
	{name: "a redirect by hand", tool: "act", arguments: `{"do":"http",` + web + `/away","manual":true}`},
	{name: "a secret that comes back", tool: "act", arguments: `{"do":"http",` + web + `/token"}`},
	{name: "a secret in bytes", tool: "act", arguments: `{"do":"http",` + web + `/leak"}`},
	{name: "a request that is not granted", tool: "act", arguments: `{"do":"http","method":"GET","url":"http://other.example.com/"}`},
	{name: "a request without any grant", tool: "bare", arguments: `{"do":"http",` + web + `/echo"}`},
	{name: "a private address", tool: "act", arguments: `{"do":"http","method":"GET","url":"http://inside.example.com/"}`},
	{name: "a URL of another kind", tool: "act", arguments: `{"do":"http","method":"GET","url":"ftp://api.example.com/"}`},
	{name: "a header of the host", tool: "act", arguments: `{"do":"http",` + web + `/echo","header":"Upgrade: x"}`},
	{name: "a header that is too long", tool: "act", arguments: `{"do":"http",` + web + `/echo","header":"X-Ask: REPEAT"}`, repeat: 70_000},
	{name: "a name without address", tool: "act", arguments: `{"do":"http","method":"GET","url":"http://unknown.example.com/"}`},
	{name: "a server that is down", tool: "act", arguments: `{"do":"http","method":"GET","url":"http://down.example.com/"}`},
	{name: "a server that does not speak HTTP", tool: "act", arguments: `{"do":"http",` + web + `/garbage"}`},
	{name: "a body that is too large", tool: "act", arguments: `{"do":"http_long","method":"POST","url":"http://api.example.com/echo","n":10485761}`},
	{name: "more requests than a call may send", tool: "act", arguments: `{"do":"http_many",` + web + `/large","n":30}`},
	{name: "more responses than may be open", tool: "act", arguments: `{"do":"http_open_many",` + web + `/large","n":9}`},

	{name: "a secret that exists", tool: "act", arguments: `{"do":"secret","key":"TOKEN"}`},
	{name: "a secret that does not exist", tool: "act", arguments: `{"do":"secret","key":"OTHER"}`},
	{name: "a secret that is not granted", tool: "bare", arguments: `{"do":"secret","key":"TOKEN"}`},

	{name: "log debug", tool: "act", arguments: `{"do":"log","n":0,"text":"fine é"}`},
	{name: "log info", tool: "act", arguments: `{"do":"log","n":1,"text":"half\nway 100%s"}`},
	{name: "log warn", tool: "act", arguments: `{"do":"log","n":2,"text":""}`},
	{name: "log error", tool: "act", arguments: `{"do":"log","n":3,"text":"wrong"}`},
	{name: "progress", tool: "act", arguments: `{"do":"progress","n":1,"total":2.5,"text":"one"}`},
	{name: "update", tool: "act", arguments: `{"do":"update","text":"Counting \"é\"","json":"{\"files\":3}"}`},
	{name: "update only the title", tool: "act", arguments: `{"do":"update","text":"Counting"}`},
	{name: "a large update", tool: "act", arguments: `{"do":"update_long","n":16384}`},
	{name: "a partial result", tool: "act", arguments: `{"do":"partial","text":"so \"far\""}`},
	{name: "many partial results", tool: "act", arguments: `{"do":"partial_often","text":"x","n":100000}`, silent: true},
	{name: "the context", tool: "act", arguments: `{"do":"context"}`},
	{name: "the context without permissions", tool: "bare", arguments: `{"do":"context"}`},
	{name: "not cancelled", tool: "act", arguments: `{"do":"cancelled"}`},
	{name: "sha256", tool: "act", arguments: `{"do":"sha256","text":"abc"}`},
	{name: "sha256 of a lot", tool: "act", arguments: `{"do":"sha256","text":"abc","n":100000}`},

	{name: "a call", tool: "act", arguments: `{"do":"call","key":"double","json":"{\"text\":\"é\",\"n\":2}"}`},
	{name: "a call with a long result", tool: "act", arguments: `{"do":"call","key":"double","json":"{\"text\":\"REPEAT\",\"n\":0}"}`, repeat: 2000},
	{name: "a call that fails", tool: "act", arguments: `{"do":"call","key":"fails","json":"{}"}`},
	{name: "a call with invalid arguments", tool: "act", arguments: `{"do":"call","key":"double","json":"{\"n\":0}"}`},
	{name: "a call of no tool", tool: "act", arguments: `{"do":"call","key":"missing","json":"{}"}`},
	{name: "a call that the tool may not make", tool: "act", arguments: `{"do":"call","key":"other","json":"{}"}`},
	{name: "a call without any grant", tool: "bare", arguments: `{"do":"call","key":"double","json":"{}"}`},

	{name: "a file", tool: "act", arguments: `{"do":"file_read","key":"/workspace/notes/é.txt"}`},
	{name: "no file", tool: "act", arguments: `{"do":"file_read","key":"/workspace/missing.txt"}`},
	{name: "replace a file", tool: "act", arguments: `{"do":"file_replace","key":"/workspace/notes/é.txt","text":"new\u0000 é"}`},
	{name: "the replaced file", tool: "act", arguments: `{"do":"file_read","key":"/workspace/notes/é.txt"}`},
	{name: "replace a directory", tool: "act", arguments: `{"do":"file_replace","key":"/workspace/notes","text":""}`},
	{name: "a file that is not granted", tool: "bare", arguments: `{"do":"file_read","key":"/workspace/notes/é.txt"}`},

	{name: "an action that does not exist", tool: "act", arguments: `{"do":"dance"}`},
}
