package toolabi

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestDecoder(t *testing.T) {
	type args struct {
		Text  string `json:"text"`
		Limit Int    `json:"limit"`
	}
	tests := []struct {
		input string
		want  args
		err   string
	}{
		{input: `{"text":"a","limit":3}`, want: args{"a", 3}},
		{input: `{"limit":3.0}`, want: args{"", 3}},
		{input: `{"limit":3e2}`, want: args{"", 300}},
		{input: `{"limit":-9223372036854775808}`, want: args{"", -9223372036854775808}},
		{input: `{"limit":null,"other":[]}`},
		{input: `{"limit":1.5}`, err: "1.5 is not a whole number"},
		{input: `{"limit":9223372036854775808}`, err: "not a whole number"},
		{input: `{"limit":1e999999999999}`, err: "not a whole number"},
		{input: `{"limit":"3"}`, err: `"3" is not a whole number`},
		{input: `{"text":3}`, err: "text has the wrong type: number"},
		{input: ``, err: "must be one JSON object"},
		{input: `[]`, err: "must be one JSON object"},
		{input: `{"limit":1} {}`, err: "must be one JSON object"},
		{input: ` { "text" : "a" , "limit" : 1 } `, want: args{"a", 1}},
		{input: `{"text":"\\\"\u00e9\n","limit":1}`, want: args{"\\\"é\n", 1}},
		{input: `{"te\u0078t":"a"}`, want: args{"a", 0}},
		{input: `{"text":"a","TEXT":"b"}`, want: args{"b", 0}},
		{input: `{"text":"\ud800"}`, want: args{"\ufffd", 0}},
		{input: "{\"text\":\"\xff\"}", want: args{"\ufffd", 0}},
		{input: `{"text":"a`, err: "must be one JSON object"},
		{input: `{"`, err: "must be one JSON object"},
		{input: `{"text":"a",}`, err: "must be one JSON object"},
		{input: `{"text" "a"}`, err: "must be one JSON object"},
	}
	decode := Decoder[args]()
	for _, test := range tests {
		t.Run(test.input, func(t *testing.T) {
			got, err := decode([]byte(test.input))
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("got error %v, want one with %q", err, test.err)
				}
				return
			}
			if err != nil || got != test.want {
				t.Errorf("got %+v, %v; want %+v", got, err, test.want)
			}
		})
	}
}

// yes is a type that decodes itself.
type yes bool

func (y *yes) UnmarshalJSON(text []byte) error {
	*y = string(text) == `"yes"` || string(text) == "true"
	return nil
}

// upper is a type that decodes strings itself.
type upper string

func (u *upper) UnmarshalText(text []byte) error {
	*u = upper(strings.ToUpper(string(text)))
	return nil
}

// days is an integer type whose own decoder multiplies by ten.
type days int64

func (d *days) UnmarshalJSON(text []byte) error {
	err := json.Unmarshal(text, (*int64)(d))
	*d *= 10
	return err
}

// Fields of all kinds are decoded as package json does.
func TestDecoder_fields(t *testing.T) {
	type args struct {
		Text    string `json:"text"`
		Skipped string `json:"-"`
		Quoted  int64  `json:"quoted,string"`
		Named   string
		Yes     yes    `json:"yes"`
		Upper   *upper `json:"upper"`
		Days    days   `json:"days"`
		Any     any    `json:"any"`
		Small   int8   `json:"small"`
	}
	decode := Decoder[args]()
	for _, input := range []string{
		`{"-":"a"}`, `{"quoted":"3"}`, `{"quoted":3}`, `{"Named":"a"}`, `{"named":"a"}`, `{"":0}`,
		`{"yes":"yes"}`, `{"yes":true}`, `{"yes":null}`, `{"upper":"a"}`, `{"upper":null}`, `{"days":3}`, `{"days":null}`,
		`{"any":{"a":[1,null]}}`, `{"small":127}`, `{"small":128}`, `{"text":"a","text":null}`, `{"any":[` + strings.Repeat("[", 20000) + `]}`,
	} {
		got, err := decode([]byte(input))
		var want args
		if wantErr := json.Unmarshal([]byte(input), &want); (err == nil) != (wantErr == nil) {
			t.Errorf("%.60s: got %v, want %v", input, err, wantErr)
		}
		if err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%.60s: got %+v, want %+v", input, got, want)
		}
	}
}

type kind string

// FuzzDecoder compares the arguments with the arguments that package json decodes.
func FuzzDecoder(f *testing.F) {
	type args struct {
		Text  string   `json:"text"`
		Flag  bool     `json:"flag"`
		Maybe *string  `json:"maybe"`
		Often *bool    `json:"often"`
		Kind  kind     `json:"kind"`
		Limit Int      `json:"limit"`
		Names []string `json:"names"`
		Inner *struct {
			Text string `json:"text"`
		} `json:"inner"`
	}
	for _, seed := range []string{
		`{"text":"a\"\\","flag":true,"limit":3,"names":["a","]"],"inner":{"text":"}"}}`,
		` { "text" : "\u00e9\ud800" , "flag" : false } `, `{"text":"a","text":"b","names":null}`, `{"flag":"x"}`, `{"text":"a"}x`, `{"maybe":"a","often":false,"maybe":null,"kind":"b"}`, `{}`, `{"a":[{},[1,"\\"]]}`, `{"text`,
	} {
		f.Add([]byte(seed))
	}
	decode := Decoder[args]()
	f.Fuzz(func(t *testing.T, input []byte) {
		got, err := decode(input)
		var want args
		if wantErr := json.Unmarshal(input, &want); (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: got %v, want %v", input, err, wantErr)
		}
		if err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %+v, want %+v", input, got, want)
		}
	})
}
