// Types of what a script in TypeScript can use of wasmtool, for editors: put this file next to the
// script. docs/scripts.md describes it.

declare module "wasmtool" {
  type Data = string | Uint8Array;

  /** Ends the call with a message for the caller, without a stack. */
  class Failed extends globalThis.Error {}
  export { Failed, Failed as Error };

  /** What the host refused or could not do. */
  export class HostError extends globalThis.Error {
    /** A word such as "denied" or "timeout". */
    readonly kind: string;
    /** Whether a request may have reached a server. */
    readonly sent: boolean;
  }

  export interface Response {
    status: number;
    url: string;
    /** By name in lower case. */
    headers: Record<string, string>;
    body: Uint8Array;
    readonly text: string;
    json(): any;
  }

  export interface RequestOptions {
    headers?: Record<string, string>;
    body?: Data;
    /** Sent as JSON, in place of body. */
    json?: unknown;
    redirect?: "follow" | "manual";
  }

  /** Sends a request that [[permissions.net]] allows. */
  export function http(method: string, url: string, options?: RequestOptions): Response;

  /** The tool's own store, with permissions.kv. */
  export const kv: {
    get(key: string): Uint8Array | undefined;
    put(key: string, value: Data): void;
    delete(key: string): void;
    /** Sets the key if its value is old; undefined means no value. */
    swap(key: string, old: Data | undefined, value: Data | undefined): boolean;
    list(prefix?: string, after?: string): string[];
  };

  export interface Entry {
    name: string;
    type: "file" | "directory" | "link" | "other";
  }

  /** The files of the tool and of the directories that it may access. */
  export const files: {
    read(path: string): Uint8Array;
    text(path: string): string;
    write(path: string, data: Data): void;
    list(path?: string): Entry[];
  };

  export interface CallResult {
    /** The blocks of the result. */
    content: { type: string; [field: string]: any }[];
    structured: any;
    text: string;
    /** The structured value, or the text if there is none. */
    value: any;
  }

  /** Calls another tool, which permissions.tools must name. */
  export function call(tool: string, args?: Record<string, unknown>): CallResult;
  /** A tool that permissions.tools must name, as a function, and the tools of an MCP server below it. */
  interface ToolFunction {
    (args?: Record<string, unknown>): Promise<any>;
    [name: string]: ToolFunction;
  }
  /** The other tools as functions, such as tools.grep({pattern: "x"}); docs/code.md describes them. */
  export const tools: { [name: string]: ToolFunction } & {
    search(query?: string, limit?: number): Promise<{ name: string; signature: string; description: string }[]>;
    call(tool: string, args?: Record<string, unknown>): Promise<CallResult>;
  };

  /** Reports whether the operator has a secret. No script can read one. */
  export function secretExists(name: string): boolean;

  export function log(text: string, level?: "debug" | "info" | "warning" | "error"): void;
  /** Reports progress in the tool's own units. A total of 0 means that it is unknown. */
  export function progress(done: number, total?: number, message?: string): void;
  export function update(title?: string, metadata?: Record<string, unknown>, partial?: string): void;
  /** The tool, the call, the session, the settings and the mounts. */
  export function context(): Record<string, any>;

  /** A block of a result: run may return one, or a list of blocks and strings. */
  interface Content {
    readonly type: string;
  }
  export type { Content };
  export function isContent(value: unknown): value is Content;
  export function text(value: string): Content;
  export function image(data: Uint8Array, mimeType?: string): Content;
  export function audio(data: Uint8Array, mimeType?: string): Content;
  export function resource(uri: string, mimeType: string, content: Data): Content;

  /** A whole result: blocks or strings, a value for programs, and more fields. */
  export class Result {
    constructor(content?: string | Content | (string | Content)[], structured?: unknown, more?: Record<string, unknown>);
  }
  export function resultText(value: unknown, typed: boolean): string | undefined;
}

declare module "wasmtool:sys" {
  type Data = string | Uint8Array;

  export const sys: {
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readFile(path: string): Uint8Array;
    writeFile(path: string, data: Data): void;
    list(path: string): { name: string; type: "file" | "directory" | "link" | "other" }[];
    stat(path: string): { type: "file" | "directory" | "link" | "other"; size: number; changed: number };
    remove(path: string): void;
    mkdir(path: string): void;
    rename(from: string, to: string): void;
    /** Mode 0 reads, 1 writes anew, 2 reads and writes. */
    open(path: string, mode?: 0 | 1 | 2): number;
    read(fd: number, size?: number): Uint8Array;
    write(fd: number, data: Data): void;
    close(fd: number): void;
    text(bytes: Uint8Array): string;
    exit(status?: number): never;
  };
}

/** The text of the standard input, in a script with program = true. */
declare function readInput(): string;
/** The command line of the script. */
declare const scriptArgs: string[];
