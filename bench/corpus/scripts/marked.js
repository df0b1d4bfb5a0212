// Renders a part of the specification of CommonMark with marked.
import { library, loop, text } from "./loop.js";

const marked = library("marked.js"), source = text("spec.txt").slice(0, 16000);

loop(() => marked.parse(source));
