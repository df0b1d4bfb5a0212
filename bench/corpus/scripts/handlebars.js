// Compiles a template with Handlebars and fills it with facts about countries.
import { library, loop, text } from "./loop.js";

const handlebars = library("handlebars.js"), countries = JSON.parse(text("countries.json"));
const source = `{{#each countries}}
<h2>{{@index}}: {{name.common}}</h2>{{#if landlocked}}<p>landlocked{{/if}}
<ul>{{#each languages}}<li title="{{@key}}">{{this}}{{/each}}</ul>
{{#with name}}<p>{{official}}, in {{../region}}{{/with}}{{#unless borders}}, alone{{/unless}}
{{/each}}`;

loop(() => handlebars.create().compile(source)({ countries }));
