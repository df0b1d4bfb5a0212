// What a user of MCP does with the TypeScript SDK: tools, resources, prompts, completion, progress,
// cancelling, and the approval of a call. The working directory has the workspace, a skill and tools.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const client = new Client({ name: "journey", version: "1.0.0" }, { capabilities: { elicitation: { form: {} } } });
const questions = [];
let action = "decline";
client.setRequestHandler(ElicitRequestSchema, async (request) => {
  questions.push(request.params.message);
  return action === "accept" ? { action, content: { remember: "once" } } : { action };
});
await client.connect(new StdioClientTransport({
  command: "wasmtool",
  args: ["serve", "--workspace", "work:rw", "--dir", "skills=skills", "--tools", "tools"],
  env: process.env,
  stderr: "inherit",
}));

const names = (await client.listTools()).tools.map((tool) => tool.name);
assert(names.includes("grep") && names.includes("steps"), `the tools are ${names}`);
const found = await client.callTool({ name: "grep", arguments: { pattern: "TODO" } });
assert.equal(found.content[0].text, "main.go:1:// TODO\n");

const { resources } = await client.listResources();
assert.deepEqual(resources.map((r) => r.uri), ["workspace:///main.go"]);
const { contents } = await client.readResource({ uri: "workspace:///main.go" });
assert.equal(contents[0].text, "// TODO\n");
await assert.rejects(client.readResource({ uri: "workspace:///none" }), /none does not exist in the workspace/);

assert.deepEqual((await client.listPrompts()).prompts.map((p) => p.name), ["review"]);
assert.match((await client.getPrompt({ name: "review" })).messages[0].content.text, /Read the diff/);
const { completion } = await client.complete({
  ref: { type: "ref/resource", uri: "workspace:///{+path}{?offset}" },
  argument: { name: "path", value: "ma" },
});
assert.deepEqual(completion.values, ["main.go"]);

// A tool reports progress, and then runs until it is cancelled.
const abort = new AbortController();
const progress = [];
await assert.rejects(
  client.callTool({ name: "steps", arguments: {} }, undefined, {
    signal: abort.signal,
    onprogress: (report) => {
      progress.push(report);
      abort.abort("enough");
    },
  }),
  /enough/,
);
assert.deepEqual(progress[0], { progress: 1, total: 2, message: "half" });

const note = { name: "write", arguments: { file_path: "note.txt", content: "hello" } };
const declined = await client.callTool(note);
assert(declined.isError, "a declined call ran");
action = "accept";
const written = await client.callTool(note);
assert.equal(written.content[0].text, "created note.txt: 5 bytes, 1 line\n");
assert.equal(questions.length, 2);
assert.match(questions[1], /May the tool write 1\.0\.0 run\?[^]*write:workspace[^]*content: "hello"/);
await client.close();
