"""Compiles a template with Jinja and fills it with facts about countries."""

import json

from loop import loop
from jinja2 import Environment

TEMPLATE = """
{%- macro row(c) -%}
<tr><td>{{ c.name.common|e }}<td>{{ c.area|round(1) }}<td>{{ c.languages.values()|sort|join(", ")|upper }}</tr>
{%- endmacro -%}
{%- for region, list in countries|groupby("region") %}
<h2>{{ region or "elsewhere" }}: {{ list|length }}</h2>
{%- for c in list|sort(attribute="name.common") if c.area > 1000 %}
{{ loop.index }} {{ row(c) }}{% if loop.last %}<hr>{% endif %}
{%- endfor -%}
{%- endfor -%}
"""

with open("/data/countries.json", encoding="utf-8") as f:
    COUNTRIES = json.load(f)

loop(lambda: Environment(autoescape=True).from_string(TEMPLATE).render(countries=COUNTRIES))
