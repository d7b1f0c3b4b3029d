/** Templates that ask for too much, by what they do. */
export const HOSTILE_TEMPLATES: readonly (readonly [string, string])[] = [
  ['a loop over all numbers', '{% for i in (1..1000000000) %}a{% endfor %}'],
  ['loops within loops', `${'{% for i in (1..1000) %}'.repeat(6)}a${'{% endfor %}'.repeat(6)}`],
  ['text that doubles', `{% assign x = "aaaaaaaaaa" %}${'{% assign x = x | append: x %}'.repeat(60)}{{ x }}`],
  [
    'text that replaces itself',
    `{% assign x = "aaaaaaaaaa" %}${'{% assign x = x | replace: "a", x %}'.repeat(20)}{{ x }}`,
  ],
  ['lists that double', `{% assign x = doc.list %}${'{% assign x = x | concat: x %}'.repeat(60)}{{ x | size }}`],
  [
    'a capture that doubles',
    `{% assign x = "a" %}${'{% capture x %}{{ x }}{{ x }}{% endcapture %}'.repeat(60)}{{ x }}`,
  ],
  ['a date as wide as memory', '{{ "now" | date: "%1000000000Y" }}'],
  ['a date of half a gigabyte', '{{ "now" | date: "%400000000Y" }}'],
  ['dates as wide as memory', `{{ "now" | date: "${'%9999999Y'.repeat(200)}" }}`],
  ['a table of all numbers', '{% tablerow i in (1..100000000) cols:2 %}{{ i }}{% endtablerow %}'],
  ['a list as JSON, again and again', `{% for i in (1..10000000) %}{{ doc | json }}{% endfor %}`],
  ['tags in each other', `${'{% if true %}'.repeat(20_000)}a${'{% endif %}'.repeat(20_000)}`],
  [
    'a text to strip',
    `{% assign x = "<<<<<<<<<<" %}${'{% assign x = x | append: x %}'.repeat(14)}{{ x | strip_html }}`,
  ],
];

/** Documents of them have these members. */
export const HOSTILE_DOCUMENT = {
  id: 1,
  name: 'kefir',
  tags: ['a', 'b'],
  list: Array.from({ length: 50 }, (_, i) => i),
  meta: { n: 1.5 },
};
