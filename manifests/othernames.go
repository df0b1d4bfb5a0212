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
	"type":                 "a tool has no type here; write [module] for a WebAssembly module, [rest] for an HTTP API, or [mcp] for a tool of an MCP server",
	"executor":             "write [module] for a WebAssembly module, [rest] for an HTTP API, or [mcp] for a tool of an MCP server",
	"execute":              "write [module] for a WebAssembly module, [rest] for an HTTP API, or [mcp] for a tool of an MCP server",
	"metadata":             "leave it out; the settings of a request are written in [rest]",
	"enabled":              "the operator decides this; write enabled in [tools.NAME] of the operator's file",
	"autoexecute":          "the operator decides this; write auto_execute in [tools.NAME] of the operator's file",
	"maxretries":           "the caller decides how often a call is retried; leave it out",
	"retries":              "the caller decides how often a call is retried; leave it out",
	"source":               "the host sets it; leave it out",
	"serverid":             "the server of a tool is called mcp.server here",
	"servername":           "the server of a tool is called mcp.server here",
	"toolname":             "the server's name for the tool is called mcp.tool here",
	"permissions.network":  "write [[permissions.net]] with url and methods",
	"requiresconfirmation": "write dangerous = true for a tool whose calls must be confirmed",
}
