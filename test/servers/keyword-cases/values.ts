import { json, type KeywordCases } from './keyword-case.js'

/** Listed values, types, and the whole of JSON. */
export const VALUES: KeywordCases = {
  'any value': {
    schema: {},
    right: [...json(1, -2.5, 'a', null, true, {}, [], { a: 1 }, ['x', 1])],
    wrong: { text: ['', 'nul', 'True', '01', '[1,]', '{"a":1,}', '{a:1}', '"\u0001"', '[1', "'a'", 'NaN', '1 2'] },
  },
  'any value in an object': {
    schema: { type: 'object', properties: { a: {}, b: true }, required: ['a', 'b'], additionalProperties: false },
    right: json({ a: 1, b: 'x' }, { a: null, b: [] }, { a: {}, b: false }),
    wrong: {
      required: json({ a: 1 }),
      text: ['{"a":01,"b":1}', '{"a":"\u0001","b":1}', '{"a":{,"b":1}', '{"a":,"b":1}'],
    },
  },
  'a list of texts': {
    schema: { enum: ['a', 'b c', 'größe', '日本語', '🌦️'] },
    right: json('a', 'b c', 'größe', '日本語', '🌦️'),
    wrong: { enum: json('b', '', 'grosse', 'A', 'a ', 1), text: ['"a', 'a'] },
  },
  'a list of unusual texts': {
    schema: { enum: ['', '"', '\\', 'a"b\\c', '\n', '\t\u0001', '/', 'a.b*c', '<|end|>', '[x]{2}', '^$', '\u007f'] },
    right: json('', '"', '\\', 'a"b\\c', '\n', '\t\u0001', '/', 'a.b*c', '<|end|>', '[x]{2}', '^$'),
    wrong: {
      enum: json('n', 'axbxc', 'xx', 'a"b', '\\n', ' '),
      text: ['"""', '"\\"', '"\n"', '"\t\\u0001"', '"a"b\\\\c"'],
    },
  },
  'a list of values': {
    schema: { enum: [1, '1', true, null, 2.5, -3] },
    right: json(1, '1', true, null, 2.5, -3),
    wrong: { enum: json(2, '2', false, 2, 25, 3, 'true', 'null'), text: ['2,5', '01'] },
  },
  'a list of wholes': {
    schema: { enum: [[1, 2], { a: [1], 'b"': 'x.y' }, [], {}] },
    right: json([1, 2], { a: [1], 'b"': 'x.y' }, [], {}),
    wrong: { enum: json([1], { a: [1] }, { a: [1], 'b"': 'xzy' }, [2, 1]), text: ['{"a":[1],"b"":"x.y"}'] },
  },
  'a list beside its type': {
    schema: { type: 'string', enum: ['a', 'b'] },
    right: json('a', 'b'),
    wrong: { enum: json('c', 1) },
  },
  'a list beside another type': {
    schema: { type: 'string', enum: ['a', 1, null] },
    right: json('a'),
    wrong: { type: json(1, null), enum: json('b') },
  },
  'a list beside a length': {
    schema: { type: 'string', enum: ['a', 'abcd'], maxLength: 2 },
    right: json('a'),
    wrong: { maxLength: json('abcd'), enum: json('b') },
  },
  'a list beside a pattern': {
    schema: { type: 'string', enum: ['a', 'b'], pattern: '^a' },
    right: json('a'),
    wrong: { pattern: json('b'), enum: json('aa') },
  },
  'a constant': {
    schema: { const: 'a.b"c' },
    right: json('a.b"c'),
    wrong: { const: json('a.b', 'axb"c', 1, null), text: ['"a.b"c"'] },
  },
  'a constant number': {
    schema: { const: 1.5 },
    right: json(1.5),
    wrong: { const: json(1, 15, '1.5', 1.55) },
  },
  'a constant object': {
    schema: { const: { 'a.b': [1, 2], 'c"': null } },
    right: json({ 'a.b': [1, 2], 'c"': null }),
    wrong: {
      const: json({ axb: [1, 2], 'c"': null }, { 'a.b': [1], 'c"': null }, {}),
      text: ['{"a.b":[1,2],"c"":null}'],
    },
  },
  'a constant beside a type': {
    schema: { type: 'string', const: 1 },
    right: [],
    wrong: { type: json(1), const: json('a') },
  },
  'a constant beside a list': {
    schema: { const: 'a', enum: ['b', 'a'] },
    right: json('a'),
    wrong: { const: json('b'), enum: json('c') },
  },
  'a constant beside a bound': {
    schema: { enum: [1, 5], maximum: 3 },
    right: json(1),
    wrong: { maximum: json(5), enum: json(2) },
  },
  'several types': {
    schema: { type: ['string', 'integer', 'null'] },
    right: json('a', 1, null),
    wrong: { type: json(1.5, true, [], {}), text: ['"\u0001"', '01'] },
  },
  'several types with keywords of each': {
    schema: {
      ...{ type: ['string', 'integer', 'array', 'object'], maxLength: 2, minimum: 3, maxItems: 1 },
      ...{ properties: { a: { type: 'boolean' } }, additionalProperties: false },
    },
    right: json('ab', 3, [1], { a: true }, {}),
    wrong: {
      maxLength: json('abc'),
      minimum: json(2, -3),
      maxItems: json([1, 2]),
      properties: json({ a: 1 }),
      additionalProperties: json({ b: 1 }),
      type: json(null, true),
      text: ['"\u0001"'],
    },
  },
  'a nullable type': {
    schema: { type: 'string', nullable: true, maxLength: 2 },
    right: json('ab', null),
    wrong: { type: json(1, true), maxLength: json('abc') },
  },
  booleans: {
    schema: { type: 'boolean' },
    right: json(true, false),
    wrong: { type: json(0, null, 'true'), text: ['True', 'tru', 'truetrue'] },
  },
  nulls: {
    schema: { type: 'null' },
    right: json(null),
    wrong: { type: json(0, false, 'null'), text: ['nul', 'None'] },
  },
  'names that mean nothing': {
    schema: { type: 'integer', title: 'T', description: 'd', default: 'x', examples: ['y'], 'x-mine': { not: {} } },
    right: json(1),
    wrong: { type: json('x', 'y') },
  },
}
