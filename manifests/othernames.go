package manifests

// otherNames has answers to keys of other systems, by the whole key in lower case without "_" and
// "-".
var otherNames = map[string]string{
	"id":                   "the machine name is called name here",
	"label":                "label is called title here",
	"displayname":          "the display name is called title here",
	"inputschema":          "the schema of the arguments is called parameters here",
	"outputschema":         "the schema of the result is called result here",
	"timeoutms":            `write timeout with a unit, such as timeout = "30s"`,
	"type":                 "a tool has no type here; write [module] for a WebAssembly module, or [rest] for an HTTP API",
	"executor":             "write [module] for a WebAssembly module, or [rest] for an HTTP API",
	"execute":              "write [module] for a WebAssembly module, or [rest] for an HTTP API",
	"metadata":             "leave it out; the settings of a request are written in [rest]",
	"mcp":                  "tools of an MCP server need no manifest; write the server in [servers.NAME] of the operator's file",
	"enabled":              "the operator decides this; write enabled in [tools.NAME] of the operator's file",
	"autoexecute":          "the operator decides this; write auto_execute in [tools.NAME] of the operator's file",
	"maxretries":           "the caller decides how often a call is retried; leave it out",
	"retries":              "the caller decides how often a call is retried; leave it out",
	"source":               "the host sets it; leave it out",
	"serverid":             "tools of an MCP server need no manifest; leave it out",
	"servername":           "tools of an MCP server need no manifest; leave it out",
	"requiresconfirmation": "write dangerous = true for a tool whose calls must be confirmed",
}
