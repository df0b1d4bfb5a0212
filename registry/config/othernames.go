package config

// otherNames has answers to keys of other systems, by the whole key in lower case without "_" and
// "-".
var otherNames = map[string]string{
	"enabletoolcalls":                 "write enable_tool_calls in [policy]",
	"bash":                            "write commands in [shell], directories in [mounts], and settings of the tool in [tools.bash]",
	"toolagentsettings":               "write [agent]",
	"mcpservers":                      "write [servers.NAME] for each server",
	"tools.profile":                   "the lists of tools are in [policy]",
	"tools.allow":                     "the lists of tools are in [policy]",
	"tools.deny":                      "the lists of tools are in [policy]",
	"shell.enablesandbox":             "leave it out; scripts always run in the sandbox",
	"shell.alloweddirectories":        "write each directory in [mounts]",
	"shell.defaultworkingdirectory":   "write workspace = PATH in [mounts]",
	"shell.confirmdangerouscommands":  "write confirm_dangerous",
	"shell.dangerouscommandwhitelist": "write allow",
}
