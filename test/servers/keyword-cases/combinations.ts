import { closed, json, type KeywordCases } from './keyword-case.js'

const INTEGER = { type: 'integer' } as const
const STRING = { type: 'string' } as const
const NODE = closed({ v: INTEGER, next: { anyOf: [{ $ref: '#/$defs/n' }, { type: 'null' }] } })

/** Schemas that combine others: choices, references, and their negation. */
export const COMBINATIONS: KeywordCases = {
  'one of any': {
    schema: {
      anyOf: [closed({ k: { const: 'a' }, x: INTEGER }), closed({ k: { const: 'b' }, y: STRING }), { type: 'null' }],
    },
    right: json({ k: 'a', x: 1 }, { k: 'b', y: 'z' }, null),
    wrong: { anyOf: json({ k: 'a', y: 'z' }, { k: 'b', x: 1 }, { k: 'c' }, 1, {}), text: ['{"k":"b","y":"\u0001"}'] },
  },
  'one of any with bounds': {
    schema: {
      anyOf: [
        { type: 'integer', minimum: 10 },
        { type: 'string', maxLength: 2 },
      ],
    },
    right: json(10, 'ab'),
    wrong: { minimum: json(9), maxLength: json('abc'), anyOf: json(null, true), text: ['"\u0001"'] },
  },
  'one of any beside a type': {
    schema: { type: 'integer', anyOf: [{ minimum: 10 }, { maximum: 3 }] },
    right: json(10, 3),
    wrong: { anyOf: json(5, 4), type: json('a', 1.5) },
  },
  'one of any without types': {
    schema: { anyOf: [{ minimum: 10 }, { maxLength: 2 }] },
    right: json(10, 'ab', null),
    wrong: {},
  },
  'one of any beside properties': {
    schema: { ...closed({ a: INTEGER, b: INTEGER }, []), anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    right: json({ a: 1 }, { b: 1 }, { a: 1, b: 2 }),
    wrong: { anyOf: json({}), additionalProperties: json({ a: 1, c: 1 }) },
  },
  'one of any beside a constant': {
    schema: { const: 1, anyOf: [STRING] },
    right: [],
    wrong: { anyOf: json(1), const: json('a') },
  },
  'exactly one': {
    schema: { oneOf: [INTEGER, { type: 'boolean' }] },
    right: json(1, true),
    wrong: { oneOf: json('a', null, 1.5) },
  },
  'exactly one, where two overlap': {
    schema: {
      oneOf: [
        { type: 'integer', minimum: 0, maximum: 5 },
        { type: 'integer', minimum: 5, maximum: 9 },
      ],
    },
    right: json(0, 4, 6, 9),
    wrong: { oneOf: json(5, 10, -1, 'a') },
  },
  'exactly one object, where two overlap': {
    schema: {
      oneOf: [
        { type: 'object', properties: { a: INTEGER }, required: ['a'] },
        { type: 'object', properties: { b: INTEGER }, required: ['b'] },
      ],
    },
    right: json({ a: 1 }, { b: 1 }),
    wrong: { oneOf: json({ a: 1, b: 1 }, {}) },
  },
  'exactly one of texts': {
    schema: {
      oneOf: [
        { const: 'a', title: 'A' },
        { const: 'b', title: 'B' },
      ],
    },
    right: json('a', 'b'),
    wrong: { oneOf: json('c', 1) },
  },
  'all of one': {
    schema: { allOf: [{ type: 'integer', minimum: 3 }] },
    right: json(3, 9),
    wrong: { allOf: json(2, 'a') },
  },
  'all of two': {
    schema: { allOf: [{ type: 'integer', minimum: 3 }, { maximum: 8 }] },
    right: json(3, 8),
    wrong: { allOf: json(2, 9, 'a') },
  },
  'all of two objects': {
    schema: {
      allOf: [
        { type: 'object', properties: { a: INTEGER }, required: ['a'] },
        { type: 'object', properties: { b: STRING }, required: ['b'] },
      ],
    },
    right: json({ a: 1, b: 'x' }),
    wrong: { allOf: json({ a: 1 }, { b: 'x' }, { a: 1, b: 2 }) },
  },
  'all of a reference': {
    schema: { $defs: { n: closed({ a: INTEGER }) }, allOf: [{ $ref: '#/$defs/n' }], description: 'd' },
    right: json({ a: 1 }),
    wrong: { allOf: json({}, { a: 'x' }, { a: 1, b: 1 }) },
  },
  'all beside a type': {
    schema: { type: 'string', allOf: [{ enum: ['yes', 'no'] }] },
    right: json('yes', 'no'),
    wrong: { allOf: json('maybe', ''), type: json(1) },
  },
  'not a type': {
    schema: { type: ['integer', 'boolean', 'null'], not: { type: 'integer' } },
    right: json(true, null),
    wrong: { not: json(1, -2) },
  },
  'not a value': {
    schema: { type: 'string', not: { const: 'a' } },
    right: json('b', ''),
    wrong: { not: json('a'), type: json(1) },
  },
  'not a value of a list': {
    schema: { enum: ['a', 'b', 'c'], not: { enum: ['b'] } },
    right: json('a', 'c'),
    wrong: { not: json('b'), enum: json('d') },
  },
  'a reference': {
    schema: { $defs: { n: closed({ a: { type: 'string', maxLength: 2 } }) }, ...closed({ x: { $ref: '#/$defs/n' } }) },
    right: json({ x: { a: 'bc' } }),
    wrong: {
      required: json({}, { x: {} }),
      maxLength: json({ x: { a: 'bcd' } }),
      additionalProperties: json({ x: { a: '', b: 1 } }),
      text: ['{"x":{"a":"\u0001"}}'],
    },
  },
  'a reference to definitions': {
    schema: { definitions: { n: { enum: ['a', 'b'] } }, type: 'array', items: { $ref: '#/definitions/n' } },
    right: json([], ['a', 'b']),
    wrong: { items: json(['c'], [1]) },
  },
  'a reference beside keywords': {
    schema: { $defs: { n: STRING }, $ref: '#/$defs/n', maxLength: 2, description: 'd' },
    right: json('ab'),
    wrong: { maxLength: json('abc'), $ref: json(1) },
  },
  'a reference with a closed circle': {
    schema: { $defs: { n: NODE }, ...closed({ l: { $ref: '#/$defs/n' } }) },
    right: json({ l: { v: 1, next: null } }, { l: { v: 1, next: { v: 2, next: null } } }),
    wrong: {
      required: json({ l: { v: 1 } }, {}),
      type: json({ l: { v: 'x', next: null } }),
      $ref: json(
        { l: { v: 1, next: { v: 2 } } },
        { l: { v: 1, next: { v: 'x', next: null } } },
        { l: { v: 1, next: 5 } },
      ),
    },
  },
  'a reference to the whole': {
    schema: closed({ v: INTEGER, next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } }),
    right: json({ v: 1, next: null }, { v: 1, next: { v: 2, next: null } }),
    wrong: { $ref: json({ v: 1, next: { v: 2 } }, { v: 1, next: 5 }), required: json({ v: 1 }) },
  },
  'a reference to a property': {
    schema: closed({ a: { type: 'string', maxLength: 2 }, b: { $ref: '#/properties/a' } }),
    right: json({ a: 'xy', b: 'z' }),
    wrong: { $ref: json({ a: '', b: 1 }, { a: '', b: 'xyz' }), maxLength: json({ a: 'xyz', b: '' }) },
  },
  'a reference to an unusual name': {
    schema: { $defs: { 'a/b': { type: 'integer' } }, ...closed({ x: { $ref: '#/$defs/a~1b' } }) },
    right: json({ x: 1 }),
    wrong: { $ref: json({ x: 'a' }) },
  },
  'a chain of references': {
    schema: {
      $defs: {
        a: INTEGER,
        b: { $ref: '#/$defs/a' },
        c: { $ref: '#/$defs/b' },
        d: { $ref: '#/$defs/c' },
        e: { $ref: '#/$defs/d' },
      },
      ...closed({ x: { $ref: '#/$defs/e' } }),
    },
    right: json({ x: 1 }),
    wrong: { $ref: json({ x: 'a' }), required: json({}) },
  },
  'a tree': {
    schema: {
      $defs: { t: closed({ name: STRING, children: { type: 'array', items: { $ref: '#/$defs/t' } } }) },
      $ref: '#/$defs/t',
    },
    right: json({ name: 'a', children: [] }, { name: 'a', children: [{ name: 'b', children: [] }] }),
    wrong: {
      $ref: json({ name: 'a', children: [1] }, { name: 'a', children: [{ name: 1, children: [] }] }),
      required: json({ name: 'a' }),
      text: ['{"name":"\u0001","children":[]}'],
    },
  },
}
