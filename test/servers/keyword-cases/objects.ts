import { closed, json, type KeywordCases } from './keyword-case.js'

const INTEGER = { type: 'integer' } as const
const BOOLEAN = { type: 'boolean' } as const
const open = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

/** Objects: their properties and names. */
export const OBJECTS: KeywordCases = {
  'any object': {
    schema: { type: 'object' },
    right: [...json({}, { a: 1 }), '{"a": "b"}'],
    wrong: {
      type: json([], 'a', null, 1),
      text: [
        '{"a":1,}',
        '{a:1}',
        "{'a':1}",
        '{"a":\u0001}',
        '{"\u0001":1}',
        '{"a" 1}',
        '{',
        '{"a":01}',
        '{"a":1 "b":1}',
      ],
    },
  },
  'a closed object': {
    schema: closed({ a: INTEGER, b: BOOLEAN }),
    right: [...json({ a: 1, b: true }), '{"a": 1, "b": false}', '{ "a":1 }'.replace(' }', ',"b":true}')],
    wrong: {
      required: json({}, { a: 1 }, { b: true }),
      additionalProperties: json({ a: 1, b: true, c: 1 }, { a: 1, c: 1, b: true }),
      type: json({ a: 'x', b: true }, { a: 1, b: 0 }, null),
      properties: ['{"a":1,"b":true,"\\u0061":"x"}', '{"a":1,"b":true,"a":"x"}'],
      text: ['{"a":1,"b":true,}', '{"a":1 "b":true}', '{"a":1,"b":true'],
    },
  },
  'a closed object with options': {
    schema: closed({ a: INTEGER, b: BOOLEAN, c: INTEGER }, ['b']),
    right: json({ b: true }, { a: 1, b: true }, { b: true, c: 1 }, { a: 1, b: true, c: 2 }),
    wrong: {
      required: json({}, { a: 1 }, { a: 1, c: 1 }),
      additionalProperties: json({ b: true, d: 1 }),
      text: ['{,"b":true}', '{"b":true,}', '{"a":1,,"b":true}'],
    },
  },
  'a closed object without properties': {
    schema: closed({}),
    right: json({}),
    wrong: { additionalProperties: json({ a: 1 }), type: json([]) },
  },
  'an object that nothing else is said of but closed': {
    schema: { type: 'object', additionalProperties: false },
    right: json({}),
    wrong: { additionalProperties: json({ a: 1 }) },
  },
  'an open object': {
    schema: open({ a: INTEGER }, { required: ['a'], additionalProperties: true }),
    right: json({ a: 1 }, { a: 1, b: 'x' }),
    wrong: {
      required: json({}, { b: 1 }),
      properties: [...json({ a: 'x' }), '{"a":1,"\\u0061":"x"}', '{"a":1,"a":"x"}', '{"\\u0061":"x"}'],
      text: ['{"a":1,"b":\u0001}', '{"a":1,"b\u0001":1}'],
    },
  },
  'an object that does not say whether it is open': {
    schema: open({ a: INTEGER, b: BOOLEAN }),
    right: json({}, { a: 1 }, { b: true }, { a: 1, b: true }),
    wrong: { properties: json({ a: 'x' }, { b: 1 }, { a: 1, b: null }), type: json([], 'a') },
  },
  'an object with others of one kind': {
    schema: open({ a: INTEGER }, { required: ['a'], additionalProperties: BOOLEAN }),
    right: json({ a: 1 }, { a: 1, b: true }),
    wrong: {
      additionalProperties: json({ a: 1, b: 1 }, { a: 1, b: 'x' }),
      properties: ['{"a":1,"\\u0061":true}', '{"a":true}'],
      required: json({ b: true }),
    },
  },
  'a map': {
    schema: { type: 'object', additionalProperties: INTEGER },
    right: json({}, { a: 1 }, { größe: 1, 'a"b': 2 }),
    wrong: { additionalProperties: json({ a: 'x' }, { a: 1, b: null }), text: ['{"\u0001":1}', '{"a"b":1}'] },
  },
  'a required name that is not declared': {
    schema: open({ a: INTEGER }, { required: ['a', 'z'] }),
    right: json({ a: 1, z: 1 }),
    wrong: { required: json({ a: 1 }, {}, { z: 1 }) },
  },
  'required names alone': {
    schema: { type: 'object', required: ['z'] },
    right: json({ z: 1 }),
    wrong: { required: json({}, { a: 1 }) },
  },
  'a required name that must not be there': {
    schema: closed({ a: INTEGER }, ['a', 'z']),
    right: [],
    wrong: { required: json({ a: 1 }), additionalProperties: json({ a: 1, z: 1 }) },
  },
  'a property that must not be there': {
    schema: open({ a: INTEGER, b: false }, { required: ['a'], additionalProperties: false }),
    right: json({ a: 1 }),
    wrong: { b: json({ a: 1, b: 1 }, { a: 1, b: null }), required: json({}) },
  },
  'unusual names': {
    schema: closed({ 'a"b': INTEGER, ключ: INTEGER, 'c\\d': INTEGER, '\n': INTEGER, '': INTEGER, 'e/f.g*': INTEGER }),
    right: json({ 'a"b': 1, ключ: 1, 'c\\d': 1, '\n': 1, '': 1, 'e/f.g*': 1 }),
    wrong: {
      required: json({}, { 'a"b': 1 }, { 'a"b': 1, 'c\\d': 1, '\n': 1, '': 1, 'e/f.g*': 1 }),
      additionalProperties: json({ 'a"b': 1, ключ: 1, 'c\\d': 1, '\n': 1, '': 1, 'e/f.g*': 1, x: 1 }),
      text: [
        '{"a"b":1,"ключ":1,"c\\\\d":1,"\\n":1,"":1,"e/f.g*":1}',
        '{"a\\"b":1,"ключ":1,"c\\\\d":1,"\n":1,"":1,"e/f.g*":1}',
      ],
    },
  },
  'names beyond ASCII': {
    schema: closed({ größe: INTEGER, 名前: BOOLEAN, '😀': INTEGER, 'a-b.c*+?(x)[y]{z}|^$': INTEGER }),
    right: json({ größe: 1, 名前: true, '😀': 2, 'a-b.c*+?(x)[y]{z}|^$': 3 }),
    wrong: {
      required: json({ größe: 1 }, { grosse: 1, 名前: true, '😀': 2, 'a-b.c*+?(x)[y]{z}|^$': 3 }),
      additionalProperties: json({ größe: 1, 名前: true, '😀': 2, 'a-b.c*+?(x)[y]{z}|^$': 3, a: 1 }),
      type: json({ größe: 'x', 名前: true, '😀': 2, 'a-b.c*+?(x)[y]{z}|^$': 3 }),
    },
  },
  'names of the language': {
    schema: closed({ constructor: INTEGER, toString: BOOLEAN }),
    right: json({ constructor: 1, toString: true }),
    wrong: {
      required: json({}, { constructor: 1 }),
      additionalProperties: json({ constructor: 1, toString: true, a: 1 }),
    },
  },
  'properties without a type': {
    schema: { properties: { a: INTEGER }, required: ['a'], additionalProperties: false },
    right: json({ a: 1 }),
    wrong: { required: json({}), additionalProperties: json({ a: 1, b: 1 }), properties: json({ a: 'x' }) },
  },
  'names that match a pattern': {
    schema: { type: 'object', patternProperties: { '^x-': INTEGER }, additionalProperties: false },
    right: json({}, { 'x-a': 1 }),
    wrong: { patternProperties: json({ 'x-a': 'b' }), additionalProperties: json({ a: 1 }, { 'x-a': 1, b: 1 }) },
  },
  'names that match a pattern, beside properties': {
    schema: open({ a: BOOLEAN }, { patternProperties: { '^x-': INTEGER }, additionalProperties: false }),
    right: json({}, { a: true }, { a: true, 'x-a': 1 }),
    wrong: {
      patternProperties: json({ 'x-a': 'b' }),
      additionalProperties: json({ b: 1 }),
      properties: json({ a: 1 }),
    },
  },
  'limited names': {
    schema: { type: 'object', propertyNames: { pattern: '^[a-c]+$' }, additionalProperties: INTEGER },
    right: json({}, { a: 1 }, { abc: 2 }),
    wrong: { propertyNames: json({ d: 1 }, { a: 1, 'a-b': 1 }), additionalProperties: json({ a: 'x' }) },
  },
  'listed names': {
    schema: { type: 'object', propertyNames: { enum: ['a', 'b"'] }, additionalProperties: INTEGER },
    right: json({}, { a: 1 }, { 'b"': 2 }),
    wrong: { propertyNames: json({ d: 1 }, { a: 1, b: 1 }) },
  },
  'names of limited length': {
    schema: { type: 'object', propertyNames: { maxLength: 3, pattern: '^[a-c]+$' }, additionalProperties: INTEGER },
    right: json({}, { a: 1 }, { abc: 2 }),
    wrong: { propertyNames: json({ abca: 1 }, { d: 1 }) },
  },
  'the number of properties': {
    schema: { type: 'object', additionalProperties: INTEGER, minProperties: 1, maxProperties: 2 },
    right: json({ a: 1 }, { a: 1, b: 2 }),
    wrong: { minProperties: json({}), maxProperties: json({ a: 1, b: 2, c: 3 }) },
  },
  'the number of declared properties': {
    schema: { ...closed({ a: INTEGER, b: INTEGER, c: INTEGER }, []), minProperties: 1, maxProperties: 2 },
    right: json({ a: 1 }, { a: 1, b: 2 }, { a: 1, c: 2 }),
    wrong: { minProperties: json({}), maxProperties: json({ a: 1, b: 2, c: 3 }) },
  },
  'a property that needs another one': {
    schema: { ...closed({ a: INTEGER, b: INTEGER }, []), dependentRequired: { a: ['b'] } },
    right: json({}, { b: 1 }, { a: 1, b: 2 }),
    wrong: { dependentRequired: json({ a: 1 }) },
  },
  'a property that needs a schema': {
    schema: { ...closed({ a: INTEGER, b: INTEGER }, []), dependentSchemas: { a: { required: ['b'] } } },
    right: json({}, { b: 1 }, { a: 1, b: 2 }),
    wrong: { dependentSchemas: json({ a: 1 }) },
  },
  'a condition': {
    schema: {
      ...closed({ a: BOOLEAN, b: INTEGER }, ['a']),
      ...{ if: { properties: { a: { const: true } } }, else: { required: ['b'] } },
    },
    right: json({ a: true }, { a: false, b: 1 }, { a: true, b: 1 }),
    wrong: { else: json({ a: false }), required: json({ b: 1 }) },
  },
  'properties that nothing evaluated': {
    schema: open({ a: INTEGER }, { unevaluatedProperties: false }),
    right: json({}, { a: 1 }),
    wrong: { unevaluatedProperties: json({ b: 1 }, { a: 1, b: 1 }), properties: json({ a: 'x' }) },
  },
  'objects in objects': {
    schema: closed({ a: closed({ b: closed({ c: { type: 'string', maxLength: 3 } }) }), d: open({ e: INTEGER }) }),
    right: json({ a: { b: { c: 'xyz' } }, d: { e: 1 } }, { a: { b: { c: '' } }, d: {} }),
    wrong: {
      maxLength: json({ a: { b: { c: 'wxyz' } }, d: {} }),
      required: json({ a: { b: {} }, d: {} }, { a: { b: { c: '' } } }),
      additionalProperties: json({ a: { b: { c: '' }, x: 1 }, d: {} }),
      properties: ['{"a":{"b":{"c":""}},"d":{"e":1,"\\u0065":"x"}}', '{"a":{"b":{"c":""}},"d":{"e":"x"}}'],
      text: ['{"a":{"b":{"c":"\u0001"}},"d":{}}', '{"a":{"b":{"c":"\t"}},"d":{}}'],
    },
  },
}
