// Parses JavaScript with acorn.
import { library, loop, text } from "./loop.js";

const acorn = library("acorn.js"), source = text("handlebars.runtime.min.js");

loop(() => JSON.stringify(acorn.parse(source, { ecmaVersion: "latest" })));
