// Renders formulas with KaTeX.
import { library, loop } from "./loop.js";

const katex = library("katex.js");
const formulas = [
  "\\int_{-\\infty}^\\infty e^{-x^2}\\,dx = \\sqrt{\\pi}",
  "f(x) = \\begin{cases} x^2 & x > 0 \\\\ \\frac{1}{1 + |x|} & x \\le 0 \\end{cases}",
  "\\sum_{n=1}^{\\infty} \\frac{1}{n^2} = \\frac{\\pi^2}{6}, \\quad \\hat{f}(\\xi) = \\overline{\\left( \\prod_{k} a_{k_j} \\right)}",
];

loop(() => [true, false].map((displayMode) => formulas.map((f) => katex.renderToString(f, { displayMode }))).join("\n"));
