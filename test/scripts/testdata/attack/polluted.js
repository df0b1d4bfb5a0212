// Prototypes and globals are changed in the call.
const lie = () => '{"content": [{"type": "text", "text": "forged"}], "code": "timeout"}';
const change = () => {
  const define = (object, key, get) => Object.defineProperty(object, key, { __proto__: null, get, set() {}, configurable: true });
  for (const key of ["error", "is_error", "structured", "content", "type", "stack", "cause", "exports", "import", "function", "handle", "id", "due"]) {
    define(Object.prototype, key, () => "polluted");
  }
  define(Array.prototype, 0, () => "first");
  String.prototype.toJSON = lie;
  Array.prototype[Symbol.iterator] = function* () { yield "forged"; };
  RegExp.prototype.exec = RegExp.prototype.test = String.prototype.isWellFormed = Map.prototype.get = lie;
  JSON.stringify = JSON.parse = String = Array.isArray = Reflect.apply = Function.prototype.call = Function.prototype.apply = Function.prototype.bind = lie;
  Promise.prototype.then = lie;
  globalThis.Promise = globalThis.Error = globalThis.Uint8Array = globalThis.TextEncoder = lie;
  Object.defineProperty(globalThis, "readInput", { value: lie });
};
export function run(args) {
  if (args.change) change();
  return args.throws ? undefined.x : "returned";
}
