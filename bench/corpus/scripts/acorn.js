// Parses JavaScript with acorn.
import { library, loop, text } from "./loop.js";

const acorn = library("acorn.js"), source = text("handlebars.runtime.js");

loop(() => JSON.stringify(acorn.parse(source, { ecmaVersion: "latest" })));
